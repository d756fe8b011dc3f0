"""Writes what is to be kept in a thread of its own, in the order in which it was asked for."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from kinet.core.errors import KinetError

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

T = TypeVar("T")

_log = logging.getLogger(__name__)


class Keeper:
    """One for a data folder: whoever asks goes on at once, and the disk is waited for here.

    Its future says when a piece of work is done, and with what; a fault of the program is in the
    log too, for not everybody looks. Nothing overtakes, and the end of the program waits for all of
    it. Safe to use from several threads.
    """

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None
        self._guard = threading.Lock()
        self._closed = False
        # Set when all is done that was asked for before the end.
        self._over = threading.Event()
        self._worker: threading.Thread | None = None

    def keep(self, work: Callable[[], T]) -> Future[T]:
        """Has `work` done behind all that was asked for before; after `close` by who asks."""
        with self._guard:
            if not self._closed:
                future = self._thread().submit(work)
                future.add_done_callback(_tell_fault)
                return future
        if threading.current_thread() is not self._worker:
            self._over.wait()
        return done_now(work)

    def wait(self) -> None:
        """Returns when all that was asked for until now is done. Blocks."""
        with self._guard:
            last: Future[Any] | None = self._pool.submit(_nothing) if self._pool else None
        if last is not None:
            last.result()

    def close(self) -> None:
        """Returns when all is done; what comes later is done by whoever asks. Blocks."""
        with self._guard:
            is_first, self._closed = not self._closed, True
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=True)
        if is_first:
            self._over.set()
        self._over.wait()

    def _thread(self) -> ThreadPoolExecutor:
        # Made with the first work: a window that nobody uses has nothing to keep.
        if self._pool is None:
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(1, "kinet-keeper", self._begun)
        return self._pool

    def _begun(self) -> None:
        self._worker = threading.current_thread()


def done_now(work: Callable[[], T]) -> Future[T]:
    """The same without a thread: `work` is done when this returns."""
    from concurrent.futures import Future

    future: Future[T] = Future()
    try:
        future.set_result(work())
    except Exception as exc:  # noqa: BLE001 - handed on to the one who asked, by the future
        future.set_exception(exc)
    _tell_fault(future)
    return future


def _tell_fault(future: Future[Any]) -> None:
    error = None if future.cancelled() else future.exception()
    # What the disk or a person's value is to blame for is told by who asked.
    if error is not None and not isinstance(error, OSError | KinetError):
        _log.error("something could not be kept", exc_info=error)


def _nothing() -> None:
    """Stands at the end of the line."""
