"""Keeps what a turn has told so far, and can complete it legally at any moment."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from kinet.core.approval import Decision
from kinet.core.conversation import Conversation
from kinet.core.events import (
    ApprovalRequested,
    ApprovalResolved,
    ContextCompacted,
    Event,
    FilesChanged,
    MessageCompleted,
    Notice,
    StepFinished,
    ToolFinished,
    ToolProgress,
    ToolStarted,
)
from kinet.core.pairing import unanswered
from kinet.engine.base import Limits
from kinet.engine.context.truncation import for_model
from kinet.engine.kept_progress import KeptProgress
from kinet.engine.thought_clock import ThoughtClock

_log = logging.getLogger(__name__)

# What cleans up after a stop tells nothing else.
_FOUND_LATER = (FilesChanged, Notice)


def found_in(turn_id: str, tell: Callable[[Event], None]) -> Callable[[Event], None]:
    """Tells what was found when this turn had ended, with its name."""

    def told(event: Event) -> None:
        tell(replace(event, turn_id=turn_id) if isinstance(event, FilesChanged) else event)

    return told


class Recorder:
    """The one way out for the events of a turn: applied here, told to observers, handed on."""

    def __init__(
        self,
        conversation: Conversation,
        put: Callable[[Event], None],
        observers: Iterable[Callable[[Event], None]] = (),
        afterwards: Callable[[Event], None] = lambda event: None,
    ) -> None:
        self.conversation = conversation
        self.spent = 0.0
        self._put = put
        self._observers = tuple(observers)
        self._afterwards = afterwards
        self._closed = False
        self._open: dict[str, ToolStarted] = {}
        self._progress: dict[str, KeptProgress] = {}
        self._waited = 0.0
        self._thought = ThoughtClock()
        self._waiting_since: float | None = None

    def emit(self, event: Event) -> None:
        """Takes one event in and hands it on. After `close` it changes nothing.

        What a stopped call had changed is told also then: as found afterwards.
        """
        if self._closed:
            if isinstance(event, _FOUND_LATER):
                self._afterwards(event)
            return
        event = self._thought.stamped(event)
        self.conversation.apply(event)
        self._watch(event)
        self._hand_on(event)

    def emit_compaction(self, event: ContextCompacted, kept_from: int) -> None:
        """Tells a compaction; `kept_from` is its place among this turn's own messages."""
        if self._closed:
            return
        self.conversation.apply(
            ContextCompacted(event.before, event.after, kept_from, event.summary, event.reason)
        )
        self._hand_on(event)

    def waited(self) -> float:
        """Seconds that were spent waiting for a person; time limits leave them out."""
        since = self._waiting_since
        return self._waited + (time.monotonic() - since if since is not None else 0.0)

    def answer_open_calls(self, text: str, limits: Limits) -> None:
        """Gives every open question and call an end: `text`, after what the call printed."""
        for request in list(self.conversation.pending.values()):
            decision = Decision(False, reason="the turn was stopped")
            self.emit(ApprovalResolved(request.id, request.call_id, decision))
        for started in [item for item in self._open.values() if item.parent]:
            self._close_call(started.call_id, started.name, text, limits, started.parent)
        for call in unanswered(self.conversation.messages):
            self._close_call(call.id, call.name, text, limits)

    def close(self, last: Event | None = None) -> None:
        """Tells the last event; whatever comes later is not told any more.

        None where nobody listens any more.
        """
        if last is not None:
            self.emit(last)
        self._closed = True

    def _close_call(
        self, call_id: str, name: str, text: str, limits: Limits, parent: str = ""
    ) -> None:
        content = self._progress.get(call_id, KeptProgress()).ended_with(text)
        self.emit(
            ToolFinished(
                call_id,
                name,
                is_error=True,
                preview="stopped",
                content=content,
                model_content=for_model(content, limits, call_id),
                details={"stopped": True},
                parent=parent,
            )
        )

    def _watch(self, event: Event) -> None:
        match event:
            case ToolStarted(call_id=call_id):
                self._open[call_id] = event
            case ToolProgress(call_id=call_id, text=text):
                self._progress.setdefault(call_id, KeptProgress()).add(text)
            case ToolFinished(call_id=call_id):
                self._open.pop(call_id, None)
                self._progress.pop(call_id, None)
            case MessageCompleted(cost=cost) if cost:
                self.spent += cost
            case StepFinished(cost=cost, purpose=purpose) if cost and purpose:
                self.spent += cost
            case ApprovalRequested():
                if self._waiting_since is None:
                    self._waiting_since = time.monotonic()
            case ApprovalResolved():
                if not self.conversation.pending and self._waiting_since is not None:
                    self._waited += time.monotonic() - self._waiting_since
                    self._waiting_since = None
            case _:
                pass

    def _hand_on(self, event: Event) -> None:
        self._put(event)
        for observe in self._observers:
            try:
                observe(event)
            except Exception:  # noqa: BLE001 - an observer's fault is told in the log and stays its own
                _log.exception("an observer failed on %s", type(event).__name__)
