"""People who answer approvals by script."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from kinet.core.approval import ApprovalRequest, Decision


class ScriptedApprover:
    """Gives the decisions in order, the last one for ever; keeps what it was asked."""

    def __init__(self, *decisions: Decision) -> None:
        self.asked: list[ApprovalRequest] = []
        self._decisions = list(decisions) or [Decision(True)]

    async def ask(self, request: ApprovalRequest) -> Decision:
        """The next decision of the script."""
        self.asked.append(request)
        if len(self._decisions) > 1:
            return self._decisions.pop(0)
        return self._decisions[0]


class Undecided:
    """Never answers: the question waits until the turn is stopped."""

    def __init__(self) -> None:
        self.asked: list[ApprovalRequest] = []
        self.waiting = asyncio.Event()

    async def ask(self, request: ApprovalRequest) -> Decision:
        """Waits for ever."""
        self.asked.append(request)
        self.waiting.set()
        await asyncio.Event().wait()
        raise AssertionError("unreachable")


def allows_everything() -> ScriptedApprover:
    """Says yes to all."""
    return ScriptedApprover(Decision(True))


def denies_everything(reason: str = "") -> ScriptedApprover:
    """Says no to all."""
    return ScriptedApprover(Decision(False, reason=reason))


def answers(allowed: Iterable[bool]) -> ScriptedApprover:
    """Says yes or no in this order."""
    return ScriptedApprover(*(Decision(word) for word in allowed))
