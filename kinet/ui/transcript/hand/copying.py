"""Copies what is selected: at once, or a very long conversation in slices, bit by bit."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from kinet.ui.kit.clipboard import copy_masked
from kinet.ui.transcript.hand.gathering import Gathering
from kinet.ui.transcript.stage.filler import SLICE_SECONDS, Filler
from kinet.ui.transcript.stage.selection import Selection

# What most selections need at most.
_FIRST_SECONDS = 0.01


class Copier(QObject):
    """One copy at a time: a newer one takes the place of what was not done yet."""

    began = Signal()  # it takes longer
    ended = Signal(int)  # it took longer, and is on the clipboard now: so many lines

    def __init__(self, selection: Selection, filler: Filler, parent: QObject) -> None:
        super().__init__(parent)
        self._selection, self._filler = selection, filler
        self._gathering = Gathering(iter(()))
        # The form that is wanted of everything, when everything is there.
        self._waits: bool | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._go_on)
        filler.finished.connect(self._filled)

    @property
    def is_idle(self) -> bool:
        """True when nothing is being copied."""
        return self._waits is None and not self._timer.isActive()

    def copy(self, *, plain: bool) -> None:
        """Puts what is selected on the clipboard; nothing happens without a selection."""
        self._timer.stop()
        self._waits = None
        if self._selection.is_empty:
            return
        if self._selection.is_whole and not self._filler.is_idle:
            self._waits = plain
            self.began.emit()
            return
        self._begin(plain)
        if self._gathering.work(_FIRST_SECONDS):
            self._put()
        else:
            self.began.emit()
            self._timer.start()

    def _filled(self) -> None:
        plain, self._waits = self._waits, None
        if plain is not None and not self._selection.is_empty:
            self._begin(plain)
            self._timer.start()

    def _begin(self, plain: bool) -> None:
        self._gathering = Gathering(self._selection.parts(plain=plain))

    def _go_on(self) -> None:
        if self._gathering.work(SLICE_SECONDS):
            self._timer.stop()
            self.ended.emit(self._put())

    def _put(self) -> int:
        """Puts all that was gathered on the clipboard; how many lines that are."""
        done, self._gathering = self._gathering, Gathering(iter(()))
        if done.lines:
            copy_masked(done.held)
        return done.lines
