"""The answers of a question about going on: its own words, and a new limit where one is raised."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QLineEdit, QVBoxLayout, QWidget

from kinet.core.approval import ApprovalRequest, Choice, Decision
from kinet.core.budgets import RAISED_FOR, amount
from kinet.ui.asking.budget_figures import budget_of
from kinet.ui.kit.controls import Line, key_hint, repolish, text_label
from kinet.ui.kit.input_filters import guard_wheel
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.wrapping_row import WrappingRow
from kinet.ui.look.theme import Theme

_NAMES = {"continue": "continueButton", "raise": "raiseLimitButton", "stop": "stopHereButton"}
_HIGHEST = 1_000_000.0


class ChoiceAnswers(QWidget):
    """One button for each choice; a limit is raised in a line of its own above them."""

    allowed = Signal(object)  # Decision
    denied = Signal(str)
    # Something was added: its keys have to be watched too.
    unfolded = Signal()
    # Where a reason is typed in other cards.
    reason: QLineEdit | None = None

    def __init__(self, request: ApprovalRequest, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._request = request
        self._budget = budget_of(request)
        self._focused = False
        self.amount: QDoubleSpinBox | None = None
        self._hint = text_label("", type="meta", tone="text_3", parent=self)
        self._buttons = {choice.name: self._button(choice) for choice in request.choices}
        self._column = QVBoxLayout()
        self._column.setContentsMargins(12, 8, 12, 8)
        self._column.setSpacing(8)
        row = WrappingRow(aside=self._hint)
        for button in self._buttons.values():
            row.addWidget(button)
        row.addWidget(self._hint)
        self._column.addLayout(row)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(Line(self))
        outer.addLayout(self._column)

    def confirm(self) -> None:
        """The yes that the keys give: on with the turn, as the first choice says."""
        yes = next((item for item in self._request.choices if item.decision.allowed), None)
        if yes is not None:
            self.allowed.emit(yes.decision)

    def enter(self, field: object) -> bool:
        """Enter in the field of the new limit raises it; False for another place."""
        if self.amount is None or field not in (self.amount, self.amount.lineEdit()):
            return False
        self._raise()
        return True

    def show_focus(self, focused: bool) -> None:
        """The one filled button stands in the card that has the focus."""
        self._focused = focused
        first = next(iter(self._buttons.values()), None)
        for button in self._buttons.values():
            kind = "primary" if focused and button is first else ""
            if (button.property("kind") or "") != kind:
                button.setProperty("kind", kind)
                repolish(button)
        self._hint.setText(f"{key_hint('Ctrl+Enter')} continues" if focused else "")

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look; the style sheet does it."""
        for button in self._buttons.values():
            repolish(button)

    def _button(self, choice: Choice) -> TextButton:
        raising = choice.name == "raise" and self._budget is not None
        button = TextButton("Raise the limit…" if raising else choice.label, self)
        button.setObjectName(_NAMES[choice.name])
        if raising:
            button.clicked.connect(self._open_amount)
        else:
            button.clicked.connect(lambda: self._answer(choice.decision))
        return button

    def _answer(self, decision: Decision) -> None:
        if decision.allowed:
            self.allowed.emit(decision)
        else:
            self.denied.emit("")

    def _open_amount(self) -> None:
        """A line for the new limit, which has to be more than what is spent."""
        if self.amount is None and self._budget is not None:
            self.amount = self._make_amount()
            row = WrappingRow()
            row.addWidget(text_label("New limit", tone="text_2", parent=self))
            row.addWidget(self.amount)
            row.addWidget(text_label(f"for {RAISED_FOR[self._budget]}", tone="text_2", parent=self))
            raising = TextButton("Raise and continue", self)
            raising.setObjectName("raiseButton")
            raising.clicked.connect(self._raise)
            row.addWidget(raising)
            self._column.insertLayout(0, row)
            self._buttons["raise"].setEnabled(False)
            self.unfolded.emit()
        if self.amount is not None:
            self.amount.setFocus(Qt.FocusReason.OtherFocusReason)
            self.amount.selectAll()

    def _make_amount(self) -> QDoubleSpinBox:
        proposed = next(item for item in self._request.choices if item.name == "raise")
        limit = float(self._request.arguments.get("limit", 0.0))
        spent = float(self._request.arguments.get("spent", 0.0))
        box = QDoubleSpinBox(self)
        box.setObjectName("raiseAmount")
        box.setAccessibleName("The new limit")
        in_seconds = self._budget == "time"
        box.setDecimals(0 if in_seconds else 2)
        # A limit that is used up already would be asked about again at once.
        box.setRange(max(limit, spent) + (1.0 if in_seconds else 0.01), _HIGHEST)
        box.setSingleStep(max(limit, 0.01))
        box.setSuffix(" s" if in_seconds else " USD")
        box.setValue(proposed.decision.raise_to or 2 * limit)
        guard_wheel(box)
        return box

    def _raise(self) -> None:
        if self.amount is not None:
            self.amount.interpretText()
            proposed = next(item for item in self._request.choices if item.name == "raise")
            self.allowed.emit(replace(proposed.decision, raise_to=self.amount.value()))


def chosen_words(request: ApprovalRequest, decision: Decision | None) -> str:
    """What was answered to a question with choices, in a few words."""
    if decision is None:
        return "No longer asked"
    if not decision.allowed:
        return "Stopped here"
    budget = budget_of(request)
    if decision.raise_to and budget is not None:
        return f"Limit raised to {amount(budget, decision.raise_to)}"
    return "Continued"
