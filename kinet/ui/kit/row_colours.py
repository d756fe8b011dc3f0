"""Colours the words of rows that come into view, once each.

Marks laid over the text would do the same, but Qt measures every row above each of them again with
every scroll: a screen of a colourful log took a third of a second.
"""

from __future__ import annotations

from PySide6.QtGui import QColor, QFont, QTextBlock, QTextCharFormat, QTextLayout

from kinet.ui.kit.readable import readable
from kinet.ui.kit.rows import Row, Run
from kinet.ui.look.theme import Theme


class RowColours:
    """Which rows have their colours already. A run on a token's ground is none of its."""

    def __init__(self, surface: str = "code") -> None:
        self._surface = surface
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
            if run.ground and not is_own(run.ground):
                continue
            piece = QTextLayout.FormatRange()
            piece.start = units(row.text[: run.start])
            piece.length = units(row.text[run.start : run.start + run.length])
            piece.format = self._look(run, theme)
            pieces.append(piece)
        layout = block.layout()
        layout.setFormats(pieces)
        # Its line is made anew when it is measured the next time.
        layout.clearLayout()

    def _look(self, run: Run, theme: Theme) -> QTextCharFormat:
        look = QTextCharFormat()
        surface = theme.color(self._surface)
        ground = _of_program(theme, run.ground, surface) if run.ground else surface
        if is_own(run.token):
            look.setForeground(QColor(readable(_of_program(theme, run.token, surface), ground)))
        elif colour := color_of(theme, run.token):
            look.setForeground(colour)
        if run.ground:
            look.setBackground(QColor(ground))
        if "b" in run.form:
            look.setFontWeight(QFont.Weight.DemiBold)
        look.setFontItalic("i" in run.form)
        look.setFontUnderline("u" in run.form)
        look.setFontStrikeOut("s" in run.form)
        return look


def is_own(colour: str) -> bool:
    """True for a colour that a program chose, and not a token of the theme."""
    return colour[:1] in ("#", "@")


def _of_program(theme: Theme, colour: str, surface: str) -> str:
    if colour == "@surface":
        return surface
    return theme.color("text") if colour == "@text" else colour


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


def characters(text: str, count: int) -> int:
    """How many characters so many of those units are."""
    if text.isascii():
        return count
    wide = text.encode("utf-16-le", "surrogatepass")[: 2 * count]
    return len(wide.decode("utf-16-le", "replace"))
