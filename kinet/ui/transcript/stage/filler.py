"""What is done away from the eyes, in slices: older entries put above, heights guessed anew."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, QTimer, Signal

from kinet.ui.transcript.entries.entry import Entry, gap_between
from kinet.ui.transcript.stage.flow import Flow

SLICE_SECONDS = 0.006
# Entries that are put above the others at once: about 2 ms.
_LARGEST_HEAP = 6_000


class Filler(QObject):
    """Works through what waits, a slice in each turn of the loop, until nothing does."""

    # So many entries now stand above what was the first.
    prepended = Signal(int)
    finished = Signal()

    def __init__(
        self, flow: Flow, keep: Callable[[Callable[[], None]], None], parent: QObject
    ) -> None:
        """`keep` carries out a change of the flow while the eye stays where it is."""
        super().__init__(parent)
        self._flow = flow
        self._keep = keep
        self._portions: Iterator[list[Entry]] | None = None
        # Told and measured, newest portion first, but not shown yet.
        self._ready: list[list[Entry]] = []
        self._waiting = 0
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(lambda: self.work(SLICE_SECONDS))

    @property
    def is_idle(self) -> bool:
        """True when nothing waits."""
        return not self._timer.isActive()

    def begin(self, portions: Iterator[list[Entry]] | None) -> None:
        """Takes older entries from here on; what still came from elsewhere is forgotten."""
        self._portions = portions
        self._ready.clear()
        self._waiting = 0
        if portions is not None:
            self.wake()

    def wake(self) -> None:
        """Goes on in the next turn of the loop: there may be heights to guess."""
        if not self._timer.isActive():
            self._timer.start()

    def reach(self, count: int) -> None:
        """Takes older entries, now, until so many are shown or there are no more."""
        while len(self._flow.entries) < count and self._portions is not None:
            self._gather(0.0)
            if self._waiting:
                self._show()

    def complete(self) -> None:
        """Does all that waits, now."""
        while not self.is_idle:
            self.work(1.0)

    def work(self, seconds: float) -> None:
        """One slice."""
        deadline = time.perf_counter() + seconds
        if self._flow.stale:
            if self._flow.guess(deadline):
                self._keep(self._flow.take_guessed)
            return
        if not self._gather(deadline):
            return
        if self._waiting:
            self._show()
            return
        self._timer.stop()
        self.finished.emit()

    def _gather(self, deadline: float) -> bool:
        """Takes portions; True when there are no more.

        They are shown in ever larger heaps, for each time the screen is painted anew; none is so
        large that it can be felt.
        """
        while self._portions is not None:
            portion = next(self._portions, None)
            if portion is None:
                self._portions = None
                break
            if portion:
                self._flow.measure(portion)
                if self._ready:
                    below = self._ready[-1][0]
                    below.gap = gap_between(portion[-1].kind, below.kind)
                self._ready.append(portion)
                self._waiting += len(portion)
                if self._waiting >= min(len(self._flow.entries), _LARGEST_HEAP):
                    self._show()
                    return False
            if time.perf_counter() > deadline:
                return False
        return True

    def _show(self) -> None:
        heap = [entry for portion in reversed(self._ready) for entry in portion]
        self._ready.clear()
        self._waiting = 0

        def put() -> None:
            self._flow.prepend(heap)
            self.prepended.emit(len(heap))

        self._keep(put)
