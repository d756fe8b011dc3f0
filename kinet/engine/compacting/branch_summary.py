"""A short account of a branch that is left, for the one that begins beside it."""

from __future__ import annotations

from collections.abc import Sequence

from kinet.core.events import Event, MessageCompleted, Notice, StepFinished
from kinet.core.messages import Message
from kinet.engine.base import TurnRequest
from kinet.engine.compacting.compaction import Plan, summarise

# The most a summary of a branch may take.
MAX_TOKENS = 2_048
_INPUT_WEIGHT = 200_000
_OPENING = (
    "[Kinet: another way was tried from here and left; files may have changed. What was done:]\n\n"
)


async def branch_summary(turn: TurnRequest, left: Sequence[Message]) -> list[Event]:
    """The summary as a message of kind "branch", and what it cost; or why there is none."""
    outcome = await summarise(
        Plan(len(left), tuple(left)),
        turn.provider,
        weight=_INPUT_WEIGHT,
        session_id=turn.session_id,
        max_tokens=MAX_TOKENS,
    )
    events: list[Event] = []
    if outcome.usage is not None:
        cost, estimate = turn.price(turn.profile.model, outcome.usage)
        cached = outcome.usage.cache_read
        events.append(
            StepFinished(outcome.usage, cost, cached, purpose="summary", estimate=estimate)
        )
    if outcome.summary:
        message = Message("user", _OPENING + outcome.summary, kind="branch")
        events.append(MessageCompleted(message))
    else:
        events.append(
            Notice(f"The branch was left without a summary: {outcome.reason}.", "warning")
        )
    return events
