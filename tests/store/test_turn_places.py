"""Where turns stand among their alternatives is read from their beginnings alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kinet.core.events import Event, MessageCompleted, TurnFinished, TurnStarted
from kinet.core.messages import Message
from kinet.store.database import FILE_NAME, Database
from kinet.store.sessions import NewSession, SessionStore
from kinet.store.turn_places import turn_places


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SessionStore]:
    made = SessionStore(Database(tmp_path / FILE_NAME))
    made.create(NewSession("s")).result()
    for name in ("a", "b"):
        made.put("s", turn(name)).result()
    yield made
    made.database.close()


def turn(name: str) -> list[Event]:
    asked = MessageCompleted(Message("user", name, id=name))
    return [TurnStarted("s", name), asked, TurnFinished("completed")]


def damage(store: SessionStore, seq: int) -> None:
    def work(connection: object) -> None:
        connection.execute("UPDATE event SET body = '{' WHERE seq = ?", (seq,))  # type: ignore[attr-defined]

    store.database.submit(work).result()


def test_a_session_that_never_branched_has_one_of_each(store: SessionStore) -> None:
    assert turn_places(store.database, "s") == [("a", 1, 1), ("b", 1, 1)]
    assert turn_places(store.database, "none such") == []


def test_a_branch_stands_beside_the_turn_it_replaced(store: SessionStore) -> None:
    store.move_leaf("s", 3).result()
    store.put("s", turn("c")).result()
    assert turn_places(store.database, "s") == [("a", 1, 1), ("c", 2, 2)]


def test_a_beginning_that_cannot_be_read_leaves_the_others_in_their_places(
    store: SessionStore,
) -> None:
    store.move_leaf("s", 3).result()
    store.put("s", turn("c")).result()
    damage(store, 1)
    assert turn_places(store.database, "s") == [("c", 2, 2)]


def test_what_a_turn_holds_is_not_read(store: SessionStore) -> None:
    for seq in (2, 3, 5, 6):
        damage(store, seq)
    assert turn_places(store.database, "s") == [("a", 1, 1), ("b", 1, 1)]
