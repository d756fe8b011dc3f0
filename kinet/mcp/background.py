"""A thread with an event loop of its own for all servers: what they send holds nobody else up."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")
_CLOSING_SECONDS = 5.0


class Background:
    """Starts with the first coroutine it is given. A plain loop, whatever loop the window has."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    def run(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Begins `work` there; the future may be awaited by asyncio.wrap_future.

        A cancellation of the future cancels the work. RuntimeError after `close`.
        """
        with self._guard:
            if self._closed:
                work.close()
                raise RuntimeError("the servers are closed")
            if self._loop is None:
                # The policy in use may make loops of the window, which have no place here.
                self._loop = asyncio.DefaultEventLoopPolicy().new_event_loop()
                self._thread = threading.Thread(
                    target=self._live, args=(self._loop,), name="servers", daemon=True
                )
                self._thread.start()
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    def close(self, last: Coroutine[Any, Any, None] | None = None) -> None:
        """Does `last`, cancels what is left, ends the thread. Blocks for some seconds at most."""
        with self._guard:
            loop, thread, self._closed = self._loop, self._thread, True
            self._loop = None
        if loop is None or thread is None:
            if last is not None:
                last.close()
            return
        asyncio.run_coroutine_threadsafe(_end(last), loop).add_done_callback(
            lambda _: loop.call_soon_threadsafe(loop.stop)
        )
        thread.join(_CLOSING_SECONDS)

    @staticmethod
    def _live(loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        try:
            loop.run_forever()
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()


async def _end(last: Coroutine[Any, Any, None] | None) -> None:
    if last is not None:
        await last
    rest = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in rest:
        task.cancel()
    if rest:
        await asyncio.wait(rest, timeout=_CLOSING_SECONDS / 2)
