"""The command palette: sessions, commands and models by a few letters of their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from kinet.ui.controls import Line, draw_icon, key_hint
from kinet.ui.session_list import Index
from kinet.ui.theme import current_theme

WIDTH, TOP = 600, 88
ROW, GROUP = 32, 28
# Rows of one group that are shown at most: the next letter narrows them.
MOST_OF_A_GROUP = 6
_ENTRY = Qt.ItemDataRole.UserRole


@dataclass(frozen=True)
class Entry:
    """Something that can be chosen. `detail` is quiet text, `keys` its shortcut."""

    group: str
    title: str
    act: Callable[[], object]
    icon: str = ""
    detail: str = ""
    keys: str = ""


class Palette(QWidget):
    """Covers the window with a scrim; a click beside the list or Esc closes it."""

    closed = Signal()

    def __init__(self, parent: QWidget, entries: Sequence[Entry]) -> None:
        super().__init__(parent)
        self.setObjectName("commandPalette")
        self._entries = tuple(entries)
        self._box = QFrame(self)
        self.field = QLineEdit(self._box)
        self.list = QListWidget(self._box)
        self._build()
        self.field.textChanged.connect(self._fill)
        self.field.installEventFilter(self)
        self.list.itemClicked.connect(self._choose)
        parent.installEventFilter(self)
        self._fill("")
        self._place()
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def close_palette(self) -> None:
        """Takes it away; the focus is its owner's matter."""
        self.hide()
        self.closed.emit()
        self.deleteLater()

    def titles(self) -> list[str]:
        """What is offered now, in order."""
        return [entry.title for entry in self._shown() if entry is not None]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.parent() and event.type() == QEvent.Type.Resize:
            self._place()
        if watched is self.field and isinstance(event, QKeyEvent):
            return event.type() == QEvent.Type.KeyPress and self._key(event)
        return False

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.close_palette()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.color("scrim")))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.qcolor("dialog_border"))
        painter.setBrush(theme.qcolor("raised"))
        painter.drawRoundedRect(self._box.geometry().adjusted(-1, -1, 0, 0), 12, 12)
        left = self._box.geometry().topLeft()
        draw_icon(painter, "search", "text_2", left + QPoint(28, 26))

    def _build(self) -> None:
        self.field.setPlaceholderText("Sessions, commands, models")
        self.field.setAccessibleName("Command palette")
        self.field.setStyleSheet("QLineEdit { border: 0; background: transparent; padding: 0; }")
        self.list.setItemDelegate(_Rows(self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setAccessibleName("Results")
        column = QVBoxLayout(self._box)
        column.setContentsMargins(0, 10, 0, 8)
        column.setSpacing(0)
        row = QVBoxLayout()
        row.setContentsMargins(48, 0, 20, 10)
        row.addWidget(self.field)
        column.addLayout(row)
        column.addWidget(Line(self._box))
        column.addSpacing(8)
        column.addWidget(self.list)

    def _place(self) -> None:
        parent = self.parentWidget()
        if parent is None:
            return
        self.setGeometry(parent.rect())
        width = min(WIDTH, self.width() - 48)
        wanted = 79 + sum(self.list.sizeHintForRow(row) for row in range(self.list.count()))
        height = min(max(120, wanted), self.height() - 2 * TOP)
        self._box.setGeometry((self.width() - width) // 2, TOP, width, height)
        self.update()

    def _fill(self, text: str) -> None:
        words = text.casefold().split()
        self.list.clear()
        for group in dict.fromkeys(entry.group for entry in self._entries):
            found = [e for e in self._entries if e.group == group and _fits(e, words)]
            if not found:
                continue
            head = QListWidgetItem(group)
            head.setFlags(Qt.ItemFlag.NoItemFlags)
            self.list.addItem(head)
            for entry in found[:MOST_OF_A_GROUP]:
                item = QListWidgetItem(entry.title)
                item.setData(_ENTRY, entry)
                self.list.addItem(item)
        self._step(0)
        self._place()

    def _shown(self) -> Iterable[Entry | None]:
        return (self.list.item(row).data(_ENTRY) for row in range(self.list.count()))

    def _step(self, by: int) -> None:
        """Marks the next row that can be chosen; 0 marks the first one."""
        rows = [row for row, entry in enumerate(self._shown()) if entry is not None]
        if not rows:
            return
        current = self.list.currentRow()
        place = rows.index(current) + by if by and current in rows else 0
        self.list.setCurrentRow(rows[place % len(rows)])

    def _key(self, event: QKeyEvent) -> bool:
        match event.key():
            case Qt.Key.Key_Down:
                self._step(1)
            case Qt.Key.Key_Up:
                self._step(-1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._choose(self.list.currentItem())
            case Qt.Key.Key_Escape:
                self.close_palette()
            case _:
                return False
        return True

    def _choose(self, item: QListWidgetItem | None) -> None:
        entry = item.data(_ENTRY) if item is not None else None
        if isinstance(entry, Entry):
            self.close_palette()
            entry.act()


class _Rows(QStyledItemDelegate):
    """Group heads of 28, rows of 32: icon, title, quiet detail, key at the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, ROW if index.data(_ENTRY) is not None else GROUP)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = current_theme()
        rect: QRect = option.rect
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        entry = index.data(_ENTRY)
        if not isinstance(entry, Entry):
            painter.setFont(theme.font("meta", bold=True))
            painter.setPen(theme.qcolor("text_2"))
            painter.drawText(rect.adjusted(20, 0, 0, 0), middle, str(index.data()))
            painter.restore()
            return
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.qcolor("selected"))
            painter.drawRoundedRect(rect.adjusted(8, 0, -8, 0), 6, 6)
        icon_place = QPoint(rect.left() + 28, rect.center().y() + 1)
        draw_icon(
            painter, entry.icon or "chevron-right", "accent" if chosen else "text_2", icon_place
        )
        _paint_words(painter, rect.adjusted(48, 0, -20, 0), entry)
        painter.restore()


def _paint_words(painter: QPainter, rect: QRect, entry: Entry) -> None:
    theme = current_theme()
    middle = Qt.AlignmentFlag.AlignVCenter
    font = theme.font("ui")
    metrics = QFontMetrics(font)
    painter.setFont(font)
    painter.setPen(theme.qcolor("text"))
    title = metrics.elidedText(entry.title, Qt.TextElideMode.ElideRight, rect.width() - 140)
    painter.drawText(rect, middle | Qt.AlignmentFlag.AlignLeft, title)
    painter.setFont(theme.font("meta"))
    painter.setPen(theme.qcolor("text_3"))
    beside = rect.adjusted(metrics.horizontalAdvance(title) + 12, 0, -100, 0)
    detail = QFontMetrics(painter.font()).elidedText(
        entry.detail, Qt.TextElideMode.ElideMiddle, max(0, beside.width())
    )
    painter.drawText(beside, middle | Qt.AlignmentFlag.AlignLeft, detail)
    if entry.keys:
        painter.drawText(rect, middle | Qt.AlignmentFlag.AlignRight, key_hint(entry.keys))


def _fits(entry: Entry, words: Sequence[str]) -> bool:
    text = f"{entry.title} {entry.detail}".casefold()
    return all(word in text for word in words)
