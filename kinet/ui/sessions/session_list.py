"""The list of sessions: grouped by folder, one mark and one word a row, drawn by a delegate."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from kinet.ui.kit.controls import draw_icon
from kinet.ui.kit.row_ground import BY_KEY, draw_ground
from kinet.ui.look.theme import current_theme

ROW_HEIGHT = 32
GROUP_HEIGHT = 36  # 8 above, 28 for the line
NO_FOLDER = "No folder"

# state: (word in place of the time, icon, token of the icon)
_STATES: dict[str, tuple[str, str, str]] = {
    "running": ("Running", "running", "accent"),
    "waiting": ("Needs you", "alert", "warning"),
    "failed": ("Failed", "error", "danger"),
    "interrupted": ("Interrupted", "error", "danger"),
    "stopped": ("Stopped", "stop", "text_2"),
    "unread": ("New", "ring", "accent"),
    "draft": ("Draft", "edit", "text_2"),
}

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class SessionItem:
    """One session as the list shows it; `updated` is wall time.

    `state` is "", running, waiting, failed, stopped, unread or draft.
    """

    id: str
    title: str
    folder: str = ""
    updated: float = 0.0
    state: str = ""


@dataclass(frozen=True, slots=True)
class _Group:
    name: str
    folder: str
    count: int


class SessionModel(QAbstractListModel):
    """Sessions by folder, the folder used last first; within it the newest first."""

    renamed = Signal(str, str)  # id, title

    ID_ROLE = Qt.ItemDataRole.UserRole + 1
    ENTRY_ROLE = Qt.ItemDataRole.UserRole + 2

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: list[SessionItem] = []
        self._entries: list[SessionItem | _Group] = []
        self._filter = ""

    def set_items(self, items: Iterable[SessionItem]) -> None:
        """Shows these sessions instead."""
        self._items = sorted(items, key=lambda item: -item.updated)
        self._rebuild()

    def set_filter(self, text: str) -> None:
        """Shows only sessions whose title or folder holds every word of `text`."""
        words = text.casefold()
        if words != self._filter:
            self._filter = words
            self._rebuild()

    def update_item(self, item: SessionItem) -> None:
        """Changes one row in place; adds it if it is new."""
        known = next((old for old in self._items if old.id == item.id), None)
        self._items = [item if old.id == item.id else old for old in self._items]
        if known is None or known.folder != item.folder or known.updated > item.updated:
            self.set_items([*self._items, item] if known is None else self._items)
            return
        for row, entry in enumerate(self._entries):
            if isinstance(entry, SessionItem) and entry.id == item.id:
                self._entries[row] = item
                self.dataChanged.emit(self.index(row), self.index(row))

    def items(self) -> Sequence[SessionItem]:
        """All sessions, newest first, whatever the filter hides."""
        return tuple(self._items)

    def item(self, session_id: str) -> SessionItem | None:
        """The session of this id, or None."""
        return next((item for item in self._items if item.id == session_id), None)

    def shown_ids(self) -> list[str]:
        """Ids of the rows shown, from the top."""
        return [entry.id for entry in self._entries if isinstance(entry, SessionItem)]

    def row_of(self, session_id: str) -> int:
        """The row of a session, -1 if it is not shown."""
        for row, entry in enumerate(self._entries):
            if isinstance(entry, SessionItem) and entry.id == session_id:
                return row
        return -1

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self._entries[index.row()]
        if role == self.ENTRY_ROLE:
            return entry
        if isinstance(entry, _Group):
            if role == Qt.ItemDataRole.AccessibleTextRole:
                many = "1 session" if entry.count == 1 else f"{entry.count} sessions"
                return f"Folder {entry.name}, {many}"
            if role == Qt.ItemDataRole.ToolTipRole:
                return entry.folder or None
            return entry.name if role == Qt.ItemDataRole.DisplayRole else None
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return entry.title
            case Qt.ItemDataRole.ToolTipRole:
                return f"{entry.title}\n{entry.folder}".strip()
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{entry.title}, {word_of(entry, time.time())}"
            case self.ID_ROLE:
                return entry.id
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Takes the text of the field in the row; the title changes when its owner says so."""
        entry = self._entries[index.row()]
        title = " ".join(str(value).split())
        if role != Qt.ItemDataRole.EditRole or isinstance(entry, _Group) or not title:
            return False
        if title != entry.title:
            self.renamed.emit(entry.id, title)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid() or isinstance(self._entries[index.row()], _Group):
            return Qt.ItemFlag.ItemIsEnabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable

    def _rebuild(self) -> None:
        words = self._filter.split()
        groups: dict[str, list[SessionItem]] = {}
        for item in self._items:
            text = f"{item.title} {item.folder}".casefold()
            if all(word in text for word in words):
                groups.setdefault(item.folder, []).append(item)
        # What belongs to no folder stands last.
        ordered = sorted(groups.items(), key=lambda pair: not pair[0])
        entries: list[SessionItem | _Group] = []
        for folder, members in ordered:
            name = PurePath(folder).name or folder or NO_FOLDER
            entries.append(_Group(name, folder, len(members)))
            entries.extend(members)
        self.beginResetModel()
        self._entries = entries
        self.endResetModel()


class SessionDelegate(QStyledItemDelegate):
    """Draws groups and rows in the sidebar's grid: icons at 16, titles at 40."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        entry = index.data(SessionModel.ENTRY_ROLE)
        return QSize(0, GROUP_HEIGHT if isinstance(entry, _Group) else ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry = index.data(SessionModel.ENTRY_ROLE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect: QRect = option.rect
        if isinstance(entry, _Group):
            _paint_group(painter, rect, entry)
        else:
            state: QStyle.StateFlag = option.state
            _paint_row(painter, rect, entry, state)
        painter.restore()

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        rect: QRect = option.rect
        editor.setGeometry(rect.adjusted(30, 0, -8, 0))


def word_of(item: SessionItem, now: float) -> str:
    """The state's word, else how long ago: "2 min", "3 h", "Tue", "12 Nov"."""
    known = _STATES.get(item.state)
    return known[0] if known else _ago(item.updated, now)


def _ago(then: float, now: float) -> str:
    if then <= 0:
        return ""
    seconds = max(0.0, now - then)
    if seconds < 60:
        return "now"
    if seconds < 3600:
        return f"{int(seconds // 60)} min"
    if seconds < 86_400:
        return f"{int(seconds // 3600)} h"
    moment = time.localtime(then)
    if seconds < 6 * 86_400:
        return time.strftime("%a", moment)
    day = f"{moment.tm_mday} {time.strftime('%b', moment)}"
    return day if moment.tm_year == time.localtime(now).tm_year else f"{day} {moment.tm_year}"


def _paint_group(painter: QPainter, rect: QRect, group: _Group) -> None:
    theme = current_theme()
    middle = rect.top() + 8 + 14
    icon = "folder-open" if group.folder else "chat"
    draw_icon(painter, icon, "text_2", QPoint(rect.left() + 24, middle))
    area = QRect(rect.left() + 40, rect.top() + 8, rect.width() - 40 - 16, 28)
    painter.setFont(theme.font("meta", digits=True))
    painter.setPen(theme.qcolor("text_3"))
    count = f"{group.count:,}"
    painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, count)
    taken = QFontMetrics(painter.font()).horizontalAdvance(count) + 8
    font = theme.font("meta", bold=True)
    painter.setFont(font)
    painter.setPen(theme.qcolor("text_2"))
    name = QFontMetrics(font).elidedText(
        group.name, Qt.TextElideMode.ElideMiddle, area.width() - taken
    )
    painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)


def _paint_row(painter: QPainter, rect: QRect, item: SessionItem, state: QStyle.StateFlag) -> None:
    theme = current_theme()
    draw_ground(painter, state, rect.adjusted(8, 0, -8, 0), ring=BY_KEY)
    _paint_mark(painter, QPoint(rect.left() + 24, rect.center().y() + 1), item.state)
    area = QRect(rect.left() + 40, rect.top(), rect.width() - 40 - 16, rect.height())
    painter.setFont(theme.font("meta", digits=True))
    painter.setPen(theme.qcolor("text_3"))
    word = word_of(item, time.time())
    painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, word)
    taken = QFontMetrics(painter.font()).horizontalAdvance(word) + 12
    font = theme.font("ui", bold=item.state == "unread")
    painter.setFont(font)
    painter.setPen(theme.qcolor("text"))
    title = QFontMetrics(font).elidedText(
        item.title or "New session", Qt.TextElideMode.ElideRight, area.width() - taken
    )
    painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)


def _paint_mark(painter: QPainter, center: QPoint, state: str) -> None:
    known = _STATES.get(state)
    if known is None:
        return
    if known[1] == "ring":
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(current_theme().qcolor(known[2]), 2))
        painter.drawEllipse(center, 3, 3)
        return
    draw_icon(painter, known[1], known[2], center)
