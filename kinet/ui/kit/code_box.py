"""A box with a whole command or text in it: broken at its edge, scrolled when long, never cut."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QWidget

from kinet.markup.highlight import highlight
from kinet.ui.kit.row_view import RowView
from kinet.ui.kit.rows import Row, Run
from kinet.ui.kit.visible_text import spell_out
from kinet.ui.look.theme import Theme

MOST_ROWS = 12
_BESIDE, _ABOVE = 12, 8
_SCROLL_BAR = 12
# A longer line is broken for display, so that laying it out stays quick.
_LONGEST = 2_000


class CodeBox(QFrame):
    """Shows `text` with what is hidden in it spelt out; `hidden` counts those characters."""

    def __init__(self, text: str, language: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("surface", "code")
        self.view = RowView(self, size="code")
        self.view.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.view.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.document().setDocumentMargin(0)
        self.view.row_layout.indent = 0.0
        self._language = language
        # The width it was laid out with, 0 before that.
        self._wide = 0
        # (width, most) → rows on screen.
        self._counted: dict[tuple[int, int], int] = {}
        self.hidden, self.text = 0, ""
        self.set_text(text)
        policy = self.sizePolicy()
        policy.setVerticalPolicy(QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_text(self, text: str) -> None:
        """Shows another text, from its beginning."""
        spelt = spell_out(text)
        self.hidden = len(spelt.marks)
        self.text = spelt.text
        self.view.show_rows(_rows(spelt.text, spelt.marks, self._language))
        self._counted.clear()
        self.updateGeometry()

    def hasHeightForWidth(self) -> bool:
        """The box is as high as its text, up to twelve rows."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Height in pixels for a width in pixels."""
        return self.row_count(width, MOST_ROWS) * self._row_height() + 2 * _ABOVE + 4

    def sizeHint(self) -> QSize:
        """What it would like at the width it has, at a usual one before it has any.

        A layout gives no more height than this: at less width the text needs more.
        """
        return QSize(480, self.heightForWidth(self._wide or 480))

    def minimumSizeHint(self) -> QSize:
        """One row of a few characters."""
        return QSize(120, self._row_height() + 2 * _ABOVE + 4)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keeps the rows inside the frame. A layout would hide `heightForWidth` from outside."""
        super().resizeEvent(event)
        if self.width() != self._wide:
            self._wide = self.width()
            self.updateGeometry()
        self.view.setGeometry(self.rect().adjusted(_BESIDE, _ABOVE + 1, -4, -_ABOVE - 1))

    def row_count(self, width: int, most: int) -> int:
        """Rows on screen at this width; counting stops above `most`."""
        known = self._counted.get((width, most))
        if known is None:
            # A layout asks for it again and again.
            known = self._counted[width, most] = self._count(width, most)
        return known

    def _count(self, width: int, most: int) -> int:
        available = max(40, width - _BESIDE - 4 - _SCROLL_BAR)
        count = 0
        for row in self.view.rows:
            count += self._rows_of(row.text, available, most)
            if count >= most:
                return most
        return max(1, count)

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        self.view.set_theme(theme)
        self._counted.clear()
        self.updateGeometry()

    def _row_height(self) -> int:
        return self.view.row_layout.row_height

    def _rows_of(self, text: str, width: int, most: int) -> int:
        if len(text) * self.view.fontMetrics().maxWidth() <= width:
            return 1
        layout = QTextLayout(text, self.view.document().defaultFont())
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAnywhere)
        option.setTabStopDistance(self.view.tabStopDistance())
        layout.setTextOption(option)
        layout.beginLayout()
        rows = 0
        while rows <= most and (line := layout.createLine()).isValid():
            line.setLineWidth(width)
            rows += 1
        layout.endLayout()
        return max(1, rows)


def _rows(text: str, marks: tuple[tuple[int, int], ...], language: str) -> list[Row]:
    """Rows with colours of code, and a ground under what was spelt out."""
    colours = highlight(text, language) if language else ()
    runs = [Run(start, length, colour) for start, length, colour in colours]
    runs += [Run(start, length, "danger", "danger_tint") for start, length in marks]
    rows: list[Row] = []
    place = 0
    for line in text.split("\n"):
        for start in range(0, max(1, len(line)), _LONGEST):
            part = line[start : start + _LONGEST]
            first = place + start
            inside = [
                _moved(run, first, first + len(part))
                for run in runs
                if run.start < first + len(part) and run.start + run.length > first
            ]
            rows.append(Row(part, tuple(inside), joined=start > 0))
        place += len(line) + 1
    return rows


def _moved(run: Run, first: int, last: int) -> Run:
    start, end = max(run.start, first), min(run.start + run.length, last)
    return Run(start - first, end - start, run.token, run.ground)
