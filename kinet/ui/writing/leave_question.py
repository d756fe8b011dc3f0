"""Asks in its place what becomes of changes that were not sent."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from kinet.ui.kit.controls import text_label
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.wrapping_row import WrappingRow


class LeaveQuestion(QFrame):
    """Keep, discard, or go on; hidden until it is asked."""

    kept = Signal()
    discarded = Signal()
    went_on = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("leaveQuestion")
        self.setAccessibleName("Your changes are not sent. Keep or discard them?")
        self.words = text_label("Your changes are not sent.", type="strong", parent=self)
        self.keep = TextButton("Keep for later", self, size="small")
        self.discard = TextButton("Discard", self, size="small")
        self.go_on = TextButton("Go on editing", self, size="small")
        for button, name in (
            (self.keep, "keepChangesButton"),
            (self.discard, "discardChangesButton"),
            (self.go_on, "goOnEditingButton"),
        ):
            button.setObjectName(name)
        row = WrappingRow()
        for widget in (self.words, self.keep, self.discard, self.go_on):
            row.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(row)
        self.keep.clicked.connect(self.kept)
        self.discard.clicked.connect(self.discarded)
        self.go_on.clicked.connect(self.went_on)
        self.hide()

    def ask(self, *, can_keep: bool) -> None:
        """Shows the question; the keyboard is on the answer that loses nothing."""
        self.keep.setVisible(can_keep)
        self.show()
        first = self.keep if can_keep else self.go_on
        first.setFocus(Qt.FocusReason.TabFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.went_on.emit()
            return
        super().keyPressEvent(event)
