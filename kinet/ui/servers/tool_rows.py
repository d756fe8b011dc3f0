"""The tools of a server as rows of a list: what each says of itself, its weight, and whether it is
offered. Any number of them costs no more than the few that are seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from kinet.ui.kit.figures import tokens_words
from kinet.ui.kit.row_ground import draw_ground
from kinet.ui.kit.switch import draw_switch
from kinet.ui.kit.visible_text import spell_out
from kinet.ui.look.theme import current_theme

Index = QModelIndex | QPersistentModelIndex
_SWITCH = QSize(36, 20)
_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_CHECKED = Qt.CheckState.Checked


@dataclass(frozen=True, slots=True)
class ToolItem:
    """One tool. `name` is the server's word for it, `tokens` its weight in each request.

    `problem` says why it is not offered although it is on, "" if it is.
    """

    name: str
    description: str
    tokens: int
    on: bool = True
    problem: str = ""

    @property
    def offered(self) -> bool:
        """True if the model is told of it."""
        return self.on and not self.problem

    @property
    def shown_name(self) -> str:
        """The name with nothing hidden in it."""
        return spell_out(self.name).text

    @property
    def line(self) -> str:
        """The description on one line, or why it is not offered."""
        if self.problem:
            return " ".join(spell_out(self.problem).text.split())
        return " ".join(spell_out(self.description[:2_000]).text.split())


class ToolRows(QAbstractListModel):
    """Tools that can be switched; `switched` tells what the person did, and nothing else changes
    them."""

    switched = Signal(str, bool)

    ITEM = Qt.ItemDataRole.UserRole + 1

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: tuple[ToolItem, ...] = ()
        self._shown: list[ToolItem] = []
        self._words = ""

    @property
    def tools(self) -> tuple[ToolItem, ...]:
        """All of them, whatever the filter hides."""
        return self._all

    def set_tools(self, tools: Sequence[ToolItem]) -> None:
        """Shows these; where the same ones stay, the place in the list does too."""
        tools = tuple(tools)
        if tools == self._all:
            return
        same = [tool.name for tool in tools] == [tool.name for tool in self._all]
        self._all = tools
        if not same:
            self._rebuild()
            return
        known = {tool.name: tool for tool in tools}
        self._shown = [known[tool.name] for tool in self._shown]
        if self._shown:
            self.dataChanged.emit(self.index(0), self.index(len(self._shown) - 1))

    def set_filter(self, words: str) -> None:
        """Shows those whose name or description holds all the words."""
        if words != self._words:
            self._words = words
            self._rebuild()

    def tool(self, row: int) -> ToolItem | None:
        """The tool in this row, or None."""
        return self._shown[row] if 0 <= row < len(self._shown) else None

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        item = self._shown[index.row()]
        match role:
            case self.ITEM:
                return item
            case Qt.ItemDataRole.DisplayRole:
                return item.shown_name
            case Qt.ItemDataRole.CheckStateRole:
                return _CHECKED if item.on else Qt.CheckState.Unchecked
            case Qt.ItemDataRole.AccessibleTextRole:
                state = "off" if not item.on else "not offered" if item.problem else "on"
                return f"{item.shown_name}, {state}, {_weight(item)}"
            case Qt.ItemDataRole.AccessibleDescriptionRole:
                return item.line
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Asks for a switch; the row shows at once what was asked for."""
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid():
            return False
        on = Qt.CheckState(value) == _CHECKED
        item = replace(self._shown[index.row()], on=on)
        self._shown[index.row()] = item
        self._all = tuple(item if old.name == item.name else old for old in self._all)
        self.dataChanged.emit(index, index)
        self.switched.emit(item.name, on)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        flag = Qt.ItemFlag
        return flag.ItemIsEnabled | flag.ItemIsSelectable | flag.ItemIsUserCheckable

    def _rebuild(self) -> None:
        words = self._words.casefold().split()
        self.beginResetModel()
        self._shown = [
            tool
            for tool in self._all
            if all(word in f"{tool.name} {tool.description}".casefold() for word in words)
        ]
        self.endResetModel()


class ToolDelegate(QStyledItemDelegate):
    """Name and weight on one line, the description under it, a switch at the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, row_height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        item = index.data(ToolRows.ITEM)
        theme = current_theme()
        rect: QRect = option.rect
        painter.save()
        flag = QStyle.StateFlag
        ring = flag.State_Selected | flag.State_HasFocus
        draw_ground(painter, option.state, rect.adjusted(4, 1, -4, -1), ring=ring)
        switch = switch_rect(rect)
        draw_switch(painter, QRectF(switch), item.on)
        room = rect.adjusted(12, 6, switch.left() - rect.right() - 12, -6)
        top = QRect(room.left(), room.top(), room.width(), theme.line_height("ui"))
        meta = theme.font("meta", digits=True)
        weight = _weight(item)
        wide = QFontMetrics(meta).horizontalAdvance(weight)
        painter.setFont(meta)
        painter.setPen(theme.qcolor("text_3"))
        painter.drawText(top, _MIDDLE | Qt.AlignmentFlag.AlignRight, weight)
        elide = Qt.TextElideMode.ElideRight
        name_font = theme.font("ui", bold=True)
        name = QFontMetrics(name_font).elidedText(item.shown_name, elide, top.width() - wide - 12)
        painter.setFont(name_font)
        painter.setPen(theme.qcolor("text" if item.offered else "text_3"))
        painter.drawText(top, _MIDDLE | Qt.AlignmentFlag.AlignLeft, name)
        below = QRect(room.left(), top.bottom() + 1, room.width(), theme.line_height("meta"))
        painter.setFont(meta)
        quiet = "text_2" if item.on else "text_3"
        painter.setPen(theme.qcolor("warning" if item.problem else quiet))
        words = item.line or "It says nothing about itself."
        words = QFontMetrics(meta).elidedText(words, elide, below.width())
        painter.drawText(below, _MIDDLE | Qt.AlignmentFlag.AlignLeft, words)
        painter.restore()

    def editorEvent(
        self,
        event: QEvent,
        model: QAbstractItemModel,
        option: QStyleOptionViewItem,
        index: Index,
    ) -> bool:
        """A click on the switch, or the space bar, turns it."""
        kind = QEvent.Type
        rect: QRect = option.rect
        if event.type() == kind.MouseButtonRelease and isinstance(event, QMouseEvent):
            inside = switch_rect(rect).adjusted(-8, -8, 8, 8).contains(event.position().toPoint())
            return inside and event.button() == Qt.MouseButton.LeftButton and _turn(model, index)
        if event.type() == kind.KeyPress and isinstance(event, QKeyEvent):
            keys = (Qt.Key.Key_Space, Qt.Key.Key_Select)
            return event.key() in keys and not event.isAutoRepeat() and _turn(model, index)
        return event.type() == kind.MouseButtonDblClick


def row_height() -> int:
    """The height of each row at the size of the words now."""
    theme = current_theme()
    return theme.line_height("ui") + theme.line_height("meta") + 12


def switch_rect(row: QRect) -> QRect:
    """Where the switch of a row is."""
    top = row.top() + (row.height() - _SWITCH.height()) // 2
    return QRect(row.right() - 11 - _SWITCH.width(), top, _SWITCH.width(), _SWITCH.height())


def _turn(model: QAbstractItemModel, index: Index) -> bool:
    on = index.data(Qt.ItemDataRole.CheckStateRole) == _CHECKED
    wanted = Qt.CheckState.Unchecked if on else _CHECKED
    return model.setData(index, wanted, Qt.ItemDataRole.CheckStateRole)


def _weight(item: ToolItem) -> str:
    return f"{tokens_words(item.tokens)} tokens"
