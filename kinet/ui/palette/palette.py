"""The command palette: sessions, commands, models and settings by a few letters of their names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from kinet.ui.kit.controls import Line, draw_icon, text_label
from kinet.ui.look.theme import current_theme
from kinet.ui.palette.palette_rows import ENTRY, Entry, Foot, Rows

WIDTH, TOP, HEAD = 600, 88, 52
# Rows of one group that are shown at most: the next letter narrows them.
MOST_OF_A_GROUP = 6
# The same of a group that is shown alone.
MOST_OF_ONE = 500


class Palette(QWidget):
    """Covers the window with a scrim; a click beside the list or Esc closes it."""

    closed = Signal()

    def __init__(self, parent: QWidget, entries: Sequence[Entry]) -> None:
        super().__init__(parent)
        self.setObjectName("commandPalette")
        self._entries: list[Entry] = []
        # What each entry is found by.
        self._texts: list[str] = []
        # What is shown: the groups in their order, and of each the rows.
        self._groups: list[tuple[str, list[Entry]]] = []
        self._group = ""  # the only one shown, "" for all
        self._box = QFrame(self)
        self.field = QLineEdit(self._box)
        self.count = text_label("", type="meta", tone="text_3", parent=self._box)
        self.list = QListWidget(self._box)
        self._rows = Rows(self.list)
        self._build()
        self.field.textChanged.connect(self._fill)
        self.field.installEventFilter(self)
        self.list.itemClicked.connect(self._choose)
        parent.installEventFilter(self)
        self.add(entries)
        self._place()
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def close_palette(self) -> None:
        """Takes it away; the focus is its owner's matter."""
        self.hide()
        self.closed.emit()
        self.deleteLater()

    def add(self, entries: Sequence[Entry]) -> None:
        """Offers these too: what took a moment to be read. Nothing moves if none of it is seen."""
        self._entries += entries
        self._texts += [f"{entry.title} {entry.detail}".casefold() for entry in entries]
        self._fill(self.field.text())

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
        self.field.setPlaceholderText("Sessions, commands, models, settings")
        self.field.setToolTip(self.field.placeholderText())
        self.field.setAccessibleName("Command palette")
        self.field.setStyleSheet("QLineEdit { border: 0; background: transparent; padding: 0; }")
        self.list.setItemDelegate(self._rows)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setAccessibleName("Results")
        column = QVBoxLayout(self._box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        head = QWidget(self._box)
        head.setFixedHeight(HEAD)
        row = QHBoxLayout(head)
        row.setContentsMargins(48, 0, 20, 0)
        row.addWidget(self.field, 1)
        row.addWidget(self.count)
        column.addWidget(head)
        column.addWidget(Line(self._box))
        column.addSpacing(8)
        column.addWidget(self.list, 1)
        column.addSpacing(8)
        column.addWidget(Line(self._box))
        column.addWidget(Foot(self._box))

    def _place(self) -> None:
        parent = self.parentWidget()
        if parent is None:
            return
        self.setGeometry(parent.rect())
        width = min(WIDTH, self.width() - 48)
        rows = sum(self.list.sizeHintForRow(row) for row in range(self.list.count()))
        wanted = HEAD + Foot.HEIGHT + 18 + rows
        height = min(max(140, wanted), self.height() - TOP - 32)
        self._box.setGeometry((self.width() - width) // 2, TOP, width, height)
        self.update()

    def _fill(self, text: str) -> None:
        words = tuple(text.casefold().split())
        found = self._found(words)
        total = sum(map(len, found.values()))
        counted = "1 result" if total == 1 else f"{total:,} results"
        self.count.setText(counted if total else "Nothing has this name")
        most = MOST_OF_ONE if self._group else MOST_OF_A_GROUP
        groups = [(group, entries[:most]) for group, entries in found.items()]
        if groups == self._groups and words == self._rows.words:
            return
        self._groups, self._rows.words = groups, words
        self._show_groups()

    def _found(self, words: Sequence[str]) -> dict[str, list[Entry]]:
        """What fits, by group. There may be a hundred thousand entries."""
        pairs = list(zip(self._texts, self._entries, strict=True))
        for word in words:
            pairs = [pair for pair in pairs if word in pair[0]]
        found: dict[str, list[Entry]] = {}
        for _, entry in pairs:
            if self._group in ("", entry.group):
                found.setdefault(entry.group, []).append(entry)
        if words:
            # A name that holds the words comes before one whose quiet text does.
            for entries in found.values():
                entries.sort(key=lambda e: not all(word in e.title.casefold() for word in words))
        return found

    def _show_groups(self) -> None:
        self.list.clear()
        for group, entries in self._groups:
            head = QListWidgetItem(group)
            head.setFlags(Qt.ItemFlag.NoItemFlags)
            self.list.addItem(head)
            for entry in entries:
                item = QListWidgetItem(entry.title)
                item.setData(ENTRY, entry)
                self.list.addItem(item)
        self._step(0)
        self._place()

    def _shown(self) -> Iterable[Entry | None]:
        return (self.list.item(row).data(ENTRY) for row in range(self.list.count()))

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
            case Qt.Key.Key_Tab:
                self._narrow()
            case Qt.Key.Key_Escape:
                self.close_palette()
            case _:
                return False
        return True

    def _narrow(self) -> None:
        """Shows only the group of the marked row, or all of them again."""
        item = self.list.currentItem()
        entry = item.data(ENTRY) if item is not None else None
        self._group = entry.group if isinstance(entry, Entry) and not self._group else ""
        self._fill(self.field.text())

    def _choose(self, item: QListWidgetItem | None) -> None:
        entry = item.data(ENTRY) if item is not None else None
        if isinstance(entry, Entry):
            self.close_palette()
            entry.act()
