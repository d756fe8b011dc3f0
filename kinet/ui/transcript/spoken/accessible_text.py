"""What a screen reader can do inside one part: read it by letters, press what it offers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QAccessibleActionInterface, QAccessibleTextInterface

from kinet.ui.transcript.blocks.words import units
from kinet.ui.transcript.entries.entry import Hit


class SpokenWords(QAccessibleTextInterface):
    """The words of a message or of a part of it; places are counted in UTF-16 units."""

    def __init__(self, words: Callable[[], str], rect: Callable[[], QRect]) -> None:
        super().__init__()
        self._words, self._rect = words, rect
        self._cursor = 0

    def text(self, start: int, end: int) -> str:
        """The words between two places."""
        return units(self._words(), max(0, start), max(0, end))

    def characterCount(self) -> int:
        """How many places there are."""
        words = self._words()
        return len(words) + sum(letter > "\uffff" for letter in words)

    def cursorPosition(self) -> int:
        """Where the reader is; nobody else has a caret here."""
        return min(self._cursor, self.characterCount())

    def setCursorPosition(self, position: int) -> None:
        """The reader goes on."""
        self._cursor = max(0, position)

    def characterRect(self, offset: int) -> QRect:
        """The part as a whole: letters are drawn, they have no places of their own."""
        return self._rect()

    def offsetAtPoint(self, point: QPoint) -> int:
        """The beginning, where the part is at the point."""
        return 0 if self._rect().contains(point) else -1

    def scrollToSubstring(self, start: int, end: int) -> None:
        """Parts are scrolled to as a whole, by their rectangle."""

    def selectionCount(self) -> int:
        """A reader selects nothing here."""
        return 0

    def addSelection(self, start: int, end: int) -> None:
        """A reader selects nothing here."""

    def removeSelection(self, index: int) -> None:
        """A reader selects nothing here."""

    def setSelection(self, index: int, start: int, end: int) -> None:
        """A reader selects nothing here."""


class Offers(QAccessibleActionInterface):
    """What can be pressed, by the words of its tooltip."""

    def __init__(self, hits: Callable[[], Sequence[Hit]], press: Callable[[Hit], None]) -> None:
        super().__init__()
        self._hits, self._press = hits, press

    def actionNames(self) -> list[str]:
        """The words, in reading order; the first one is what Enter would do."""
        return list(self._named())

    def doAction(self, name: str) -> None:
        """Presses it; nothing happens if it is not offered any more."""
        hit = self._named().get(name)
        if hit is not None:
            self._press(hit)

    def keyBindingsForAction(self, name: str) -> list[str]:
        """They are reached by Tab."""
        return []

    def _named(self) -> dict[str, Hit]:
        named: dict[str, Hit] = {}
        for hit in self._hits():
            named.setdefault(spoken_act(hit), hit)
        return named


def spoken_act(hit: Hit) -> str:
    """What a hit does, in words; the bare action where nobody gave it any."""
    return hit.name or hit.tip or _WORDS.get(hit.action, hit.action)


_WORDS = {
    "fold": "Open or fold",
    "unfold": "Show or fold all lines",
    "wrap": "Wrap lines",
    "copy-code": "Copy code",
    "step": "Show the step",
    "link": "Open link",
    "retry": "Ask again",
}
