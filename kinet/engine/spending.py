"""Asks before more is spent than a budget of turn, session or day allows."""

from __future__ import annotations

from dataclasses import dataclass

from kinet.core.approval import Decision
from kinet.core.budgets import Budget, budget_question
from kinet.engine.approvals import Approvals
from kinet.engine.base import TurnRequest
from kinet.engine.ending import Ending


@dataclass
class _Limit:
    """`limit` is what this turn may have spent before it is asked; `budget` is what a yes adds.

    `before` is what was spent of the budget when the turn began.
    """

    of: Budget
    limit: float
    budget: float
    before: float = 0.0


class Spending:
    """The budgets of one turn: its own, and what is left of those of session and day.

    Continue gives as much again, raise sets a higher limit, a yes without limit is not asked again.
    """

    def __init__(self, turn: TurnRequest, approvals: Approvals) -> None:
        self._approvals = approvals
        own = turn.limits.budget_usd
        self._limits = [_Limit("turn", own, own)] if own else []
        self._limits += [
            _Limit(item.of, item.left, item.budget, item.spent) for item in turn.allowances
        ]

    async def check(self, spent: float) -> Ending | None:
        """None to go on; the end of the turn if the person says no. `spent` is USD in this turn."""
        for limit in list(self._limits):
            if spent < limit.limit:
                continue
            asked = budget_question(limit.of, limit.budget, limit.before + spent)
            decision = await self._approvals.ask_to_go_on(asked)
            if not decision.allowed:
                detail = f"The {limit.of}'s budget of {limit.budget:.2f} USD was reached."
                return Ending("budget", detail)
            self._allow(limit, decision, spent)
        return None

    def _allow(self, limit: _Limit, decision: Decision, spent: float) -> None:
        if decision.scope == "once":
            limit.limit = spent + limit.budget
        elif decision.raise_to:
            limit.budget = decision.raise_to
            limit.limit = max(decision.raise_to - limit.before, spent)
        else:
            self._limits.remove(limit)
