"""The window's loop keeps asyncio's promises and lets go of cancelled timers."""

from __future__ import annotations

import asyncio
import sys

from PySide6.QtCore import QEventLoop, QTimer

from kinet.ui.kit.event_loop import EventLoop


async def test_callbacks_run_in_the_order_they_were_given() -> None:
    order: list[int] = []
    loop = asyncio.get_running_loop()
    for number in range(200):
        loop.call_soon(order.append, number)
    await asyncio.sleep(0.05)
    assert order == list(range(200))


async def test_coroutine_tests_run_inside_qt() -> None:
    assert isinstance(asyncio.get_running_loop(), EventLoop)
    fired = asyncio.Event()
    QTimer.singleShot(0, fired.set)
    await asyncio.wait_for(fired.wait(), 5)


async def test_cancelled_timers_do_not_pile_up() -> None:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, EventLoop)
    for _ in range(20_000):
        loop.call_later(3600, print).cancel()
    assert loop.live_timers <= 250


async def test_timers_fire_in_the_order_of_their_times() -> None:
    order: list[str] = []
    loop = asyncio.get_running_loop()
    loop.call_later(0.03, order.append, "late")
    loop.call_later(0.01, order.append, "early")
    loop.call_later(0.02, order.append, "never").cancel()
    await asyncio.sleep(0.06)
    assert order == ["early", "late"]


async def test_a_timeout_ends_what_takes_too_long() -> None:
    try:
        async with asyncio.timeout(0.02):
            await asyncio.sleep(10)
    except TimeoutError:
        return
    raise AssertionError("the timeout did not come")


async def test_work_in_a_thread_comes_back() -> None:
    assert await asyncio.to_thread(lambda: 41 + 1) == 42


async def test_a_child_process_can_be_awaited() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "print('hello')", stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    assert out.split() == [b"hello"]


async def test_a_busy_queue_lets_qt_have_its_turn() -> None:
    turns: list[int] = []
    timer = QTimer()
    timer.timeout.connect(lambda: turns.append(1))
    timer.start(1)
    deadline = asyncio.get_running_loop().time() + 0.1
    while asyncio.get_running_loop().time() < deadline:  # noqa: ASYNC110
        await asyncio.sleep(0)
    timer.stop()
    assert len(turns) > 3


def test_qt_calls_keep_the_count_of_none(app: object) -> None:
    timer = QTimer()
    before = sys.getrefcount(None)
    for _ in range(2_000):
        timer.stop()
    assert sys.getrefcount(None) > before - 100


async def test_tasks_go_on_while_something_is_dragged() -> None:
    """Qt's loop of a drag begins in an event, below no task: it must not hold the tasks up."""
    inner = QEventLoop()
    counted: list[int] = []
    done = asyncio.Event()

    async def count() -> None:
        for number in range(20):
            await asyncio.sleep(0.001)
            counted.append(number)
        # The drag ends while the task runs, and so does its loop.
        inner.quit()

    def drag() -> None:
        inner.exec()
        done.set()

    task = asyncio.ensure_future(count())
    QTimer.singleShot(0, drag)
    await asyncio.wait_for(done.wait(), 10)
    await task
    assert counted == list(range(20))
