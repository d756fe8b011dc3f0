"""Looks for garbage between two turns of the window's loop, and nowhere else.

Python looks whenever enough was made, in whatever thread that was and whatever waits on the stack.
A widget, timer or text layout that hangs in a circle would then be destroyed by a thread of the
pool, or while Qt goes through a list of all widgets: the program ends with a fault of memory.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping

from PySide6.QtCore import QAbstractEventDispatcher, QObject, QThread, QTimer

from kinet.ui.kit.event_loop import EventLoop

# Seconds of work. A look over what a long session adds would take up to a second, and everything
# stands still meanwhile. An ordinary day stays below: what is left out and dies in a circle later
# is never found, and with half of this a window grew by 30 MB in 300 turns.
LONG = 0.012
# Things made and still there. Python's own figure for a look over the newest.
_NEWEST = 700
# Every so manyth look is one over what survived the last as well.
_WIDER_AFTER = 5
# Things that survived since the last full look, and the share of all, before there is another:
# small ones come often. Python's own share.
_FULL_AFTER, _FULL_SHARE = 7_000, 4
# Milliseconds between two looks while a thread works and the loop itself sleeps. A thread makes
# 30,000 things in the shorter time, whose look takes 2 ms; it rests longer while little is made.
_TICK, _LONGEST_TICK = 10, 80


class Keeper(QObject):
    """Collects from `begin` on, instead of Python's own collector.

    After a full look that took `LONG` its survivors are left out of all later ones (`gc.freeze`).
    They go as everything goes, by their last reference; only what then hangs in a circle stays. So
    what is large and let go of empties itself: the conversation of a panel, for one.
    """

    def __init__(self, worked: Callable[[], float] = time.thread_time) -> None:
        """`worked` gives the seconds that the present thread has worked."""
        super().__init__()
        self._worked = worked
        self._began = 0.0
        self._looks = 0
        # What survived since the last full look, and what that left to be looked at again.
        self._added = self._known = 0
        self._loop: EventLoop | None = None
        self._ticks = QTimer(self)
        self._ticks.timeout.connect(self._tick)

    def begin(self, loop: EventLoop | None = None) -> None:
        """What is there now stays to the end and is left out at once.

        While a thread of `loop` works there are looks though no event comes.
        """
        gc.freeze()
        if self._looked in gc.callbacks:
            return
        gc.disable()
        gc.callbacks.append(self._looked)
        dispatcher = QAbstractEventDispatcher.instance()
        if dispatcher is not None:
            dispatcher.aboutToBlock.connect(self.look)
        self._loop = loop
        if loop is not None:
            loop.thread_begun = self._thread_begun
            self._thread_begun()

    def end(self) -> None:
        """Python's own collector looks again, at everything."""
        if self._looked in gc.callbacks:
            gc.callbacks.remove(self._looked)
            dispatcher = QAbstractEventDispatcher.instance()
            if dispatcher is not None:
                dispatcher.aboutToBlock.disconnect(self.look)
            gc.enable()
        if self._loop is not None:
            self._loop.thread_begun = None
        self._ticks.stop()
        gc.unfreeze()

    def look(self) -> None:
        """Looks if there is reason to. In a loop within the loop, as that of a drag, something of
        Qt's waits on the stack: not there.
        """
        newest = gc.get_count()[0]
        if newest < _NEWEST or QThread.currentThread().loopLevel() > 1:
            return
        self._looks += 1
        self._added += newest
        if self._added >= max(_FULL_AFTER, self._known // _FULL_SHARE):
            self._added = 0
            gc.collect()
            # A long one leaves out what it found.
            self._known = len(gc.get_objects(2))
        else:
            found = gc.collect(1 if self._looks % _WIDER_AFTER == 0 else 0)
            self._added = max(0, self._added - found)

    def _thread_begun(self) -> None:
        if self._loop is not None and self._loop.threads_at_work:
            self._ticks.start(_TICK)

    def _tick(self) -> None:
        if self._loop is None or not self._loop.threads_at_work:
            self._ticks.stop()
            return
        much = gc.get_count()[0] >= _NEWEST
        self._ticks.setInterval(_TICK if much else min(_LONGEST_TICK, 2 * self._ticks.interval()))
        self.look()

    def _looked(self, phase: str, facts: Mapping[str, int]) -> None:
        if facts["generation"] != 2:
            return
        if phase == "start":
            self._began = self._worked()
        elif self._worked() - self._began > LONG:
            gc.freeze()
