"""What has gone is handed back to the system: after a turn, and after a panel with its circles."""

from __future__ import annotations

import gc
import os
import platform
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject

from kinet.ui.desks.session_desk import KEPT_PANELS
from kinet.ui.desks.session_opening import OPENING
from kinet.ui.kit.spare_memory import SpareMemory, return_pages
from kinet.ui.kit.tasks import new_event, spawn
from kinet.ui.window.settling import hand_back, is_busy
from tests.support.fake_program import FakeProgram
from tests.support.shell_window import shell_window
from tests.support.window import until


class Circle:
    """Something that only the collector of garbage finds."""

    def __init__(self) -> None:
        self.own = self


class Allocator:
    """Counts how often it was asked to return what is free."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self) -> None:
        self.asked += 1


@pytest.fixture
def uncollected() -> Iterator[None]:
    """The collector of garbage comes only when it is called."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def allocator() -> Allocator:
    return Allocator()


def circle() -> weakref.ref[Circle]:
    """A circle that nothing holds any more."""
    return weakref.ref(Circle())


@pytest.mark.usefixtures("uncollected")
async def test_circles_go_before_the_memory_is_handed_back() -> None:
    gone = circle()
    left: list[Circle | None] = []
    spare = SpareMemory(parent := QObject(), lambda: left.append(gone()), delay=0)
    spare.wake(circles=True)
    await until(lambda: bool(left))
    assert left == [None]
    parent.deleteLater()


@pytest.mark.usefixtures("uncollected")
async def test_without_circles_the_collector_is_left_alone(allocator: Allocator) -> None:
    kept = circle()
    spare = SpareMemory(parent := QObject(), allocator, delay=0)
    spare.wake()
    await until(lambda: allocator.asked == 1)
    assert kept() is not None
    parent.deleteLater()


async def test_many_calls_are_answered_once_and_later_ones_again(allocator: Allocator) -> None:
    spare = SpareMemory(parent := QObject(), allocator, delay=0)
    for _ in range(5):
        spare.wake()
    await until(lambda: allocator.asked > 0)
    assert allocator.asked == 1
    spare.wake()
    await until(lambda: allocator.asked > 1)
    assert allocator.asked == 2
    parent.deleteLater()


async def test_nothing_is_handed_back_while_a_session_is_opened(
    tmp_path: Path, allocator: Allocator
) -> None:
    async with shell_window(FakeProgram(tmp_path)) as window:
        reading = new_event()
        looks: list[bool] = []

        def busy() -> bool:
            looks.append(is_busy(window.desk))
            return looks[-1]

        spare = SpareMemory(window, allocator, delay=0, is_busy=busy)
        task = spawn(reading.wait(), OPENING)
        spare.wake()
        await until(lambda: len(looks) > 2)
        assert all(looks)
        assert allocator.asked == 0
        reading.set()
        await task
        await until(lambda: allocator.asked == 1)


async def test_nothing_is_handed_back_while_a_conversation_is_filled_up(tmp_path: Path) -> None:
    async with shell_window(FakeProgram(tmp_path)) as window:
        await until(lambda: not is_busy(window.desk))
        window.panel.transcript.stage.filler.wake()
        assert is_busy(window.desk)
        await until(lambda: not is_busy(window.desk))


async def test_the_end_of_a_turn_hands_memory_back_in_old_panels_and_new_ones(
    tmp_path: Path, allocator: Allocator
) -> None:
    async with shell_window(FakeProgram(tmp_path)) as window:
        hand_back(window.desk, SpareMemory(window, allocator, delay=0))
        for turns in (1, 2):
            window.desk.new().send("Say something.")
            await until(lambda turns=turns: allocator.asked == turns)


@pytest.mark.usefixtures("uncollected")
async def test_a_panel_that_is_let_go_of_leaves_no_dead_widgets(tmp_path: Path) -> None:
    async with shell_window(FakeProgram(tmp_path)) as window:
        hand_back(window.desk, SpareMemory(window, Allocator(), delay=0))
        first = weakref.ref(window.panel)
        for _ in range(KEPT_PANELS + 2):
            panel = window.desk.new()
            panel.send("Say something.")
            await until(lambda panel=panel: not panel.runner.running)
        await until(lambda: first() is None)


def resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc can return pages")
def test_the_holes_that_small_blocks_leave_go_back() -> None:
    # Above what the interpreter manages itself, and below what is a mapping of its own.
    blocks = [bytearray(4_000) for _ in range(20_000)]
    kept = blocks[::1_000]
    before = resident()
    del blocks
    return_pages()
    assert before - resident() > 20_000_000
    assert len(kept) == 20
