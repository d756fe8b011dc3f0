"""How a turn ended, and in which words a failure is told."""

from __future__ import annotations

from dataclasses import dataclass

from kinet.core.errors import ProviderError
from kinet.core.events import TurnEnd, TurnError


@dataclass(frozen=True, slots=True)
class Ending:
    """What `TurnFinished` will say. `detail` names what was left undone."""

    reason: TurnEnd
    detail: str = ""
    error: TurnError | None = None


COMPLETED = Ending("completed")
STOPPED = Ending("stopped", "Stopped. What was done so far is kept.")


class OutputLimitReached(Exception):
    """The turn put more text on the screen than the limit allows."""


def failed(error: ProviderError) -> Ending:
    """The ending for a provider that could not be asked or did not answer."""
    return Ending(
        "failed",
        error=TurnError(
            error.kind,
            error.message,
            error.hint,
            error.status,
            error.retryable,
            error.retry_after_s,
        ),
    )


def broken(error: BaseException) -> Ending:
    """The ending for a fault of our own."""
    return Ending(
        "failed",
        error=TurnError(
            "internal",
            f"Kinet made a mistake of its own: {type(error).__name__}: {error}",
            "The conversation is kept; send the message again. Details are in the log.",
        ),
    )
