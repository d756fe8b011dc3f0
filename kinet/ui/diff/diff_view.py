"""Draws a diff: line numbers, signs, grounds of added and removed rows, marked words."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from kinet.ui.diff.diff_colours import with_colours
from kinet.ui.diff.diff_rows import DiffText, read_diff
from kinet.ui.kit.row_view import RowView
from kinet.ui.kit.rows import Row

_GROUNDS = {"add": "diff_add", "del": "diff_del", "head": "subtle", "file": "subtle"}
_SIGNS = {"add": "+", "del": "-"}


class DiffView(RowView):
    """A unified diff in one column. Numbers and signs are drawn, never selected or copied."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._digits = 2
        super().__init__(parent)
        self.document().setDocumentMargin(0)
        self.setAccessibleName("Changes")
        self.diff = DiffText(())

    def show_diff(self, diff: str, *, heads: bool = True) -> DiffText:
        """Shows it, and gives what was read; the heads of hunks may be left out."""
        self.diff = read_diff(diff)
        if not heads:
            rows = tuple(row for row in self.diff.rows if row.kind != "head")
            self.diff = replace(self.diff, rows=rows)
        highest = max((max(row.old, row.new) for row in self.diff.rows), default=0)
        self._digits = max(2, len(str(highest)))
        self.row_layout.indent = float(self.gutter())
        self.show_rows(with_colours(self.diff.rows, self.diff.file_name))
        return self.diff

    def _restyle(self) -> None:
        super()._restyle()
        self.row_layout.indent = float(self.gutter())

    def gutter(self) -> int:
        """Width of numbers and signs in pixels."""
        digit = self.fontMetrics().horizontalAdvance("0")
        return 16 + digit * self._digits + 12 + digit + 8

    def content_height(self) -> int:
        """Height of all rows in pixels."""
        row_height = self.row_layout.row_height
        # One more, or the editor takes the last row for cut off and shows a scroll bar.
        return sum(row.height or row_height for row in self.rows) + 1

    def draw_ground(self, painter: QPainter, row: Row, rect: QRect) -> None:
        """The colour of the row."""
        if ground := _GROUNDS.get(row.kind):
            painter.fillRect(rect, self.theme.qcolor(ground))
        if row.kind in ("head", "file"):
            painter.fillRect(QRect(0, rect.bottom(), rect.width(), 1), self.theme.qcolor("border"))

    def draw_margin(self, painter: QPainter, row: Row, rect: QRect) -> None:
        """Number and sign, over whatever was scrolled beneath them."""
        align = Qt.AlignmentFlag.AlignVCenter
        if row.height:
            painter.setFont(self.theme.font("meta", bold=row.kind == "file"))
            painter.setPen(self.theme.qcolor("text" if row.kind == "file" else "text_2"))
            painter.drawText(rect.adjusted(16, 0, -16, 0), align, row.label)
            return
        if row.kind not in ("add", "del", "same"):
            return
        digit = self.fontMetrics().horizontalAdvance("0")
        line = QRect(rect.left(), rect.top(), rect.width(), self.row_layout.row_height)
        edge = QRect(rect.left(), rect.top(), self.gutter() - 4, rect.height())
        painter.fillRect(edge, self.theme.qcolor(_GROUNDS.get(row.kind, "code")))
        painter.setFont(self.font())
        painter.setPen(self.theme.qcolor("text_3"))
        numbers = QRect(line.left() + 16, line.top(), digit * self._digits, line.height())
        number = str(row.old if row.kind == "del" else row.new)
        painter.drawText(numbers, align | Qt.AlignmentFlag.AlignRight, number)
        if sign := _SIGNS.get(row.kind):
            painter.setPen(self.theme.qcolor("text_2"))
            signs = QRect(numbers.right() + 13, line.top(), digit + 4, line.height())
            painter.drawText(signs, align, sign)
