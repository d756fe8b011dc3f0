"""Starts coroutines from slots, keeps them until they end, and reports what goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

Reporter = Callable[[BaseException], None]

# The loop itself keeps only weak references: without this set a task could vanish in mid-air.
_running: set[asyncio.Task[Any]] = set()


def spawn(coroutine: Coroutine[Any, Any, Any], name: str = "") -> asyncio.Task[Any]:
    """Runs `coroutine` as a task of the running loop and keeps it until it ends.

    What it raises, cancellation aside, goes to the loop's exception handler at once.
    """
    # Imported late, here and below: the window's first frame does without asyncio.
    import asyncio

    task = asyncio.get_running_loop().create_task(coroutine, name=name or None)
    _running.add(task)
    task.add_done_callback(_ended)
    return task


def running() -> tuple[asyncio.Task[Any], ...]:
    """The tasks that were spawned and have not ended."""
    return tuple(_running)


async def cancel_all() -> None:
    """Cancels every spawned task and waits until all have ended; the caller itself is left out."""
    import asyncio

    own = asyncio.current_task()
    # A task may spawn another while it ends.
    while waiting := [task for task in _running if task is not own and not task.done()]:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)


async def in_thread(act: Callable[[], Any]) -> Any:
    """Runs `act` in a thread of the loop and gives back what it gives."""
    import asyncio

    return await asyncio.to_thread(act)


def new_event() -> asyncio.Event:
    """An event of the running loop."""
    import asyncio

    return asyncio.Event()


async def breathe() -> None:
    """Lets painting, input and other tasks have their turn."""
    import asyncio

    # Longer than nothing: with 0 the next step may follow before Qt's own timers had their turn.
    await asyncio.sleep(0.002)


def _ended(task: asyncio.Task[Any]) -> None:
    _running.discard(task)
    if task.cancelled():
        return
    error = task.exception()
    if error is not None:
        task.get_loop().call_exception_handler(
            {"message": f"task {task.get_name()} failed", "exception": error, "task": task}
        )
