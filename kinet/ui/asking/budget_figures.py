"""What a question about a budget is judged by: what was spent, the limit, and what it is for."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout, QWidget

from kinet.core.approval import ApprovalRequest
from kinet.core.budgets import Budget, amount
from kinet.ui.kit.controls import text_label

_FOR: dict[Budget, str] = {
    "turn": "this turn",
    "session": "this session",
    "day": "today, all sessions",
    "time": "this turn",
}


class BudgetFigures(QWidget):
    """Three figures side by side."""

    def __init__(self, request: ApprovalRequest, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(32)
        self._grid.setVerticalSpacing(0)
        for title, words in figures(request):
            column = self._grid.columnCount()
            self._grid.addWidget(text_label(title, type="meta", tone="text_3"), 0, column)
            self._grid.addWidget(text_label(words, type="strong"), 1, column)
        self._grid.setColumnStretch(self._grid.columnCount(), 1)


def figures(request: ApprovalRequest) -> tuple[tuple[str, str], ...]:
    """The figures as (title, words); none where the request does not tell them."""
    budget = budget_of(request)
    if budget is None:
        return ()
    spent, limit = request.arguments.get("spent", 0.0), request.arguments.get("limit", 0.0)
    title = "Worked" if budget == "time" else "Spent"
    return (
        (title, amount(budget, float(spent))),
        ("Limit", amount(budget, float(limit))),
        ("Counted for", _FOR[budget]),
    )


def budget_of(request: ApprovalRequest) -> Budget | None:
    """Whose budget is asked about; None for another question."""
    name = request.arguments.get("budget") if request.kind == "budget" else None
    return next((budget for budget in _FOR if budget == name), None)
