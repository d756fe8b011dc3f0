"""The rule inside the card of a server's call: all calls of this tool, and where that holds."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLineEdit, QWidget

from kinet.core.approval import ApprovalRequest, Decision, Scope
from kinet.core.server_names import server_and_tool
from kinet.ui.kit.controls import text_label
from kinet.ui.kit.segments import Segments
from kinet.ui.kit.visible_text import spell_out
from kinet.ui.look.theme import Theme

_SCOPES: tuple[tuple[Scope, str], ...] = (
    ("session", "This session"),
    ("folder", "This folder"),
    ("always", "Always"),
)


class ServerRule(QFrame):
    """Nothing can be typed into it: the rule is this very tool as the server describes it now."""

    changed = Signal()

    # A rule of words can be refused; this one never is.
    trouble = ""
    words: QLineEdit | None = None

    def __init__(self, request: ApprovalRequest, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("ruleEditor")
        server, tool = server_and_tool(request.tool) or ("", request.tool)
        offered = [(value, word) for value, word in _SCOPES if value in request.scopes]
        self.reach = Segments(offered, "Valid for", self)
        self.reach.setObjectName("ruleReach")
        self.reach.choose("folder" if "folder" in request.scopes else offered[0][0])
        said = (
            f"Calls of {spell_out(tool).text} of the server {spell_out(server).text} with any "
            "arguments. If the server describes the tool in other words, you are asked again."
        )
        self.said = text_label(said, tone="text_2", parent=self)
        self.said.setObjectName("ruleSaid")
        self.said.setWordWrap(True)
        grid = QGridLayout(self)
        grid.setContentsMargins(12, 12, 12, 12)
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(8)
        grid.addWidget(text_label("New rule", type="strong", parent=self), 0, 0)
        grid.addWidget(self.said, 0, 1)
        grid.addWidget(text_label("Valid for", tone="text_2", parent=self), 1, 0)
        grid.addWidget(self.reach, 1, 1, Qt.AlignmentFlag.AlignLeft)
        grid.setColumnStretch(1, 1)

    def decision(self) -> Decision:
        """Allowed, for as far as is chosen."""
        scopes = {value: value for value, _word in _SCOPES}
        return Decision(True, scopes[self.reach.value])  # type: ignore[index]

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        self.setStyleSheet(
            f"QFrame#ruleEditor {{ background: {theme.color('subtle')}; border: 0;"
            f" border-top: 1px solid {theme.color('border')}; }}"
        )
        self.reach.set_theme(theme)
