"""Budgets of session and day: asked about before a turn, and what is left of them for the turn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kinet.core.approval import ApprovalRequest, Decision
from kinet.core.budgets import budget_question
from kinet.core.completion import Usage
from kinet.core.conversation import Conversation
from kinet.core.events import ApprovalRequested, ApprovalResolved, Event
from kinet.session.state import SessionState

if TYPE_CHECKING:
    from kinet.engine.base import Allowance, Limits
    from kinet.store.database import Database


def count_all_branches(conversation: Conversation, database: Database, session_id: str) -> None:
    """Brings the totals of a session that is opened to what was spent on all its branches."""
    from kinet.store.usage import UsageLog

    spent = UsageLog(database).session(session_id)
    usage = Usage(spent.tokens_in, spent.tokens_out, spent.cache_read)
    conversation.keep_spending(usage, spent.cost, spent.known)


class Spending:
    """The money of one turn. A limit that the person raises or lifts holds for the session."""

    def __init__(self, state: SessionState) -> None:
        self._state = state
        self._asked: dict[str, ApprovalRequest] = {}

    async def question(self) -> ApprovalRequest | None:
        """What has to be asked before the turn may begin; None if it may."""
        asked = await self._state.day_guard.question()
        if asked is not None:
            return asked
        budgets, cost = self._state.budgets, self._state.conversation.cost
        limit = budgets.limit("session", self._state.parts.session_limit())
        if not limit or cost < max(limit, budgets.allowed):
            return None
        return budget_question("session", limit, cost, self._state.conversation.cost_known)

    def watch(self, event: Event) -> None:
        """Takes note of what the person says to budgets, before the turn and within it."""
        match event:
            case ApprovalRequested(request=request) if request.kind == "budget":
                self._asked[request.id] = request
            case ApprovalResolved(id=id_, decision=decision) if decision.allowed:
                if id_ in self._asked:
                    self._allow(self._asked.pop(id_), decision)
            case _:
                pass

    def allowances(self) -> tuple[Allowance, ...]:
        """What is left of session and day for a turn that begins now."""
        from kinet.engine.base import Allowance

        budgets, day, out = self._state.budgets, self._state.day_guard, []
        cost = self._state.conversation.cost
        if limit := budgets.limit("session", self._state.parts.session_limit()):
            out.append(Allowance("session", max(limit, budgets.allowed) - cost, limit, cost))
        if limit := day.budget():
            out.append(Allowance("day", day.left, limit, day.spent))
        return tuple(out)

    def limits(self, limits: Limits) -> Limits:
        """The limits of the turn, with those that the person raised or lifted for the session."""
        budgets = self._state.budgets
        return replace(
            limits,
            budget_usd=budgets.limit("turn", limits.budget_usd),
            max_seconds=budgets.limit("time", limits.max_seconds),
        )

    def _allow(self, request: ApprovalRequest, decision: Decision) -> None:
        spent = float(request.arguments.get("spent", 0.0))
        if request.arguments.get("budget") == "day":
            self._state.day_guard.allow(decision, spent)
        else:
            self._state.budgets.allow(request, decision)
