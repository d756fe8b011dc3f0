"""The list of all keys, searchable, from the table of commands."""

from __future__ import annotations

from collections.abc import Container

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QGridLayout, QLineEdit, QScrollArea, QVBoxLayout, QWidget

from kinet.ui.desks.actions import COMMANDS, Command
from kinet.ui.kit.controls import native_keys, text_label
from kinet.ui.kit.over_window import fit_over
from kinet.ui.look.theme import current_theme

# Keys that belong to a place, not to a command.
_PLACES: tuple[tuple[str, str, str], ...] = (
    ("Send, or add to the queue", "Return", "Writing"),
    ("New line", "Shift+Return", "Writing"),
    ("Send, whatever the setting", "Ctrl+Return", "Writing"),
    ("Complete a file or a command", "Tab", "Writing"),
    ("Run a command of your own in the folder, at the beginning", "!", "Writing"),
    ("Run one and keep it from the model, at the beginning", "!, !", "Writing"),
    ("Last message again, in an empty field", "Up", "Writing"),
    ("Earlier and later messages", "Ctrl+Up / Ctrl+Down", "Writing"),
    ("Allow once, with the focus on the question", "Ctrl+Return", "Answering"),
    ("Deny, with the focus on the question", "Ctrl+Backspace", "Answering"),
    ("Session 1 to 9 of the list", "Ctrl+1 / Ctrl+9", "Sessions"),
    ("Rename the session, in the list", "F2", "Sessions"),
    ("Scroll by a page, in the conversation", "PgUp / PgDown", "Reading"),
    ("To the beginning and the end, in the conversation", "Home / End", "Reading"),
    ("Previous and next message, in the conversation", "Shift+PgUp / Shift+PgDown", "Reading"),
    ("Close, or stop when pressed twice", "Esc", "Window"),
)


_SIZE = QSize(480, 560)


class KeyList(QDialog):
    """Opened with `open()`."""

    def __init__(self, parent: QWidget, available: Container[str]) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Keyboard shortcuts")
        self._commands = [item for item in COMMANDS if item.id in available and item.keys]
        self._rows: list[tuple[str, list[QWidget]]] = []
        self.search = QLineEdit(self)
        self.search.setPlaceholderText("Search")
        self.search.setAccessibleName("Search shortcuts")
        self.search.textChanged.connect(self._filter)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 12, 12)
        column.setSpacing(12)
        column.addWidget(text_label("Keyboard shortcuts", type="h2"))
        column.addWidget(self.search)
        column.addWidget(self._table(), 1)

    def showEvent(self, event: QShowEvent) -> None:
        """In the middle of its window, and never larger."""
        super().showEvent(event)
        zoom = max(1.0, current_theme().zoom / 100)
        fit_over(self, self.parentWidget(), _SIZE * zoom)

    def _table(self) -> QScrollArea:
        inner = QWidget()
        grid = QGridLayout(inner)
        grid.setContentsMargins(0, 0, 12, 0)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(0, 1)
        rows = [_row(command) for command in self._commands] + list(_PLACES)
        rows.sort(key=lambda row: row[2])
        for number, (title, keys, group) in enumerate(rows):
            name = text_label(title)
            name.setWordWrap(True)
            hint = text_label(_shown(keys), tone="text_2")
            hint.setAlignment(Qt.AlignmentFlag.AlignRight)
            grid.addWidget(name, number, 0)
            grid.addWidget(hint, number, 1)
            self._rows.append((f"{title} {keys} {group}".casefold(), [name, hint]))
        self._none = text_label("No shortcut fits. Try another word.", tone="text_2")
        self._none.setWordWrap(True)
        self._none.hide()
        grid.addWidget(self._none, len(rows), 0, 1, 2)
        grid.setRowStretch(len(rows) + 1, 1)
        area = QScrollArea(self)
        area.setAccessibleName("Keys")
        area.setWidgetResizable(True)
        area.setWidget(inner)
        return area

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        found = False
        for haystack, widgets in self._rows:
            fits = all(word in haystack for word in words)
            found = found or fits
            for widget in widgets:
                widget.setVisible(fits)
        self._none.setVisible(not found)


def _shown(keys: str) -> str:
    """The keys in the platform's own words; two that belong together are parted by a slash."""
    return " / ".join(native_keys(one) for one in keys.split(" / "))


def _row(command: Command) -> tuple[str, str, str]:
    return command.title.removesuffix("…"), command.keys.split()[0], command.group
