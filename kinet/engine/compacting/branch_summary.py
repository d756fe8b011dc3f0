"""A short account of a branch that is left, for the one that begins beside it."""

from __future__ import annotations

from collections.abc import Sequence

from kinet.core.events import Event, MessageCompleted, Notice, StepFinished
from kinet.core.messages import Message
from kinet.engine.base import TurnRequest
from kinet.engine.compacting.compaction import Plan, kept_by_us, summarise, summary_input
from kinet.providers.pricing import known_window

# The most a summary of a branch may take.
MAX_TOKENS = 2_048
# Latin letters; more of a branch that was left is not worth its price, however large the window.
_MOST_INPUT = 200_000
_OPENING = (
    "[Kinet: another way was tried from here and left; files may have changed. What was done:]\n\n"
)


async def branch_summary(
    turn: TurnRequest, left: Sequence[Message], letters_per_token: float
) -> list[Event]:
    """The summary as a message of kind "branch", and what it cost; or why there is none.

    Of a long branch so much is sent as fits the model's window.
    """
    window = turn.profile.window or known_window(turn.profile.model)
    outcome = await summarise(
        Plan(len(left), tuple(left)),
        turn.provider,
        weight=min(_MOST_INPUT, summary_input(window, letters_per_token)),
        kept=kept_by_us(window, letters_per_token),
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
