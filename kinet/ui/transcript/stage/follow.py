"""Whether the transcript follows its end: only the person's own acts change that."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QScrollBar

NEAR_END = 40


class Follower(QObject):
    """Moves a scroll bar for the program, and tells the person's moves from these."""

    changed = Signal(bool)
    # True when text came below while the person looks at something else.
    below_changed = Signal(bool)
    moved = Signal()

    def __init__(self, bar: QScrollBar, parent: QObject) -> None:
        super().__init__(parent)
        self._bar = bar
        self._own = 0
        self._last = bar.value()
        self.following = True
        self.has_below = False
        # follow: the end is followed; question: what the person has asked stays at the top while
        # the answer grows; off: nothing moves by itself.
        self.mode = "follow"
        bar.valueChanged.connect(self._value_changed)

    @contextmanager
    def own_moves(self) -> Iterator[None]:
        """What the bar does inside is the program's doing."""
        self._own += 1
        try:
            yield
        finally:
            self._own -= 1
            self._last = self._bar.value()

    def hold(self) -> None:
        """The person looks at something: stay there."""
        self._set(False)

    def follow(self) -> None:
        """The person wants the end."""
        self._set(True)

    def grown(self) -> None:
        """Something came at the end."""
        self._set_below(not self.following)

    def _set_below(self, below: bool) -> None:
        if below != self.has_below:
            self.has_below = below
            self.below_changed.emit(below)

    def _value_changed(self, value: int) -> None:
        before, self._last = self._last, value
        if not self._own:
            if value < before:
                self._set(False)
            elif self.mode == "follow" and self._bar.maximum() - value <= NEAR_END:
                self._set(True)
            self.moved.emit()

    def _set(self, following: bool) -> None:
        if following:
            self._set_below(False)
        if following != self.following:
            self.following = following
            self.changed.emit(following)
