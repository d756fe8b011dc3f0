"""How a turn went, gathered from its events: the end, the figures, the exit code that tells it."""

from __future__ import annotations

from kinet.core.completion import Usage
from kinet.core.events import (
    ApprovalResolved,
    Event,
    MessageCompleted,
    StepFinished,
    StepStarted,
    ToolFinished,
    TurnFinished,
    TurnStarted,
)

COMPLETED, FAILED, STOPPED, CAPPED, DENIED = 0, 1, 3, 4, 5
_CODES = {"completed": COMPLETED, "failed": FAILED, "stopped": STOPPED}


class Outcome:
    """What every face says of a turn when it has ended. `unasked`: a call was denied because nobody
    could be asked. `cost` is USD, None where a price is not known, with `estimate` a fallback's."""

    def __init__(self) -> None:
        self.turn_id = ""
        self.end: TurnFinished | None = None
        self.unasked = False
        self.text = ""
        self.steps = 0
        self.usage = Usage()
        self.cost: float | None = 0.0
        self.estimate = False

    def take(self, event: Event) -> None:
        """Notes what this event says of it."""
        match event:
            case TurnStarted(turn_id=turn_id):
                self.turn_id = turn_id
            case StepStarted(step=step):
                self.steps = step
            case MessageCompleted(message=message, usage=usage, cost=cost):
                if message.role == "assistant":
                    self.text = message.text
                self._count(usage, cost)
            case StepFinished(purpose=purpose, usage=usage, cost=cost):
                self.estimate |= event.estimate
                if purpose:
                    self._count(usage, cost)
            case ApprovalResolved(decision=decision):
                self.unasked |= decision.unasked and not decision.allowed
            case ToolFinished(details=details):
                self.unasked |= bool(details.get("unasked"))
            case TurnFinished():
                self.end = event
            case _:
                pass

    def code(self) -> int:
        """The exit code; a stop by the person says more than a denied call."""
        if self.end is None:
            return FAILED
        if self.end.reason == "stopped":
            return STOPPED
        if self.unasked:
            return DENIED
        return _CODES.get(self.end.reason, CAPPED)

    def _count(self, usage: Usage | None, cost: float | None) -> None:
        if usage is None:
            return
        self.usage += usage
        self.cost = None if cost is None or self.cost is None else self.cost + cost
