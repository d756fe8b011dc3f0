"""The asyncio loop of the window: Qt's, with timers that really end when they are cancelled.

qasync makes one Qt timer per callback and keeps a cancelled one until its time comes; a long stream
would pile up thousands. Here ready callbacks wait in one queue, served in short batches between
paints and input, and timed ones in a heap behind a single Qt timer.
"""

from __future__ import annotations

import asyncio
import heapq
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextvars import Context
from typing import Any

import qasync
from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer

# Seconds of callbacks in a row before painting and input get their turn.
BATCH_SECONDS = 0.006
_CHECK_EVERY = 16
_PRUNE_ABOVE = 100


class EventLoop(qasync.QEventLoop):  # type: ignore[misc]
    """Runs coroutines inside Qt's loop; keeps qasync's sockets, processes and signals."""

    def __init__(self, app: QCoreApplication) -> None:
        self._queue = _ReadyQueue()
        self._timers = _TimerHeap(self._queue.add)
        super().__init__(app)
        self._pool = ThreadPoolExecutor(max_workers=8, thread_name_prefix="kinet")
        self.set_default_executor(self._pool)
        # Jobs of threads that have not ended, and what is told that another one begins.
        self.threads_at_work = 0
        self.thread_begun: Callable[[], None] | None = None

    @property
    def live_timers(self) -> int:
        """How many timed callbacks are held, cancelled ones included."""
        return len(self._timers)

    def call_soon(
        self, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """Runs `callback` in one of the next batches, in order."""
        handle = asyncio.Handle(callback, args, self, context)
        self._queue.add(handle)
        return handle

    def call_later(
        self, delay: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Runs `callback` after `delay` seconds."""
        return self.call_at(self.time() + max(0.0, delay), callback, *args, context=context)

    def call_at(
        self, when: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Runs `callback` when the loop's clock shows `when`."""
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self._timers.add(handle)
        return handle

    def time(self) -> float:
        """The loop's clock, in seconds."""
        return time.monotonic()

    def run_in_executor(
        self, executor: Executor | None, callback: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        """Runs `callback` in a thread and gives what it gives."""
        job: asyncio.Future[Any] = super().run_in_executor(executor, callback, *args)
        self.threads_at_work += 1
        job.add_done_callback(self._thread_ended)
        if self.thread_begun is not None:
            self.thread_begun()
        return job

    def close(self) -> None:
        """Ends the loop for good; what was still waiting never runs."""
        if not self.is_closed():
            self._queue.clear()
            self._timers.clear()
        super().close()

    def _thread_ended(self, _job: asyncio.Future[Any]) -> None:
        self.threads_at_work -= 1

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        self._timers.cancelled(handle)


class _ReadyQueue(QObject):
    """Callbacks to run as soon as possible."""

    def __init__(self) -> None:
        super().__init__()
        self._handles: deque[asyncio.Handle] = deque()
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._run_batch)
        self._posted = False

    def add(self, handle: asyncio.Handle) -> None:
        self._handles.append(handle)
        if not self._posted:
            self._posted = True
            self._timer.start()

    def clear(self) -> None:
        self._handles.clear()
        self._timer.stop()

    def _run_batch(self) -> None:
        """Runs what was ready at the start, for a few milliseconds at most."""
        deadline = time.monotonic() + BATCH_SECONDS
        for number in range(1, len(self._handles) + 1):
            if not self._handles:
                break
            handle = self._handles.popleft()
            if not handle.cancelled():
                handle._run()
            if number % _CHECK_EVERY == 0 and time.monotonic() > deadline:
                break
        if not self._handles:
            self._posted = False
            self._timer.stop()


class _TimerHeap(QObject):
    """Callbacks with a time; cancelled ones leave when they come to the top or grow many."""

    def __init__(self, ready: Callable[[asyncio.Handle], None]) -> None:
        super().__init__()
        self._ready = ready
        self._heap: list[asyncio.TimerHandle] = []
        self._dead = 0
        self._due: float | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._expire)

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, handle: asyncio.TimerHandle) -> None:
        handle._scheduled = True  # type: ignore[attr-defined]
        heapq.heappush(self._heap, handle)
        if self._heap[0] is handle:
            self._arm()

    def cancelled(self, handle: asyncio.TimerHandle) -> None:
        if not handle._scheduled:  # type: ignore[attr-defined]
            return
        self._dead += 1
        if self._dead > _PRUNE_ABOVE and self._dead * 2 > len(self._heap):
            self._heap = [item for item in self._heap if not item.cancelled()]
            heapq.heapify(self._heap)
            self._dead = 0
            self._arm()

    def clear(self) -> None:
        self._heap.clear()
        self._timer.stop()

    def _pop(self) -> asyncio.TimerHandle:
        handle = heapq.heappop(self._heap)
        handle._scheduled = False  # type: ignore[attr-defined]
        if handle.cancelled():
            self._dead = max(0, self._dead - 1)
        return handle

    def _arm(self) -> None:
        while self._heap and self._heap[0].cancelled():
            self._pop()
        if not self._heap:
            self._due = None
            self._timer.stop()
            return
        when = self._heap[0].when()
        if when != self._due or not self._timer.isActive():
            self._due = when
            # Rounded up: a timer that fires early would only be set again.
            self._timer.start(max(0, int((when - time.monotonic()) * 1000 + 0.999)))

    def _expire(self) -> None:
        now = time.monotonic() + 0.0005
        while self._heap and (self._heap[0].cancelled() or self._heap[0].when() <= now):
            handle = self._pop()
            if not handle.cancelled():
                self._ready(handle)
        self._due = None
        self._arm()
