"""What a long look of the collector of garbage found in use is left out of all later ones."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from kinet.ui.kit.garbage import LONG, Keeper


class Clock:
    """A thread that works `spent` seconds between two questions."""

    def __init__(self) -> None:
        self.now = 0.0
        self.spent = 0.0

    def __call__(self) -> float:
        self.now += self.spent
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def keeper(clock: Clock) -> Iterator[Keeper]:
    made = Keeper(clock)
    made.begin()
    yield made
    made.end()


class Kept:
    """Something the collector looks at."""


@pytest.mark.usefixtures("keeper")
def test_a_long_look_is_the_last_one_over_what_it_found_in_use(clock: Clock) -> None:
    kept = Kept()
    clock.spent = 2 * LONG
    gc.collect()
    assert not any(item is kept for item in gc.get_objects())


@pytest.mark.usefixtures("keeper")
def test_after_a_short_look_everything_is_looked_at_again(clock: Clock) -> None:
    kept = Kept()
    clock.spent = LONG / 2
    gc.collect()
    assert any(item is kept for item in gc.get_objects())


@pytest.mark.usefixtures("keeper")
def test_a_long_look_over_the_newest_alone_changes_nothing(clock: Clock) -> None:
    kept = Kept()
    clock.spent = 2 * LONG
    gc.collect(1)
    assert any(item is kept for item in gc.get_objects())


def test_what_is_there_at_the_beginning_is_never_looked_at(clock: Clock) -> None:
    kept = Kept()
    keeper = Keeper(clock)
    keeper.begin()
    assert not any(item is kept for item in gc.get_objects())
    keeper.end()
    assert any(item is kept for item in gc.get_objects())


def test_full_looks_come_so_often_that_each_is_small_while_it_watches(clock: Clock) -> None:
    before = gc.get_threshold()
    keeper = Keeper(clock)
    keeper.begin()
    keeper.begin()
    try:
        assert gc.get_threshold() == (before[0], 4, 1)
    finally:
        keeper.end()
    assert gc.get_threshold() == before


def test_an_ended_keeper_watches_no_more(clock: Clock) -> None:
    keeper = Keeper(clock)
    keeper.begin()
    keeper.begin()
    keeper.end()
    clock.spent = 2 * LONG
    kept = Kept()
    gc.collect()
    assert any(item is kept for item in gc.get_objects())
