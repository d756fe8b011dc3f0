"""What answers a question: the buttons, the rule editor, the reason; and the line that is left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from kinet.core.approval import ApprovalRequest, Decision
from kinet.core.server_names import server_and_tool
from kinet.ui.asking.approval_words import answer_text, asked_text, summary_text
from kinet.ui.asking.choice_answers import chosen_words
from kinet.ui.asking.rule_editor import RuleEditor
from kinet.ui.kit.controls import ElidedLabel, Line, key_hint, repolish, text_label
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.wrapping_row import WrappingRow
from kinet.ui.look.theme import Theme

if TYPE_CHECKING:
    from kinet.ui.asking.server_rule import ServerRule


class Answers(QWidget):
    """The buttons that answer, the rule that may go with a yes, the reason that goes with a no."""

    allowed = Signal(object)  # Decision
    denied = Signal(str)
    # Something was added: its keys have to be watched too.
    unfolded = Signal()

    def __init__(
        self,
        request: ApprovalRequest,
        recent: Sequence[str] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._request, self._recent = request, recent
        self._asked = asked_text(request)
        self._hunks: tuple[int, ...] | None = None
        self._focused = False
        self.editor: RuleEditor | ServerRule | None = None
        self._theme: Theme | None = None
        self._make_buttons(request)
        self.reason = QLineEdit(self)
        self.reason.setObjectName("denyReason")
        self.reason.setPlaceholderText("Why not? The model is told when you deny.")
        self.reason.setAccessibleName("Reason for denying, told to the model")
        self.reason.hide()
        # The journal keeps what an edit changes before it is made.
        self._promise = "Undo stays possible" if request.kind == "edit" else ""
        self._hint = text_label(self._promise, type="meta", tone="text_3", parent=self)
        buttons = WrappingRow(aside=self._hint)
        for button in (self.save, self.allow, self.session, self.always, self.deny, self._why):
            buttons.addWidget(button)
        buttons.addWidget(self._hint)
        column = QVBoxLayout()
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(8)
        column.addWidget(self.reason)
        column.addLayout(buttons)
        self._outer = QVBoxLayout(self)
        self._outer.setContentsMargins(0, 0, 0, 0)
        self._outer.setSpacing(0)
        self._outer.addWidget(Line(self))
        self._outer.addLayout(column)

    def confirm(self) -> None:
        """The yes that the keys give: this once, whatever is open."""
        if self.allow.isEnabled():
            self.allowed.emit(Decision(True, hunks=self._hunks))

    def enter(self, field: object) -> bool:
        """Enter in the field of the rule saves it and allows; False for another place."""
        editor = self.editor
        if editor is None or editor.words is None or field is not editor.words:
            return False
        self._save_rule()
        return True

    def fold_back(self) -> bool:
        """Esc folds what was unfolded here and has the keyboard; False if that is elsewhere.

        A reason that was begun stays: only the keyboard leaves it.
        """
        focused, reason = QApplication.focusWidget(), Qt.FocusReason.TabFocusReason
        if focused is self.reason:
            begun = bool(self.reason.text())
            self._why.setVisible(not begun)
            # What goes away would take the focus along.
            (self.deny if begun else self._why).setFocus(reason)
            self.reason.setVisible(begun)
            return True
        if self.editor is None or focused is None or not self.editor.isAncestorOf(focused):
            return False
        self.always.show()
        self.always.setFocus(reason)
        self._show_editor(False)
        return True

    def set_hunks(self, accepted: tuple[int, ...], total: int) -> None:
        """Which hunks the yes is for."""
        part = len(accepted) < total
        self._hunks = accepted if part else None
        words = f"Apply {len(accepted)} of {total} hunks" if part else "Allow once"
        self.allow.set_text(words, f"{words}: {self._asked}")
        self.allow.setEnabled(bool(accepted))
        self.session.setVisible(not part and _for_session(self._request))

    def open_editor(self) -> RuleEditor | ServerRule:
        """Shows the rule editor above the buttons."""
        if self.editor is None:
            if server_and_tool(self._request.tool) is not None:
                # Few have servers: the window starts without it.
                from kinet.ui.asking.server_rule import ServerRule

                self.editor = ServerRule(self._request, self)
            else:
                self.editor = RuleEditor(self._request, self._recent, self)
            self.editor.changed.connect(self._rule_changed)
            self._outer.insertWidget(0, self.editor)
            if self._theme is not None:
                self.editor.set_theme(self._theme)
            self._rule_changed()
            self.show_focus(self._focused)
        assert self.editor is not None
        self._show_editor(True)
        return self.editor

    def show_focus(self, focused: bool) -> None:
        """The one filled button stands in the card that has the focus."""
        self._focused = focused
        kind = "primary" if focused else ""
        if (self.allow.property("kind") or "") != kind:
            self.allow.setProperty("kind", kind)
            repolish(self.allow)
        by_key = focused and not self.reason.hasFocus()
        self._hint.setText(f"{key_hint('Ctrl+Enter')} allows once" if by_key else self._promise)

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look; the style sheet does it."""
        self._theme = theme
        repolish(self.allow)
        if self.editor is not None:
            self.editor.set_theme(theme)

    def _make_buttons(self, request: ApprovalRequest) -> None:
        self.save = TextButton("Save rule and allow", self)
        self.save.setObjectName("saveRuleButton")
        self.save.clicked.connect(self._save_rule)
        self.save.hide()
        self.allow = TextButton("Allow once", self, name=f"Allow once: {self._asked}")
        self.allow.setObjectName("approveButton")
        self.allow.clicked.connect(lambda: self.allowed.emit(Decision(True, hunks=self._hunks)))
        self.session = TextButton("Allow for this session", self)
        self.session.setObjectName("approveSessionButton")
        self.session.setVisible(_for_session(request))
        self.session.setToolTip(f"Not asked again in this session: {request.rule}".rstrip(": "))
        self.session.clicked.connect(lambda: self.allowed.emit(Decision(True, "session")))
        self.always = TextButton("Always…", self, name=f"Always, with a rule: {self._asked}")
        self.always.setObjectName("alwaysButton")
        self.always.setVisible(_has_rule(request))
        self.always.clicked.connect(self._open_editor)
        self.deny = TextButton("Deny", self, name=f"Deny: {self._asked}")
        self.deny.setObjectName("denyButton")
        self.deny.clicked.connect(lambda: self.denied.emit(self.reason.text()))
        self._why = TextButton("Add a reason…", self, kind="quiet")
        self._why.setObjectName("denyReasonButton")
        self._why.clicked.connect(self._open_reason)

    def _open_editor(self) -> None:
        editor = self.open_editor()
        first = editor.words or editor.reach.buttons[editor.reach.value]
        first.setFocus(Qt.FocusReason.OtherFocusReason)
        self.unfolded.emit()

    def _show_editor(self, shown: bool) -> None:
        assert self.editor is not None
        self.always.setVisible(not shown)
        self.save.setVisible(shown)
        self.editor.setVisible(shown)

    def _save_rule(self) -> None:
        if self.editor is not None and not self.editor.trouble:
            self.allowed.emit(self.editor.decision())

    def _rule_changed(self) -> None:
        if self.editor is not None:
            self.save.setEnabled(not self.editor.trouble)

    def _open_reason(self) -> None:
        self._why.hide()
        self.reason.show()
        self.reason.setFocus(Qt.FocusReason.OtherFocusReason)


def _for_session(request: ApprovalRequest) -> bool:
    """True where "this session" is offered by itself and not as part of a rule."""
    return "session" in request.scopes and not _has_rule(request)


def _has_rule(request: ApprovalRequest) -> bool:
    """True where a yes may be kept as a rule that says how far it reaches."""
    ruled = request.kind == "command" or server_and_tool(request.tool) is not None
    return ruled and "folder" in request.scopes


class AnsweredRow(QWidget):
    """What is left of an answered card: one line."""

    def __init__(
        self,
        request: ApprovalRequest,
        decision: Decision | None,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setFixedHeight(36)
        allowed = decision is not None and decision.allowed
        token = "success" if allowed else "danger" if decision is not None else "text_3"
        icon_name = "check" if allowed else "close" if decision is not None else "info"
        mark = QLabel(self)
        mark.setPixmap(theme.pixmap(icon_name, token, 16, self.devicePixelRatioF()))
        answer = chosen_words(request, decision) if request.choices else answer_text(decision)
        self.setAccessibleName(f"{answer}: {asked_text(request)}")
        summary = ElidedLabel(summary_text(request), self)
        summary.setProperty("type", "code")
        summary.setProperty("tone", "text_2")
        policy = QSizePolicy.Policy
        summary.setSizePolicy(policy.Ignored, policy.Preferred)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(8)
        row.addWidget(mark)
        row.addWidget(text_label(answer, type="strong", parent=self))
        row.addWidget(summary, 1)
        if decision is not None and decision.reason:
            reason = ElidedLabel(f"“{decision.reason}”", self)
            reason.setProperty("tone", "text_3")
            row.addWidget(reason)
