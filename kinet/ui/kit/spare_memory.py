"""Gives back to the system what is not used any more, soon after something large has gone."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from kinet.ui.kit.tasks import in_thread, spawn

# Milliseconds. What follows from the end of a turn or the change of a session is over by then.
DELAY = 1000


class SpareMemory(QObject):
    """A second after `wake` has the allocator return its free pages.

    Else a long day keeps what its worst moments took: glibc returns by itself only what is free at
    the end of the heap, and the less the larger the largest block was that was ever freed (a
    picture of the whole window is 5 MB). It takes 1 ms, without the interpreter's lock.
    """

    def __init__(
        self,
        parent: QObject,
        give_back: Callable[[], object] | None = None,
        delay: int = DELAY,
        is_busy: Callable[[], bool] = bool,
    ) -> None:
        """`give_back` is called in a thread; None is `return_pages`.

        While `is_busy` says True it is put off by another `delay`: whoever needs memory waits for
        the allocator's lock, tens of milliseconds after a conversation of 100,000 messages.
        """
        super().__init__(parent)
        self._give_back = give_back or return_pages
        self._is_busy = is_busy
        self._circles = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(delay)
        self._timer.timeout.connect(self._work)

    def wake(self, *, circles: bool = False) -> None:
        """Something large has gone. With `circles` it hangs together so that only the collector
        of garbage finds it: the dead widgets of a panel are 300 KB, and nothing calls for it soon.
        """
        self._circles = self._circles or circles
        # A second call does not put it off: the first is due however much goes on.
        if not self._timer.isActive():
            self._timer.start()

    def _work(self) -> None:
        if self._is_busy():
            self._timer.start()
            return
        if self._circles:
            self._circles = False
            # On this thread: what is found are widgets.
            gc.collect()
        spawn(in_thread(self._give_back), "free memory goes back")


def return_pages() -> None:
    """Returns free pages where the C library can do so: glibc, not musl, macOS or Windows."""
    # Imported in the thread, and not before there is something to return.
    import ctypes

    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
