"""What happens after a reply that does nothing: an empty one, or one that only talks."""

from __future__ import annotations

from collections.abc import Callable

from kinet.core.budgets import going_in_circles
from kinet.core.events import Event, Notice, TurnError
from kinet.engine.ending import Ending
from kinet.engine.guards.approvals import Approvals

_EMPTY_NUDGE = "[Kinet: your reply was empty. Go on with the task, or write your answer.]"
_TALK_NOTE = "[Kinet: you have only written so far. Make a call now, or write your final answer.]"
_MAX_TALKS = 3


class IdleReplies:
    """Counts them in one turn. `faults` are the steps that do not count against a cap."""

    def __init__(
        self,
        emit: Callable[[Event], None],
        tell_model: Callable[[str], None],
        approvals: Approvals,
    ) -> None:
        self._emit, self._tell_model, self._approvals = emit, tell_model, approvals
        self._empty = 0
        self._talks = 0
        self.faults = 0

    @property
    def may_be_asked_again(self) -> bool:
        """True if an empty reply gets a nudge: it is the first since the model did something."""
        return self._empty == 0

    def forget(self) -> None:
        """The model does something again."""
        self._empty = self._talks = 0

    def after_empty(self) -> Ending | None:
        """One nudge, then the end: never a silent success."""
        self._empty += 1
        if self._empty == 1:
            self.faults += 1
            self._emit(Notice("The model's reply was empty; it was asked once more.", "warning"))
            self._tell_model(_EMPTY_NUDGE)
            return None
        return Ending(
            "failed",
            error=TurnError(
                "protocol",
                "The model replied with nothing, twice.",
                "Send the message again, or choose another model.",
                retryable=True,
            ),
        )

    async def after_talk(self) -> Ending | None:
        """The model only talks and means to go on: it is told, then the person is asked."""
        self._talks += 1
        if self._talks < _MAX_TALKS:
            if self._talks > 1:
                self._tell_model(_TALK_NOTE)
            return None
        reason = f"the model wrote {self._talks} times without doing anything"
        question = "The agent only talks. Let it go on?"
        decision = await self._approvals.ask_to_go_on(going_in_circles(question, reason))
        self._talks = 0
        return None if decision.allowed else Ending("no_progress", f"No progress: {reason}.")
