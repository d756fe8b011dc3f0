"""The turns that begin at one place are read each by itself, whatever surrounds them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kinet.core.events import (
    Event,
    MessageCompleted,
    ModelChosen,
    Notice,
    TurnFinished,
    TurnStarted,
)
from kinet.core.messages import Message
from kinet.store.alternatives import StoredTurn, stored_turns
from kinet.store.branches import EventTree
from kinet.store.database import FILE_NAME, Database
from kinet.store.sessions import NewSession, SessionStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SessionStore]:
    made = SessionStore(Database(tmp_path / FILE_NAME))
    made.create(NewSession("s")).result()
    made.put("s", turn("first")).result()
    yield made
    made.database.close()


def turn(name: str, *, ended: bool = True) -> list[Event]:
    events: list[Event] = [
        TurnStarted("s", name),
        MessageCompleted(Message("user", "?", id=name)),
        MessageCompleted(Message("assistant", f"Answer of {name}.")),
    ]
    return [*events, TurnFinished("completed")] if ended else events


def beside(store: SessionStore, *events: Event, at: int = 4) -> None:
    store.move_leaf("s", at).result()
    store.put("s", events).result()


def answers(turns: list[StoredTurn]) -> list[str]:
    return [turn.events[2].message.text for turn in turns]  # type: ignore[union-attr]


def test_each_has_its_own_events_and_none_of_the_others(store: SessionStore) -> None:
    # What comes between two turns belongs to neither.
    beside(store, *turn("a"), Notice("Facts were noticed."))
    beside(store, *turn("b"), *turn("behind b"), *turn("further behind b"))
    beside(store, *turn("c"))
    found = stored_turns(store, "s", "c")
    assert answers(found) == ["Answer of a.", "Answer of b.", "Answer of c."]
    assert [len(item.events) for item in found] == [4, 4, 4]
    assert [item.following for item in found] == [0, 2, 0]
    assert [item.is_current for item in found] == [False, False, True]


def test_the_choice_that_held_is_the_newest_on_the_own_path(store: SessionStore) -> None:
    beside(store, *turn("a"))
    beside(store, ModelChosen("large", "high"), *turn("b"))
    beside(store, ModelChosen("small", "low"), ModelChosen("small", "off"), *turn("c"))
    found = stored_turns(store, "s", "c")
    efforts = [item.chosen and item.chosen.effort for item in found]
    assert efforts == [None, "high", "off"]


def test_a_turn_without_an_end_ends_where_the_next_begins(store: SessionStore) -> None:
    beside(store, *turn("a", ended=False), *turn("behind a"))
    beside(store, *turn("b"))
    found = stored_turns(store, "s", "b")
    assert [len(item.events) for item in found] == [3, 4]
    assert found[0].following == 1


def test_a_message_that_is_not_on_the_path_has_none(store: SessionStore) -> None:
    beside(store, *turn("a"))
    beside(store, *turn("b"))
    assert stored_turns(store, "s", "a") == []
    assert stored_turns(store, "s", "") == []
    assert stored_turns(store, "none such", "b") == []


def test_rows_with_gaps_between_their_numbers_are_found_all_the_same(store: SessionStore) -> None:
    beside(store, *turn("a"))

    def work(connection: object) -> None:
        connection.execute(  # type: ignore[attr-defined]
            "UPDATE event SET seq = seq * 10, parent = parent * 10"
        )
        connection.execute("UPDATE session SET leaf = leaf * 10")  # type: ignore[attr-defined]

    store.database.submit(work).result()
    beside(store, *turn("b"), at=40)
    tree = EventTree.read(store.database, "s")
    assert tree.turns() == [10, 81]
    assert tree.siblings(81) == [50, 81]
    assert answers(stored_turns(store, "s", "b")) == ["Answer of a.", "Answer of b."]
