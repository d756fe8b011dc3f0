"""Where a word stands in rows of text, and which of those places is the current one."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from kinet.markup.folding import folded, places_of
from kinet.ui.kit.rows import Row

MOST = 10_000
# Seconds: what most outputs need at most, and the slices after it.
_FIRST_SECONDS = 0.012
_SLICE_SECONDS = 0.006
_EVERY = 32


class RowHits(QObject):
    """The places of one word, in order. Very many rows are looked through in slices."""

    # There are more places, or all are found.
    changed = Signal()
    # The first place on or below the screen, by its number: it is to be shown.
    arrived = Signal(int)

    def __init__(self, rows: Callable[[], Sequence[Row]], parent: QObject) -> None:
        """`rows` gives the rows of now; more may come at their end."""
        super().__init__(parent)
        self.places: list[tuple[int, int, int]] = []
        self.current = -1
        # True while more rows are to come by themselves.
        self.comes_more: Callable[[], bool] = bool
        self._rows = rows
        self._wanted = ""
        self._looked = 0
        self._from = 0
        self._has_arrived = False
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._look_on)

    @property
    def is_done(self) -> bool:
        """False while there may be places that are not found yet."""
        return not self._timer.isActive()

    def look(self, needle: str, row: int) -> None:
        """Finds `needle`, whatever its case; at most about 10,000 places. The first one that is
        shown is in `row` or below, or the first of all."""
        self.forget()
        self._wanted, self._from = folded(needle), row
        if self._wanted and not self._look(_FIRST_SECONDS):
            self._timer.start()

    def forget(self) -> None:
        """There is no word, or the rows are others."""
        self._timer.stop()
        self.places, self.current = [], -1
        self._wanted, self._looked, self._has_arrived = "", 0, False

    def finish(self) -> None:
        """Looks through all that is there, now."""
        if not self.is_done:
            self._look(float("inf"))

    def between(self, first: int, last: int) -> dict[int, list[tuple[int, int, bool]]]:
        """The places in the rows from `first` to `last`: (start, length, whether current)."""
        out: dict[int, list[tuple[int, int, bool]]] = {}
        place = bisect_left(self.places, (first, 0, 0))
        while place < len(self.places) and self.places[place][0] <= last:
            row, start, length = self.places[place]
            out.setdefault(row, []).append((start, length, place == self.current))
            place += 1
        return out

    def _look_on(self) -> None:
        if self._look(_SLICE_SECONDS):
            self._timer.stop()
        self.changed.emit()

    def _look(self, seconds: float) -> bool:
        """Looks on for some time; True when that is all."""
        rows = self._rows()
        deadline = time.perf_counter() + seconds
        done = False
        while self._looked < len(rows) and not done:
            number, self._looked = self._looked, self._looked + 1
            for start, end in places_of(rows[number].text, self._wanted):
                self.places.append((number, start, end - start))
            done = len(self.places) >= MOST
            if number % _EVERY == 0 and time.perf_counter() > deadline:
                break
        done = done or (self._looked == len(rows) and not self.comes_more())
        self._arrive(done)
        return done

    def _arrive(self, done: bool) -> None:
        """Shows the first place as soon as it is known which one that is."""
        if self._has_arrived or not self.places:
            return
        place = bisect_left(self.places, (self._from, 0, 0))
        if place < len(self.places) or done:
            self._has_arrived = True
            self.arrived.emit(place if place < len(self.places) else 0)
