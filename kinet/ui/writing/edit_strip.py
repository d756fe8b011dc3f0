"""The line above the composer while an earlier message is being edited."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from kinet.ui.kit.controls import text_label


class EditStrip(QWidget):
    """Says what sending does now; `left` comes when the person leaves the edit."""

    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("editStrip")
        words = "Editing an earlier message. Sending it begins a branch; the old one stays."
        self._leave = QPushButton("Leave unchanged", self)
        self._leave.setObjectName("leaveEditButton")
        self._leave.setProperty("kind", "quiet")
        self._leave.setProperty("size", "row")
        self._leave.clicked.connect(self.left)
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 2, 0, 2)
        row.addWidget(text_label(words, type="meta", tone="text_2", parent=self), 1)
        row.addWidget(self._leave)
        self.hide()
