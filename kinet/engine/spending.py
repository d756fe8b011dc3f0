"""Asks before more is spent than a budget of turn, session or day allows."""

from __future__ import annotations

from dataclasses import dataclass

from kinet.engine.approvals import Approvals
from kinet.engine.base import TurnRequest
from kinet.engine.ending import Ending


@dataclass
class _Budget:
    """`limit` is what this turn may have spent before it is asked; `more` is added by a yes."""

    of: str
    limit: float
    more: float


class Spending:
    """The budgets of one turn. A yes gives as much again; one for the session is not asked again.

    Budgets: the turn's own, and what is left of those of session and day when the turn began.
    """

    def __init__(self, turn: TurnRequest, approvals: Approvals) -> None:
        self._approvals = approvals
        own = turn.limits.budget_usd
        self._budgets = [_Budget("turn", own, own)] if own else []
        self._budgets += [_Budget(item.of, item.left, item.budget) for item in turn.allowances]

    async def check(self, spent: float) -> Ending | None:
        """None to go on; the end of the turn if the person says no. `spent` is USD in this turn."""
        for budget in list(self._budgets):
            if spent < budget.limit:
                continue
            question = f"This turn has cost {spent:.2f} USD. Let it go on?"
            reason = f"the {budget.of}'s budget of {budget.more:.2f} USD is used up"
            decision = await self._approvals.ask_to_go_on(
                "budget", question, reason, ("once", "session")
            )
            if not decision.allowed:
                detail = f"The {budget.of}'s budget of {budget.more:.2f} USD was reached."
                return Ending("budget", detail)
            if decision.scope == "once":
                budget.limit = spent + budget.more
            else:
                self._budgets.remove(budget)
        return None
