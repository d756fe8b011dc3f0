"""Garbage is looked for where it is safe, and what a long look found in use no more."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from PySide6.QtCore import QEventLoop, QTimer

from kinet import app
from kinet.ui.kit.event_loop import EventLoop
from kinet.ui.kit.garbage import LONG, Keeper
from kinet.ui.window import settling
from tests.support.window import until


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


def test_full_looks_come_so_often_that_each_is_small_while_it_watches(keeper: Keeper) -> None:
    seen: list[int] = []

    def watch(phase: str, facts: Mapping[str, int]) -> None:
        if phase == "stop":
            seen.append(facts["generation"])

    gc.callbacks.append(watch)
    kept = []
    try:
        for _ in range(100):
            kept.append([Kept() for _ in range(800)])
            keeper.look()
    finally:
        gc.callbacks.remove(watch)
    full = [number for number, generation in enumerate(seen) if generation == 2]
    assert full[0] < 15
    # The more there is to look at, the rarer: but for Python's quarter the last would cost most.
    assert 5 < len(full) < 12
    assert 1 in seen


def circle() -> weakref.ref[Kept]:
    """What hangs in a circle that nothing holds any more."""
    kept = Kept()
    kept.itself = kept  # type: ignore[attr-defined]
    return weakref.ref(kept)


def make_much() -> list[list[int]]:
    """More than Python's own collector would look at in one look."""
    return [[number] for number in range(50_000)]


def make_much_in_a_thread() -> list[list[int]]:
    made: list[list[int]] = []
    thread = threading.Thread(target=lambda: made.extend(make_much()))
    thread.start()
    thread.join()
    return made


@pytest.mark.usefixtures("keeper")
@pytest.mark.parametrize("make", [make_much, make_much_in_a_thread])
async def test_it_looks_when_the_loop_turns_and_not_where_something_is_made(
    make: Callable[[], object],
) -> None:
    """What was found could be a widget: destroyed in a thread, or while Qt holds a list of them."""
    gone = circle()
    made = make()
    assert gone() is not None
    await until(lambda: gone() is None)
    del made


@pytest.mark.usefixtures("keeper")
async def test_it_does_not_look_in_a_loop_within_the_loop() -> None:
    gone = circle()
    seen: list[bool] = []
    within = QEventLoop()

    def end() -> None:
        seen.append(gone() is None)
        within.quit()

    kept = make_much()
    QTimer.singleShot(20, end)
    within.exec()
    assert seen == [False]
    await until(lambda: gone() is None)
    del kept


async def test_it_looks_while_a_thread_works_and_nothing_else_happens(clock: Clock) -> None:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, EventLoop)
    keeper = Keeper(clock)
    keeper.begin(loop)
    found = threading.Event()
    kept = Kept()
    kept.itself = kept  # type: ignore[attr-defined]
    weakref.finalize(kept, found.set)
    del kept

    def work() -> bool:
        # It holds all it makes, as one that reads a long session does.
        made = make_much()
        return found.wait(10) and bool(made)

    try:
        assert await asyncio.to_thread(work)
        assert loop.threads_at_work == 0
    finally:
        keeper.end()


def test_an_ended_keeper_watches_no_more(clock: Clock) -> None:
    keeper = Keeper(clock)
    keeper.begin()
    keeper.begin()
    keeper.end()
    clock.spent = 2 * LONG
    kept = Kept()
    gc.collect()
    assert any(item is kept for item in gc.get_objects())


async def test_a_window_that_is_made_at_a_second_try_has_one_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Until then there is none: Python's own is off from the start."""
    settled: list[object] = []
    monkeypatch.setattr(app, "_AGAIN_SECONDS", 0.0)
    monkeypatch.setattr(settling, "settle", lambda desk, _loop: settled.append(desk))

    class Window:
        desk = object()
        is_built = False
        asked = 0

        async def filled(self) -> None:
            self.asked += 1
            self.is_built = self.asked == 3

    window: Any = Window()
    loop: Any = None
    begun: list[int] = []
    await app._settle(window, loop, lambda: begun.append(window.asked))
    assert settled == [window.desk]
    # The data folder is held, or is known not to be, after the first.
    assert begun == [1]
