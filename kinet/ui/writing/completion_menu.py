"""The list above the composer that completes what is typed; the caret stays in the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from kinet.ui.kit.controls import draw_icon
from kinet.ui.kit.marked_text import draw_marked
from kinet.ui.kit.row_ground import draw_ground, is_chosen
from kinet.ui.look.theme import current_theme
from kinet.ui.sessions.session_list import Index

ROW, MOST_ROWS, WIDTH = 28, 8, 520
_CHOICE = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class Completion:
    """One row: what is shown, quiet words behind it, and what it stands for."""

    title: str
    detail: str = ""
    icon: str = ""
    value: Any = None


class CompletionMenu(QFrame):
    """Over `composer_box`, in `parent`. While it is open it takes the keys that choose.

    `chosen` carries the completion and whether it is to be used at once (Enter, a click) or only
    written out (Tab).
    """

    chosen = Signal(object, bool)
    dismissed = Signal()

    def __init__(self, parent: QWidget, composer_box: QWidget, edit: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("completionMenu")
        self._box, self._edit = composer_box, edit
        self.words: tuple[str, ...] = ()
        self.list = QListWidget(self)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setItemDelegate(_Rows(self))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setAccessibleName("Completions")
        self.list.setUniformItemSizes(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 5, 1, 5)
        column.addWidget(self.list)
        self.list.itemClicked.connect(lambda item: self._choose(item, at_once=True))
        edit.installEventFilter(self)
        composer_box.installEventFilter(self)
        self.hide()

    @property
    def is_open(self) -> bool:
        """True while there is something to choose from."""
        return not self.isHidden()

    def titles(self) -> list[str]:
        """What is offered, in order."""
        return [self.list.item(row).text() for row in range(self.list.count())]

    def show_completions(self, items: Sequence[Completion], words: Sequence[str] = ()) -> None:
        """Offers these, with `words` set off; nothing closes the menu."""
        self.words = tuple(words)
        self.list.clear()
        for item in items:
            row = QListWidgetItem(item.title)
            row.setData(_CHOICE, item)
            row.setData(Qt.ItemDataRole.AccessibleTextRole, f"{item.title}, {item.detail}")
            self.list.addItem(row)
        if not items:
            self.hide()
            return
        self.list.setCurrentRow(0)
        self.place()
        self.show()
        self.raise_()

    def place(self) -> None:
        """Stands above the composer, at its left edge."""
        parent = self.parentWidget()
        if parent is None:
            return
        corner = self._box.mapTo(parent, QPoint(0, 0))
        rows = min(MOST_ROWS, self.list.count())
        height = min(rows * ROW + 12, max(ROW + 12, corner.y() - 8))
        width = min(WIDTH, self._box.width())
        self.setGeometry(corner.x(), corner.y() - height - 4, width, height)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not self.is_open:
            return False
        if watched is self._box and event.type() in (QEvent.Type.Move, QEvent.Type.Resize):
            self.place()
        elif watched is self._edit:
            if event.type() == QEvent.Type.FocusOut:
                self.hide()
            elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
                return self._key(event)
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.qcolor("dialog_border"))
        painter.setBrush(theme.qcolor("raised"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)

    def _key(self, event: QKeyEvent) -> bool:
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        match event.key():
            case Qt.Key.Key_Down:
                self._step(1)
            case Qt.Key.Key_Up:
                self._step(-1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._choose(self.list.currentItem(), at_once=True)
            case Qt.Key.Key_Tab:
                self._choose(self.list.currentItem(), at_once=False)
            case Qt.Key.Key_Escape:
                self.hide()
                self.dismissed.emit()
            case _:
                return False
        return True

    def _step(self, by: int) -> None:
        self.list.setCurrentRow((self.list.currentRow() + by) % self.list.count())

    def _choose(self, item: QListWidgetItem | None, *, at_once: bool) -> None:
        choice = item.data(_CHOICE) if item is not None else None
        self.hide()
        if isinstance(choice, Completion):
            self.chosen.emit(choice, at_once)


class _Rows(QStyledItemDelegate):
    """Rows of 28: icon, name, quiet words."""

    def __init__(self, menu: CompletionMenu) -> None:
        super().__init__(menu)
        self._menu = menu

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        choice = index.data(_CHOICE)
        if not isinstance(choice, Completion):
            return
        theme = current_theme()
        rect: QRect = option.rect
        selected = is_chosen(option.state)
        painter.save()
        draw_ground(painter, option.state, rect.adjusted(5, 0, -5, 0), radius=4)
        place = QPoint(rect.left() + 23, rect.center().y() + 1)
        draw_icon(
            painter, choice.icon or "chevron-right", "accent" if selected else "text_2", place
        )
        room = rect.adjusted(39, 0, -16, 0)
        taken = draw_marked(
            painter,
            room,
            choice.title,
            self._menu.words,
            font=theme.font("ui"),
            mode=Qt.TextElideMode.ElideMiddle,
        )
        draw_marked(
            painter, room.adjusted(taken + 12, 0, 0, 0), choice.detail, (),
            font=theme.font("meta"), token="text_3",
        )  # fmt: skip
        painter.restore()
