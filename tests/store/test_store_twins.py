"""The history store on the disk and its twin in memory: one suite for both."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kinet.core.events import Event, MessageCompleted
from kinet.core.messages import Message
from kinet.store.branches import EventTree
from kinet.store.database import FILE_NAME, Database
from kinet.store.sessions import NewSession, SessionStore


@pytest.fixture(params=["disk", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SessionStore]:
    database = Database(tmp_path / FILE_NAME if request.param == "disk" else None)
    store = SessionStore(database)
    store.create(NewSession("s")).result()
    yield store
    database.close()


def _said(*texts: str) -> list[Event]:
    return [MessageCompleted(Message("user", text)) for text in texts]


def _texts(store: SessionStore) -> list[str]:
    events = store.load("s")
    return [event.message.text for event in events if isinstance(event, MessageCompleted)]


async def test_c13_what_is_appended_is_restored_in_order(store):
    await store.append("s", _said("a", "b"))
    await store.append("s", _said("c"))
    assert _texts(store) == ["a", "b", "c"]


async def test_c13_a_cleared_history_is_empty_and_can_be_had_again(store):
    await store.append("s", _said("a", "b"))
    leaf = EventTree.read(store.database, "s").leaf
    store.move_leaf("s", 0).result()
    assert _texts(store) == []
    store.move_leaf("s", leaf).result()
    assert _texts(store) == ["a", "b"]


async def test_c13_a_replaced_history_is_the_new_one(store):
    await store.append("s", _said("a", "b"))
    store.move_leaf("s", 0).result()
    await store.append("s", _said("x"))
    assert _texts(store) == ["x"]


async def test_c13_an_unknown_session_restores_nothing(store):
    assert store.load("other") == []
