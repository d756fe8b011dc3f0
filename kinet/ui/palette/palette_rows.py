"""The rows of the command palette, and the foot that tells its keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from PySide6.QtCore import QObject, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from kinet.ui.kit.controls import draw_icon, key_hint
from kinet.ui.kit.marked_text import draw_marked
from kinet.ui.kit.row_ground import draw_ground, is_chosen
from kinet.ui.look.theme import current_theme
from kinet.ui.sessions.session_list import Index

ROW, GROUP = 32, 28
ENTRY = Qt.ItemDataRole.UserRole
_MIDDLE = Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that can be chosen. `detail` is quiet text behind the title, `right` stands at the
    right edge; `keys` is a shortcut and stands there too."""

    group: str
    title: str
    act: Callable[[], object]
    icon: str = ""
    detail: str = ""
    keys: str = ""
    right: str = ""


class Rows(QStyledItemDelegate):
    """Group heads of 28, rows of 32: icon, title, quiet detail, key or figure at the right."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.words: tuple[str, ...] = ()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        if index.data(ENTRY) is not None:
            return QSize(0, ROW)
        return QSize(0, GROUP if index.row() == 0 else GROUP + 8)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = current_theme()
        rect: QRect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        entry = index.data(ENTRY)
        if not isinstance(entry, Entry):
            painter.setFont(theme.font("meta", bold=True))
            painter.setPen(theme.qcolor("text_2"))
            area = rect.adjusted(20, rect.height() - GROUP, 0, 0)
            painter.drawText(area, _MIDDLE | Qt.AlignmentFlag.AlignLeft, str(index.data()))
            painter.restore()
            return
        chosen = is_chosen(option.state)
        draw_ground(painter, option.state, rect.adjusted(8, 0, -8, 0))
        place = QPoint(rect.left() + 28, rect.center().y() + 1)
        draw_icon(painter, entry.icon or "chevron-right", "accent" if chosen else "text_2", place)
        self._paint_words(painter, rect.adjusted(48, 0, -20, 0), entry)
        painter.restore()

    def _paint_words(self, painter: QPainter, rect: QRect, entry: Entry) -> None:
        theme = current_theme()
        meta = theme.font("meta", digits=True)
        right = key_hint(entry.keys) if entry.keys else entry.right
        painter.setFont(meta)
        painter.setPen(theme.qcolor("text_3"))
        painter.drawText(rect, _MIDDLE | Qt.AlignmentFlag.AlignRight, right)
        taken = QFontMetrics(meta).horizontalAdvance(right) + 12 if right else 0
        room = rect.adjusted(0, 0, -taken, 0)
        left = draw_marked(painter, room, entry.title, self.words, font=theme.font("ui"))
        beside = room.adjusted(left + 12, 0, 0, 0)
        if beside.width() > 24:
            draw_marked(
                painter, beside, entry.detail, self.words, font=meta, token="text_3",
                mode=Qt.TextElideMode.ElideMiddle,
            )  # fmt: skip


class Foot(QWidget):
    """What the keys do, each key in a small frame."""

    HEIGHT: ClassVar[int] = 40
    _KEYS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("↑", ""), ("↓", "choose"), ("Enter", "run"), ("Tab", "only this group"),
    )  # fmt: skip

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedHeight(self.HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(current_theme().font("meta"))
        metrics = QFontMetrics(painter.font())
        width = metrics.horizontalAdvance("Esc") + 12 + 8 + metrics.horizontalAdvance("close")
        left, right = 20, self.width() - 20 - width
        for key, words in self._KEYS:
            end = left + metrics.horizontalAdvance(key) + 20 + metrics.horizontalAdvance(words)
            if end + 16 > right:
                # Larger words leave room for the first keys alone.
                break
            left = self._draw(painter, left, key, words)
        self._draw(painter, right, "Esc", "close")

    def _draw(self, painter: QPainter, left: int, key: str, words: str) -> int:
        """Draws one key and its words; where the next one begins."""
        theme = current_theme()
        metrics = QFontMetrics(painter.font())
        high = max(19, metrics.height() + 2)
        frame = QRectF(
            left + 0.5, (self.HEIGHT - high) / 2, metrics.horizontalAdvance(key) + 11, high
        )
        painter.setPen(theme.qcolor("dialog_border"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(frame, 4, 4)
        painter.setPen(theme.qcolor("text_2"))
        painter.drawText(frame, Qt.AlignmentFlag.AlignCenter, key)
        right = left + int(frame.width()) + 8
        if not words:
            return right
        painter.setPen(theme.qcolor("text_3"))
        area = QRect(right, 0, metrics.horizontalAdvance(words) + 2, self.HEIGHT)
        painter.drawText(area, _MIDDLE | Qt.AlignmentFlag.AlignLeft, words)
        return right + metrics.horizontalAdvance(words) + 16
