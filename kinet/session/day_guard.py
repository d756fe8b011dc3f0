"""Asks before more than the day's limit is spent, over all sessions."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinet.core.approval import ApprovalRequest

if TYPE_CHECKING:
    from kinet.store.database import Database


@dataclass
class DayGuard:
    """One for all sessions of a data folder. `limit` gives USD a day, 0 for none."""

    database: Database
    limit: Callable[[], float]
    # A yes holds for that day and for as much again.
    _day: str = ""
    _allowed: float = 0.0
    # USD that are left of the day, as of the last question or permission.
    left: float = 0.0

    async def question(self) -> ApprovalRequest | None:
        """What has to be asked before another turn, None if it may begin."""
        limit = self.limit()
        if limit <= 0:
            return None
        from kinet.store.usage import UsageLog

        spent = await asyncio.to_thread(UsageLog(self.database).day)
        allowed = self._allowed if self._day == _today() else 0.0
        self.left = max(limit, allowed) - spent.cost
        if self.left > 0:
            return None
        more = "" if spent.known else " or more"
        return ApprovalRequest(
            id=secrets.token_hex(8),
            call_id="",
            tool="budget",
            kind="other",
            question="Go on spending today?",
            reason=f"{spent.cost:.2f} USD{more} were spent today; the limit is {limit:.2f} USD.",
        )

    async def allow(self) -> None:
        """The person said yes."""
        from kinet.store.usage import UsageLog

        spent = await asyncio.to_thread(UsageLog(self.database).day)
        self._day, self._allowed = _today(), spent.cost + self.limit()
        self.left = self.limit()


def _today() -> str:
    return time.strftime("%Y-%m-%d")
