"""Asks once before the window closes over a running turn."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPushButton, QVBoxLayout, QWidget

from kinet.ui.kit.controls import text_label


class CloseQuestion(QDialog):
    """Opened with `open()`; Esc goes on with the work."""

    confirmed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("A turn is still running")
        self.setFixedWidth(480)
        body = text_label(
            "Closing stops it. What it has done and said so far is kept, and the session can go "
            "on from there."
        )
        body.setWordWrap(True)
        stop = QPushButton("Stop and quit")
        stop.setProperty("kind", "danger")
        stay = QPushButton("Keep working")
        stay.setDefault(True)
        buttons = QDialogButtonBox(self)
        buttons.addButton(stay, QDialogButtonBox.ButtonRole.RejectRole)
        buttons.addButton(stop, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.accepted.connect(self.confirmed)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(12)
        column.addWidget(text_label("A turn is still running", type="h2"))
        column.addWidget(body)
        column.addSpacing(8)
        column.addWidget(buttons)
