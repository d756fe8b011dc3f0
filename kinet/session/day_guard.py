"""Asks before more than the day's limit is spent, over all sessions."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinet.core.approval import ApprovalRequest, Decision
from kinet.core.budgets import budget_question

if TYPE_CHECKING:
    from kinet.store.database import Database


@dataclass
class DayGuard:
    """One for all sessions of a data folder. `limit` gives USD a day, 0 for none."""

    database: Database
    limit: Callable[[], float]
    # A yes holds for that day: what may be spent on it, and how much the next yes adds.
    _day: str = ""
    _allowed: float = 0.0
    _raised: float = 0.0
    # USD that are left of the day and that were spent, as of the last question.
    left: float = 0.0
    spent: float = 0.0

    async def question(self) -> ApprovalRequest | None:
        """What has to be asked before another turn, None if it may begin."""
        limit = self.budget()
        if limit <= 0:
            return None
        from kinet.store.usage import UsageLog

        spent = await asyncio.to_thread(UsageLog(self.database).day)
        self.spent, self.left = spent.cost, max(limit, self._allowed) - spent.cost
        return None if self.left > 0 else budget_question("day", limit, spent.cost, spent.known)

    def budget(self) -> float:
        """USD that may be spent today, as the settings or a later yes say; 0 for no limit."""
        if self._day != _today():
            self._day, self._allowed, self._raised = _today(), 0.0, 0.0
        return max(self.limit(), self._raised) if self.limit() > 0 else 0.0

    def allow(self, decision: Decision, spent: float) -> None:
        """The person said yes when so much was spent: as much again, or another limit for today."""
        if decision.raise_to:
            self._allowed = self._raised = decision.raise_to
        else:
            more = self.budget() if decision.scope == "once" else math.inf
            self._allowed = spent + more
        self.left = self._allowed - spent


def _today() -> str:
    return time.strftime("%Y-%m-%d")
