"""Says in a few words what a turn is doing, from its events."""

from __future__ import annotations

import time
from dataclasses import dataclass

from kinet.core.events import (
    ApprovalRequested,
    ApprovalResolved,
    CompactionStarted,
    ContextCompacted,
    Event,
    MessageCompleted,
    RetryScheduled,
    SegmentReset,
    StepFinished,
    StepStarted,
    TextDelta,
    ThinkingDelta,
    ToolArgumentsDelta,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from kinet.core.own_command import NAME
from kinet.ui.chat.status_row import Status
from kinet.ui.kit.figures import duration, tokens_words
from kinet.ui.steps import argument_of

_TOKENS_PER_CHARACTER = 0.27

# verb for a running tool; others are "Running <name>"
_DOING = {
    "read_file": "Reading",
    "write_file": "Writing",
    "edit_file": "Editing",
    "shell": "Running",
    NAME: "Running",
    "grep": "Searching",
    "glob": "Searching",
    "web_fetch": "Fetching",
    "git_diff": "Looking at changes",
    "git_log": "Looking at the history",
    "git_show": "Looking at a commit",
    "git_status": "Looking at the status",
    "web_search": "Searching the web for",
    "recall_memory": "Recalling",
    "dispatch_agent": "Agent at work",
    "ask_user": "Waiting for your answer",
}
# Their arguments are too long for the row.
_ALONE = ("dispatch_agent", "ask_user")
# Waits for words of the person.
_ASKING = "ask_user"
_ENDS: dict[str, tuple[str, str, str]] = {
    "completed": ("Done in", "check", "success"),
    "stopped": ("Stopped after", "stop", "text_2"),
    "failed": ("Failed after", "error", "danger"),
    "step_limit": ("Step limit reached after", "alert", "warning"),
    "budget": ("Budget reached after", "alert", "warning"),
    "no_progress": ("Stopped without progress after", "alert", "warning"),
}


# Before the first turn; the panel says what stands ready.
READY = Status("Ready")


@dataclass(frozen=True, slots=True)
class _Running:
    """A call that runs: its words, when it began (monotonic), and whether a person is asked."""

    words: str
    since: float
    asks: bool = False


class TurnStatus:
    """Follows one session's events; `status` is what the row under the composer shows."""

    def __init__(self) -> None:
        self.status = READY
        self._characters = 0
        self._began = 0.0
        self._phase = ""
        self._open: dict[str, _Running] = {}
        self._waiting: dict[str, float] = {}

    def apply(self, event: Event) -> bool:
        """Takes an event in; True if the status is another one now."""
        now = time.monotonic()
        before = self.status
        match event:
            case TurnStarted():
                self._begin(now)
            case StepStarted():
                self._phase = ""
                self._enter("Waiting for model", now)
            case TextDelta(text=text) | ToolArgumentsDelta(text=text):
                self._characters += len(text)
                self._enter("Writing", now)
            case ThinkingDelta(text=text):
                self._characters += len(text)
                self._enter("Thinking", now)
            case SegmentReset():
                self._enter("Asking again", now)
            case RetryScheduled(delay=delay, reason=reason):
                self.status = Status(
                    "Trying again", "clock", "warning", detail=reason, strong=True,
                    until=now + delay,
                )  # fmt: skip
                self._phase = ""
            case ToolStarted():
                self._tool_started(event, now)
            case ToolFinished(call_id=call_id):
                if self._open.pop(call_id, None) is not None:
                    self._resume(now)
            case ApprovalRequested(request=request):
                self._waiting[request.id] = now
                self._show_waiting()
            case ApprovalResolved(id=id_):
                self._waiting.pop(id_, None)
                self._resume(now)
            case CompactionStarted():
                self._enter("Summarising older parts", now)
            case ContextCompacted(before=size, after=after):
                self._phase = ""
                text = f"Context compacted: {tokens_words(size)} to {tokens_words(after)} tokens"
                self.status = Status(text, "archive")
            case TurnFinished():
                self._end(event, now)
            case MessageCompleted() | StepFinished() | _:
                pass
        return self.status != before

    @property
    def is_waiting(self) -> bool:
        """True while a person has to answer something."""
        return bool(self._waiting)

    def _begin(self, now: float) -> None:
        self._characters = 0
        self._began = now
        self._phase = ""
        self._open.clear()
        self._waiting.clear()
        self._enter("Waiting for model", now)

    def _enter(self, phase: str, since: float) -> None:
        if self._waiting:
            return
        if phase != self._phase:
            self._phase = phase
            self.status = Status(phase, "running", "accent", since, self._written(), strong=True)

    def _written(self) -> str:
        tokens = int(self._characters * _TOKENS_PER_CHARACTER)
        if tokens == 1:
            return "1 token so far"
        return f"{tokens_words(tokens)} tokens so far" if tokens else ""

    def _tool_started(self, event: ToolStarted, now: float) -> None:
        argument = argument_of(event.name, event.arguments)
        verb = _DOING.get(event.name, f"Running {event.name.replace('_', ' ')}")
        words = f"{verb} {argument[:40]}".strip() if event.name not in _ALONE else verb
        if event.parent:
            # Whose step it is: the turn's own call goes on all the while.
            words = f"Agent: {words[:1].lower()}{words[1:]}"
        self._open[event.call_id] = _Running(words, now, event.name == _ASKING)
        self._phase = ""
        self._resume(now)

    def _show_waiting(self) -> None:
        number = len(self._waiting)
        words = "1 request needs" if number == 1 else f"{number} requests need"
        since = min(self._waiting.values())
        self.status = Status(f"{words} your answer", "alert", "warning", since, strong=True)
        self._phase = ""

    def _resume(self, now: float) -> None:
        """Shows what is still going on: a question, the newest call, or what comes next."""
        if self._waiting:
            self._show_waiting()
            return
        running = next(reversed(self._open.values()), None)
        if running is None:
            self._enter("Working", now)
        elif running.asks:
            self._phase = running.words
            self.status = Status(running.words, "alert", "warning", running.since, strong=True)
        else:
            self._enter(running.words, running.since)

    def _end(self, event: TurnFinished, now: float) -> None:
        self._open.clear()
        self._waiting.clear()
        self._phase = ""
        seconds = event.duration_s or (now - self._began if self._began else 0.0)
        words, icon, token = _ENDS.get(event.reason, ("Ended after", "info", "text_2"))
        if seconds <= 0:
            words = words.removesuffix(" in").removesuffix(" after")
            self.status = Status(words, icon, token)
            return
        self.status = Status(f"{words} {duration(seconds)}", icon, token)
