"""A tool call as the window shows it: one record per call, kept up to date by events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from kinet.core.completion import Usage
from kinet.core.events import (
    ApprovalRequested,
    ApprovalResolved,
    Event,
    MessageCompleted,
    StepFinished,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from kinet.core.messages import ToolCall
from kinet.core.own_command import NAME
from kinet.core.server_names import server_and_tool
from kinet.ui.server_call import first_words

# Characters of a running call's output that stay at hand; twice as many for a while, so that not
# every piece costs a copy of all.
MOST_PROGRESS = 500_000

# Characters of a line that tells how far a call is.
_LONGEST_LINE = 400

StepState = Literal["running", "done", "failed", "stopped", "waiting", "denied"]

# tool name: (verb, plural for counts, icon, the argument that says most)
_TOOLS: Mapping[str, tuple[str, str, str, str]] = {
    "read_file": ("Read", "read", "read", "path"),
    "read_output": ("Read", "read", "read", "call_id"),
    "write_file": ("Write", "write", "file", "path"),
    "edit_file": ("Edit", "edit", "edit", "path"),
    "delete_file": ("Delete", "delete", "trash", "path"),
    "list_folder": ("List", "list", "folder", "path"),
    "symbols": ("Symbols", "look at symbols", "search", "query"),
    "shell": ("Command", "command", "terminal", "command"),
    NAME: ("You ran", "command of yours", "terminal", "command"),
    "grep": ("Search", "search", "search", "pattern"),
    "glob": ("Search", "search", "search", "pattern"),
    "web_fetch": ("Fetch", "fetch", "web", "url"),
    "web_search": ("Web search", "web search", "web", "query"),
    "git_diff": ("Changes", "look at changes", "file-diff", "path"),
    "git_log": ("History", "history", "clock", "path"),
    "git_show": ("Commit", "commit", "file-diff", "ref"),
    "git_status": ("Status", "status check", "file-diff", ""),
    "shell_output": ("Job output", "job output", "terminal", "job"),
    "shell_stop": ("Stop job", "stopped job", "stop", "job"),
    "todo": ("Plan", "plan", "list", ""),
    "recall_memory": ("Recall", "recall", "memory", "query"),
    "dispatch_agent": ("Agent", "agent", "branch", "task"),
    "ask_user": ("Question", "question", "help", "question"),
    "skill": ("Skill", "skill", "skill", "name"),
}


@dataclass(frozen=True, slots=True)
class StepRecord:
    """Everything a face may show of one tool call.

    `content` is the whole result for the person, `model_content` what the model got; `progress` is
    the newest output while the call runs, and `passed` how many characters came before that.
    `started_at` is `time.monotonic()` of its start, 0 for a
    call of an earlier run. `parent` is the dispatch_agent call it belongs to, "" for none. `usage`
    and `cost` are those of the model call that asked for it, None where they are not known;
    `segments` are hashes of that request's parts, and `cache_note` says which of them broke the
    prefix that the server had cached and what it cost, "" if none did. `pictures` are the data:
    addresses of what the call gave to be seen.
    """

    call_id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    state: StepState = "running"
    preview: str = ""
    content: str = ""
    model_content: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    duration_s: float = 0.0
    started_at: float = 0.0
    parent: str = ""
    progress: str = ""
    passed: int = 0
    usage: Usage | None = None
    cost: float | None = None
    cache_note: str = ""
    segments: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()

    @property
    def printed(self) -> int:
        """Characters of output so far, while the call runs."""
        return self.passed + len(self.progress)

    @property
    def of_server(self) -> bool:
        """True for a call of a server's tool."""
        return server_and_tool(self.name) is not None

    @property
    def newest_line(self) -> str:
        """What it said last of how far it is, "" for nothing."""
        lines = self.progress[-_LONGEST_LINE:].split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    @property
    def verb(self) -> str:
        """The word at the row's start."""
        return verb_of(self.name)

    @property
    def argument(self) -> str:
        """The short argument beside the verb, one line."""
        return argument_of(self.name, self.arguments)


def grown(record: StepRecord, text: str) -> StepRecord:
    """With more output. A program may print for hours: the whole is kept by who runs it."""
    progress = record.progress + text
    surplus = len(progress) - MOST_PROGRESS
    if surplus <= MOST_PROGRESS:
        return replace(record, progress=progress)
    return replace(record, progress=progress[surplus:], passed=record.passed + surplus)


class StepBook:
    """The records of one session in call order."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._records: dict[str, StepRecord] = {}
        # Calls that have no end yet: few, however long the session is.
        self._open: dict[str, None] = {}
        # What the newest model call took, by the calls it asks for, and the calls themselves.
        self._asked: dict[str, tuple[Usage, float | None]] = {}
        self._calls: dict[str, ToolCall] = {}
        # Calls of the step that runs now.
        self._current: list[str] = []
        # The newest list of what is to be done, and the beginning of a turn behind it: what the
        # tray above the composer is restored from.
        self.plan: tuple[Event, ...] = ()
        self._newest: Event | None = None
        for event in events:
            self.apply(event)
            self._newest = event

    def go_on(self, events: Sequence[Event]) -> bool:
        """Takes in what came after the events it was made from; False if they are not of these."""
        newest = self._newest
        # What a crash or a moment has added: little, so the end is looked at first.
        place = next((n for n in range(len(events) - 1, -1, -1) if events[n] is newest), -1)
        for event in events[place + 1 :] if place >= 0 else ():
            self.apply(event)
        return place >= 0

    def apply(self, event: Event, now: float = 0.0) -> StepRecord | None:
        """Takes an event in; the record it changed, or None. `now` is `time.monotonic()`."""
        match event:
            case MessageCompleted():
                self._note(event)
            case ApprovalRequested(request=request):
                return self._put(
                    StepRecord(
                        request.call_id, request.tool, request.arguments, "waiting", started_at=now
                    )
                )
            case ApprovalResolved(call_id=call_id, decision=decision):
                state: StepState = "running" if decision.allowed else "denied"
                return self._change(call_id, state=state)
            case ToolStarted(call_id=call_id, name=name, arguments=arguments, parent=parent):
                if not parent:
                    self._current.append(call_id)
                return self._put(
                    StepRecord(call_id, name, arguments, started_at=now, parent=parent)
                )
            case ToolProgress(call_id=call_id, text=text):
                record = self._records.get(call_id)
                return record and self._put(grown(record, text))
            case ToolFinished():
                if event.name == "todo" and not event.parent and not event.is_error:
                    self.plan = (event,)
                return self._finish(event)
            case TurnStarted() if self.plan:
                self.plan = (self.plan[0], event)
            case StepFinished(purpose=""):
                return self._tell_request(event)
            case TurnFinished():
                self._current.clear()
                self._close_open()
        return None

    def record(self, call_id: str) -> StepRecord | None:
        """The record of a call, or None."""
        return self._records.get(call_id)

    def records(self) -> tuple[StepRecord, ...]:
        """All records, in the order in which their calls began."""
        return tuple(self._records.values())

    def neighbour(self, call_id: str, step: int) -> StepRecord | None:
        """The record `step` places after (or, if negative, before) `call_id`, or None."""
        keys = list(self._records)
        if call_id not in self._records:
            return None
        place = keys.index(call_id) + step
        return self._records[keys[place]] if 0 <= place < len(keys) else None

    def _note(self, event: MessageCompleted) -> None:
        if event.usage is not None:
            took = (event.usage, event.cost)
            self._asked = {call.id: took for call in event.message.tool_calls}
        if event.message.tool_calls:
            self._calls = {call.id: call for call in event.message.tool_calls}

    def _put(self, record: StepRecord) -> StepRecord:
        if record.usage is None and record.call_id in self._asked:
            usage, cost = self._asked[record.call_id]
            record = replace(record, usage=usage, cost=cost)
        self._records[record.call_id] = record
        if record.state in ("running", "waiting"):
            self._open[record.call_id] = None
        else:
            self._open.pop(record.call_id, None)
        return record

    def _change(self, call_id: str, **values: Any) -> StepRecord | None:
        record = self._records.get(call_id)
        return record and self._put(replace(record, **values))

    def _finish(self, event: ToolFinished) -> StepRecord:
        record = self._records.get(event.call_id) or self._unstarted(event)
        state: StepState = "failed" if event.is_error else "done"
        if event.is_error and record.state in ("denied", "stopped"):
            state = record.state
        elif event.is_error and event.details.get("stopped"):
            state = "stopped"
        return self._put(
            replace(
                record,
                state=state,
                preview=event.preview,
                content=event.content,
                model_content=event.model_content or event.content,
                details=event.details,
                duration_s=event.duration_s,
                parent=event.parent,
                progress="",
                passed=0,
                pictures=event.pictures,
            )
        )

    def _unstarted(self, event: ToolFinished) -> StepRecord:
        """A call that ended before it began: refused, or not possible. It still says what of."""
        call = self._calls.get(event.call_id)
        # The messages of a sub-agent are not told: its calls bring along what they were for.
        told = event.details.get("arguments")
        try:
            arguments = call.parsed() if call is not None else dict(told or {})
        except (TypeError, ValueError):
            arguments = {}
        return StepRecord(event.call_id, event.name, arguments)

    def _tell_request(self, event: StepFinished) -> StepRecord | None:
        changed = None
        for call_id in self._current:
            changed = self._change(call_id, cache_note=event.cache_note, segments=event.segments)
        self._current.clear()
        return changed

    def _close_open(self) -> None:
        for call_id in list(self._open):
            self._change(call_id, state="stopped", progress="", passed=0)


def is_own_command(event: Event) -> bool:
    """True where a command of the person's own begins to run."""
    return isinstance(event, ToolStarted) and event.name == NAME


def verb_of(tool_name: str) -> str:
    """The word for a tool in a step row: Read, Search, Edit, Command, …; of a server its name."""
    known = _TOOLS.get(tool_name)
    if known is None and (parts := server_and_tool(tool_name)) is not None:
        return parts[0]
    return known[0] if known else tool_name.replace("_", " ").capitalize()


def icon_of(tool_name: str) -> str:
    """The icon's name for a tool."""
    known = _TOOLS.get(tool_name)
    return known[2] if known else "plug"


def argument_of(name: str, arguments: Mapping[str, Any]) -> str:
    """The argument that says most, on one line, whole (a face elides it)."""
    known = _TOOLS.get(name)
    if known is None and (parts := server_and_tool(name)) is not None:
        return f"{parts[1]}  {first_words(arguments)}".strip()
    value = arguments.get(known[3]) if known and known[3] else None
    if value is None:
        value = next((item for item in arguments.values() if isinstance(item, str)), "")
    return " ".join(str(value).split())


def counts_of(records: Iterable[StepRecord]) -> str:
    """Counts by kind, most first: "7 reads · 2 searches · 1 command"."""
    counts: dict[str, int] = {}
    for record in records:
        known = _TOOLS.get(record.name)
        word = known[1] if known else verb_of(record.name).lower()
        if known is None and server_and_tool(record.name) is not None:
            word = "server call"
        counts[word] = counts.get(word, 0) + 1
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    return " · ".join(f"{number} {_plural(word, number)}" for word, number in ordered)


def _plural(word: str, number: int) -> str:
    if number == 1:
        return word
    return f"{word}es" if word.endswith(("ch", "sh", "s")) else f"{word}s"
