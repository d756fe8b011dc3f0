"""Asks before more is spent than a budget of turn, session or day allows."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from kinet.core.approval import ApprovalRequest, Decision
from kinet.core.budgets import Budget, budget_question
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
    """The budgets of one turn and its sub-agents: its own, and what is left of session and day.

    Continue gives as much again, raise sets a higher limit, a yes without limit is not asked again.
    A no ends who asked, and all others of the turn when they come to their next step. `spent` tells
    the USD of turn and sub-agents so far.
    """

    def __init__(self, turn: TurnRequest, spent: Callable[[], float]) -> None:
        self._spent = spent
        self._no: Ending | None = None
        # Sub-agents that run side by side ask once for all.
        self._asking = asyncio.Lock()
        own = turn.limits.budget_usd
        self._limits = [_Limit("turn", own, own)] if own else []
        self._limits += [
            _Limit(item.of, item.left, item.budget, item.spent) for item in turn.allowances
        ]

    async def check(self, ask: Callable[[ApprovalRequest], Awaitable[Decision]]) -> Ending | None:
        """None to go on; the end if the person says no, who is asked by `ask`."""
        async with self._asking:
            for limit in list(self._limits):
                spent = self._spent()
                if self._no is not None or spent < limit.limit:
                    continue
                decision = await ask(budget_question(limit.of, limit.budget, limit.before + spent))
                if not decision.allowed:
                    # One of less than a cent is not called none.
                    budget = f"{limit.budget:.2f}" if limit.budget >= 0.01 else f"{limit.budget:g}"
                    detail = f"The {limit.of}'s budget of {budget} USD was reached."
                    self._no = Ending("budget", detail)
                else:
                    self._allow(limit, decision, spent)
            return self._no

    def _allow(self, limit: _Limit, decision: Decision, spent: float) -> None:
        if decision.scope == "once":
            limit.limit = spent + limit.budget
        elif decision.raise_to:
            limit.budget = decision.raise_to
            limit.limit = max(decision.raise_to - limit.before, spent)
        else:
            self._limits.remove(limit)
