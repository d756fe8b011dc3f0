"""Budgets of session and day: asked about before a turn, and what is left of them for the turn."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING

from kinet.core.approval import ApprovalRequest, Decision
from kinet.core.events import ApprovalRequested, ApprovalResolved, Event
from kinet.session.state import SessionState

if TYPE_CHECKING:
    from kinet.engine.base import Allowance, Limits


class Spending:
    """The money of one turn. A yes "for this session" raises turn and session budget for good."""

    def __init__(self, state: SessionState) -> None:
        self._state = state
        self._asked: set[str] = set()

    async def question(self) -> ApprovalRequest | None:
        """What has to be asked before the turn may begin; None if it may."""
        asked = await self._state.day_guard.question()
        if asked is not None:
            return asked
        state = self._state
        limit, cost = state.parts.session_limit(), state.conversation.cost
        if not limit or state.raised or cost < max(limit, state.session_allowed):
            return None
        more = "" if state.conversation.cost_known else " or more"
        return ApprovalRequest(
            id=secrets.token_hex(8),
            call_id="",
            tool="budget",
            kind="other",
            question="Go on spending in this session?",
            reason=f"{cost:.2f} USD{more} were spent in it; the limit is {limit:.2f} USD.",
            scopes=("once", "session"),
        )

    async def answered(self, decision: Decision) -> None:
        """The person answered that question."""
        if decision.allowed:
            self._raise(decision)
            await self._state.day_guard.allow()

    def watch(self, event: Event) -> None:
        """Takes note of what the person says to budgets that are reached within the turn."""
        match event:
            case ApprovalRequested(request=request) if request.tool in ("budget", "time"):
                self._asked.add(request.id)
            case ApprovalResolved(id=id_, decision=decision) if id_ in self._asked:
                if decision.allowed:
                    self._raise(decision)
            case _:
                pass

    def allowances(self) -> tuple[Allowance, ...]:
        """What is left of session and day for a turn that begins now."""
        from kinet.engine.base import Allowance

        state = self._state
        limit, out = state.parts.session_limit(), []
        if limit and not state.raised:
            left = max(limit, state.session_allowed) - state.conversation.cost
            out.append(Allowance("session", left, limit))
        if state.day_guard.limit() > 0:
            out.append(Allowance("day", state.day_guard.left, state.day_guard.limit()))
        return tuple(out)

    def limits(self, limits: Limits) -> Limits:
        """The limits of the turn, without those that the person lifted for the session."""
        if not self._state.raised:
            return limits
        return replace(limits, budget_usd=0.0, max_seconds=0.0)

    def _raise(self, decision: Decision) -> None:
        state = self._state
        state.session_allowed = state.conversation.cost + state.parts.session_limit()
        state.raised = state.raised or decision.scope != "once"
