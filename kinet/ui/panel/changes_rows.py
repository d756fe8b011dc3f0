"""Draws a row of the list of changed files: letter, name, and counts in columns of their own."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from kinet.ui.kit.row_ground import draw_ring
from kinet.ui.look.theme import current_theme

ROW = 28
_TOKENS = {"A": "success", "M": "warning", "D": "danger"}
_NUMBER = 52
_SIDE = 16
Index = QModelIndex | QPersistentModelIndex


class ChangesDelegate(QStyledItemDelegate):
    """Each item's user data is (letter, name, added, removed, undone)."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        letter, name, added, removed, undone = index.data(Qt.ItemDataRole.UserRole)
        theme = current_theme()
        rect: QRect = option.rect
        state = option.state
        painter.save()
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, theme.qcolor("selected"))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, theme.qcolor("hover"))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(theme.font("ui", bold=True))
        painter.setPen(theme.qcolor("text_3" if undone else _TOKENS.get(letter, "text")))
        painter.drawText(QRect(rect.left() + _SIDE, rect.top(), 16, ROW), middle, letter)
        right = rect.right() - _SIDE
        painter.setFont(theme.font("ui", digits=True))
        if undone:
            width = QFontMetrics(painter.font()).horizontalAdvance("put back") + 4
            painter.setPen(theme.qcolor("text_3"))
            box = QRect(right - width, rect.top(), width, ROW)
            painter.drawText(box, middle | Qt.AlignmentFlag.AlignRight, "put back")
            right -= width
        else:
            for number, sign, token in ((removed, "−", "danger"), (added, "+", "success")):
                box = QRect(right - _NUMBER, rect.top(), _NUMBER, ROW)
                painter.setPen(theme.qcolor(token))
                words = f"{sign}{number:,}" if number else ""
                painter.drawText(box, middle | Qt.AlignmentFlag.AlignRight, words)
                right -= _NUMBER
        left = rect.left() + _SIDE + 24
        painter.setPen(theme.qcolor("text_3" if undone else "text"))
        metrics = QFontMetrics(painter.font())
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, right - left - 8)
        painter.drawText(QRect(left, rect.top(), right - left, ROW), middle, shown)
        draw_ring(painter, state, rect.adjusted(2, 0, -2, 0))
        painter.restore()
