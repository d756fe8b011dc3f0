"""Asks whether a turn may go on although a budget of money or time is used up."""

from __future__ import annotations

import secrets
from typing import Literal

from kinet.core.approval import ApprovalRequest, Choice, Decision

# Whose budget it is: money of the turn, the session, the day; or the time of the turn.
Budget = Literal["turn", "session", "day", "time"]

GO_ON = Choice("continue", "Continue", Decision(True))
STOP = Choice("stop", "Stop here", Decision(False))

_SPENT = {
    "turn": "This turn has cost {spent}. Let it go on?",
    "session": "This session has cost {spent}. Let it go on?",
    "day": "Go on spending today?",
    "time": "This turn has worked for {spent}. Let it go on?",
}
_REASON = {
    "turn": "the turn's budget of {limit} is used up",
    "session": "{spent} were spent in it; the limit is {limit}",
    "day": "{spent} were spent today; the limit is {limit}",
    "time": "the time limit of {limit} is reached",
}
# What a raised limit holds for.
RAISED_FOR: dict[Budget, str] = {
    "turn": "each turn of this session",
    "session": "this session",
    "day": "today",
    "time": "each turn of this session",
}


def budget_question(
    budget: Budget, limit: float, spent: float, known: bool = True
) -> ApprovalRequest:
    """The question: continue with as much again, raise the limit for the session, or stop.

    `limit` and `spent` are USD, or seconds for "time"; not `known` says that it may be more.
    """
    raised = raised_limit(limit, spent)
    told = amount(budget, spent) + ("" if known else " or more")
    return ApprovalRequest(
        id=secrets.token_hex(8),
        call_id="",
        tool="time" if budget == "time" else "budget",
        kind="budget",
        question=_SPENT[budget].format(spent=told),
        reason=_REASON[budget].format(spent=told, limit=amount(budget, limit)),
        scopes=("once", "session"),
        arguments={"budget": budget, "limit": limit, "spent": spent},
        choices=(
            Choice("continue", f"Continue: {amount(budget, limit)} more", Decision(True)),
            Choice(
                "raise",
                f"Raise to {amount(budget, raised)} for {RAISED_FOR[budget]}",
                Decision(True, "session", raise_to=raised),
            ),
            STOP,
        ),
    )


def going_in_circles(question: str, reason: str) -> ApprovalRequest:
    """The question of a guard that sees no progress: continue or stop."""
    return ApprovalRequest(
        id=secrets.token_hex(8), call_id="", tool="no_progress", kind="other", question=question,
        reason=reason, choices=(GO_ON, STOP),
    )  # fmt: skip


def raised_limit(limit: float, spent: float) -> float:
    """Twice the limit, and again, until it is more than what is spent."""
    raised = 2 * limit
    while 0 < raised <= spent:
        raised *= 2
    return raised


def amount(budget: Budget, value: float) -> str:
    """As a person reads it: 1.50 USD, 90 seconds."""
    return f"{value:g} seconds" if budget == "time" else f"{value:.2f} USD"
