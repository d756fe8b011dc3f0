"""The find bar of the transcript: a field, the count of hits, previous, next, close."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QWidget

from kinet.ui.kit.controls import IconButton, text_label

# (text, backwards) -> (number of the hit from 1, number of all); (0, 0) for none; None where the
# answer comes later, by `show_count`.
Finder = Callable[[str, bool], tuple[int, int] | None]


class FindBar(QFrame):
    """Asks `finder` for the next hit; shows where it stands."""

    closed = Signal()

    def __init__(self, finder: Finder, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("findBar")
        self.setProperty("surface", "side")
        self.setFixedHeight(44)
        self._finder = finder
        self.field = QLineEdit(self)
        self.field.setPlaceholderText("Find in this session")
        self.field.setAccessibleName("Find in this session")
        self.count = text_label("", type="meta", tone="text_3", parent=self)
        previous = IconButton("chevron-up", "Previous hit", "Shift+F3", self)
        following = IconButton("chevron-down", "Next hit", "F3", self)
        close = IconButton("close", "Close", "Esc", self)
        row = QHBoxLayout(self)
        row.setContentsMargins(24, 6, 8, 6)
        row.setSpacing(4)
        row.addWidget(self.field, 1)
        row.addSpacing(4)
        row.addWidget(self.count)
        for button in (previous, following, close):
            row.addWidget(button)
        self.field.textChanged.connect(lambda: self.search())
        following.clicked.connect(lambda: self.search())
        previous.clicked.connect(lambda: self.search(backwards=True))
        close.clicked.connect(self.close_bar)
        self.hide()

    def open_bar(self) -> None:
        """Shows the bar with the caret in its field."""
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def open_at(self, text: str) -> None:
        """Shows the bar with `text` in it, at the newest place that holds it."""
        self.field.blockSignals(True)
        self.field.setText(text)
        self.field.blockSignals(False)
        self.open_bar()
        self.search(backwards=True)

    def close_bar(self) -> None:
        """Hides the bar; the owner takes the highlights away."""
        self.hide()
        self.closed.emit()

    def search(self, *, backwards: bool = False) -> None:
        """Goes to the next or previous hit of what the field holds."""
        text = self.field.text()
        found = self._finder(text, backwards) if text else (0, 0)
        if found is None:
            self.count.setText("Searching…")
        else:
            self.show_count(*found)

    def show_count(self, number: int, total: int) -> None:
        """Says which hit of how many is shown."""
        text = self.field.text()
        words = f"{number} of {total}" if total else "No hits"
        self.count.setText(words if text else "")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.search(backwards=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
            return
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
            return
        super().keyPressEvent(event)
