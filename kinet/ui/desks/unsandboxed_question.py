"""Asks once in a session whether commands may run unasked although no sandbox works here."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLayout, QVBoxLayout, QWidget

from kinet.ui.kit.controls import text_label
from kinet.ui.kit.part_buttons import TextButton

_WORDS = (
    "Commands would run unasked with all your rights: they could change files outside the folder "
    "and reach the network. Secrets, protected places and what is never run stay guarded. It holds "
    "for this session, until another approval mode is chosen or it is closed."
)
# Of a line; the window grows with the letters.
_LETTERS = 64


class UnsandboxedQuestion(QDialog):
    """Opened with `open()`; only its own button accepts, and Enter alone does not."""

    def __init__(self, problem: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("unsandboxedQuestion")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Run commands without a sandbox?")
        reason = text_label(f"No sandbox works here: {problem}.", tone="text_2")
        words = text_label(_WORDS, tone="text_2")
        for label in (reason, words):
            label.setWordWrap(True)
            label.setFixedWidth(_LETTERS * label.fontMetrics().averageCharWidth())
        self.allow = TextButton("Run without a sandbox", self, kind="danger")
        self.allow.setObjectName("allowUnsandboxedButton")
        self.allow.by_enter = False
        self.stay = TextButton("Ask before commands", self)
        self.stay.setObjectName("staySandboxedButton")
        self.stay.setDefault(True)
        buttons = QDialogButtonBox(self)
        buttons.addButton(self.stay, QDialogButtonBox.ButtonRole.RejectRole)
        buttons.addButton(self.allow, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(12)
        # As high as its words need at any zoom.
        column.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        column.addWidget(text_label("Run commands without a sandbox?", type="h2"))
        column.addWidget(reason)
        column.addWidget(words)
        column.addSpacing(8)
        column.addWidget(buttons)
