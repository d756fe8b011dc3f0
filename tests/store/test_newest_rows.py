"""The end of a session is read alone, and is what reading all of it ends with."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from kinet.core.errors import StoreError
from kinet.core.events import Event, MessageCompleted, TurnFinished, TurnStarted
from kinet.core.messages import Message
from kinet.session import saved
from kinet.session.saved import read_end
from kinet.store.database import FILE_NAME, Database
from kinet.store.sessions import NewSession, SessionStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SessionStore]:
    made = SessionStore(Database(tmp_path / FILE_NAME))
    made.create(NewSession("s")).result()
    yield made
    made.database.close()


def turn(name: str) -> list[Event]:
    asked = MessageCompleted(Message("user", name, id=name))
    said = MessageCompleted(Message("assistant", f"Answer {name}"))
    return [TurnStarted("s", name), asked, said, TurnFinished("completed")]


@pytest.mark.parametrize("seed", range(6))
def test_the_newest_rows_are_the_end_of_the_path_also_after_going_back(
    store: SessionStore, seed: int
) -> None:
    chance = random.Random(seed)
    for number in range(12):
        if seed and chance.random() < 0.4:
            store.move_leaf("s", 4 * chance.randrange(number + 1)).result()
        store.put("s", turn(f"t{number}")).result()
        whole = store.load("s")
        for count in (1, 3, 4, 9, 10**6):
            assert store.load_newest("s", count) == whole[-count:]


def test_an_unknown_session_has_no_newest_rows(store: SessionStore) -> None:
    assert store.load_newest("none such", 5) == []


def test_the_end_of_a_long_session_begins_with_a_turn(
    store: SessionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        store.put("s", turn(f"t{number}")).result()
    assert read_end(store, "s") is None
    monkeypatch.setattr(saved, "LONG", 10)
    monkeypatch.setattr(saved, "_NEWEST", 6)
    end = read_end(store, "s")
    assert end is not None
    assert end.row.message_count == 10
    assert end.events == turn("t4")


def test_the_end_of_a_session_that_is_not_there_is_an_error(store: SessionStore) -> None:
    with pytest.raises(StoreError, match="no session"):
        read_end(store, "none such")
