"""A question about one call, with everything needed to answer it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from kinet.core.approval import ApprovalRequest, Decision
from kinet.ui.theme import Theme


class ApprovalCard(QFrame):
    """Asks once. `answered` comes at most once, with the decision."""

    answered = Signal(Decision)

    def __init__(
        self,
        request: ApprovalRequest,
        theme: Theme | None = None,
        parent: QWidget | None = None,
        *,
        position: str = "",
    ) -> None:
        super().__init__(parent)
        self.setObjectName("approvalCard")
        self.request = request

    def close_question(self, decision: Decision | None) -> None:
        """Folds the card without an answer of its own: stopped, or answered elsewhere."""

    def set_position(self, position: str) -> None:
        """Says where it stands among several ("1 of 2")."""

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
