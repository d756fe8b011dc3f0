"""Colours the words of rows that come into view, once each.

Marks laid over the text would do the same, but Qt measures every row above each of them again with
every scroll: a screen of a colourful log took a third of a second.
"""

from __future__ import annotations

from PySide6.QtGui import QColor, QTextBlock, QTextCharFormat, QTextLayout

from kinet.ui.kit.rows import Row
from kinet.ui.look.theme import Theme


class RowColours:
    """Which rows have their colours already. A run with a ground of its own is none of its."""

    def __init__(self) -> None:
        self._done: set[int] = set()

    def forget(self, first: int = 0) -> None:
        """The rows from `first` on are others now, or look otherwise."""
        self._done = {number for number in self._done if number < first} if first else set()

    def give(self, block: QTextBlock, row: Row, theme: Theme) -> None:
        """Colours a row, unless it has its colours."""
        number = block.blockNumber()
        if number in self._done:
            return
        self._done.add(number)
        # A row that took the place of another may have that one's colours.
        if not row.runs and not block.layout().formats():
            return
        pieces: list[QTextLayout.FormatRange] = []
        for run in row.runs:
            colour = color_of(theme, run.token) if not run.ground else None
            if colour is None:
                continue
            piece = QTextLayout.FormatRange()
            piece.start = units(row.text[: run.start])
            piece.length = units(row.text[run.start : run.start + run.length])
            look = QTextCharFormat()
            look.setForeground(colour)
            piece.format = look
            pieces.append(piece)
        layout = block.layout()
        layout.setFormats(pieces)
        # Its line is made anew when it is measured the next time.
        layout.clearLayout()


def color_of(theme: Theme, token: str) -> QColor | None:
    """The colour of a run: a token of the theme, of its code colours or of its charts."""
    if not token:
        return None
    if token == "cyan":
        return QColor(theme.chart[1])
    if token == "magenta":
        return QColor(theme.syntax["keyword"])
    return QColor(theme.syntax[token]) if token in theme.syntax else theme.qcolor(token)


def units(text: str) -> int:
    """Length in the units a text document counts in."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
