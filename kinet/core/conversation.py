"""The one reducer: events make a conversation, for the store and the view alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from kinet.core.approval import ApprovalRequest
from kinet.core.completion import Usage
from kinet.core.events import (
    ApprovalRequested,
    ApprovalResolved,
    CompactionStarted,
    ContextCompacted,
    Event,
    FactsNoticed,
    FilesChanged,
    MessageCompleted,
    ModelChosen,
    Notice,
    RetryScheduled,
    SegmentReset,
    StepFinished,
    StepStarted,
    TextDelta,
    ThinkingDelta,
    ToolArgumentsDelta,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from kinet.core.messages import ImagePart, Message, TextPart
from kinet.core.own_command import NAME, OwnCommand

State = Literal["idle", "running", "waiting"]

SUMMARY_OPENING = "Summary of the conversation so far:\n\n"
# The reason a compaction carries when no summary could be had; it begins with this word.
SUMMARY_FAILED = "summary failed"
# So many turns no further summary is tried then.
SUMMARY_REST_TURNS = 3


@dataclass(frozen=True, slots=True)
class Carry:
    """What a turn has to know of the turns before it, beside the messages of the context.

    `first_message` is the number, in the whole conversation, of the first message that the context
    holds (a summary aside). `segments` and `prompt_tokens` are those of the last request, and
    `model` is what answered it, for the note on what broke a cached prefix. `summary_rests` is True
    while a failed summary is not to be tried again. `call_ids` are those of calls that a compaction
    may have dropped from the context.
    """

    first_message: int = 0
    segments: tuple[str, ...] = ()
    prompt_tokens: int = 0
    model: str = ""
    summary_rests: bool = False
    call_ids: frozenset[str] = frozenset()


@dataclass
class Conversation:
    """All messages of a session, and where its turn stands. Changed by `apply` alone."""

    messages: list[Message] = field(default_factory=list)
    state: State = "idle"
    step: int = 0
    turns: int = 0
    last_end: TurnFinished | None = None
    pending: dict[str, ApprovalRequest] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    cost: float = 0.0
    # False as soon as one call had no known price: the total is then a lower bound.
    cost_known: bool = True
    # Some of it is counted with a usual price, for that of the model is not known.
    cost_estimated: bool = False
    # The newest step's prompt + completion, and how many messages that covered.
    occupancy: int = 0
    occupancy_messages: int = 0
    compaction: ContextCompacted | None = None
    # All of them, the oldest first: the log with figures before and after.
    compactions: list[ContextCompacted] = field(default_factory=list)
    # The hashes and the prompt size of the newest request of a turn.
    segments: tuple[str, ...] = ()
    prompt_tokens: int = 0
    # What answered the newest request that was counted.
    model: str = ""
    # The turn in which a summary failed or was of no use; 0 for none since the last good one.
    summary_failed_in: int = 0
    # One was paid for and is not in place yet.
    summary_waits: bool = False
    # An id names one call of the whole conversation.
    call_ids: set[str] = field(default_factory=set)
    # Pieces, not one growing string: a long answer comes in thousands of them.
    _draft: list[str] = field(default_factory=list)
    _draft_reasoning: list[str] = field(default_factory=list)

    @property
    def draft(self) -> str:
        """The text of the unfinished answer."""
        return "".join(self._draft)

    @property
    def draft_reasoning(self) -> str:
        """The reasoning of the unfinished answer."""
        return "".join(self._draft_reasoning)

    def apply(self, event: Event) -> None:
        """Takes one event in. Never raises for an event that is legal by type."""
        match event:
            case TurnStarted():
                self.turns += 1
                self.step = 0
                self.state = "running"
                self.last_end = None
            case StepStarted(step=step):
                self.step = step
                self._clear_draft()
            case TextDelta(text=text):
                self._draft.append(text)
            case ThinkingDelta(text=text):
                self._draft_reasoning.append(text)
            case SegmentReset():
                self._clear_draft()
            case MessageCompleted():
                self._add_message(event)
            case ApprovalRequested(request=request):
                self.pending[request.id] = request
                self.state = "waiting"
            case ApprovalResolved(id=id_):
                self.pending.pop(id_, None)
                if not self.pending and self.state == "waiting":
                    self.state = "running"
            case ToolFinished():
                self._add_result(event)
            case StepFinished():
                self._finish_step(event)
            case ContextCompacted():
                self._compact(event)
            case TurnFinished():
                self.state = "idle"
                self.last_end = event
                self.pending.clear()
                self._clear_draft()
            case (
                ToolStarted()
                | ToolProgress()
                | ToolArgumentsDelta()
                | RetryScheduled()
                | CompactionStarted()
                | FilesChanged()
                | FactsNoticed()
                | ModelChosen()
                | Notice()
            ):
                pass

    @property
    def interrupted(self) -> bool:
        """True if the events end in the middle of a turn: the program died there."""
        return self.turns > 0 and self.last_end is None

    def context(self) -> tuple[Message, ...]:
        """What the model is to get: everything, or the newest summary and what came after it."""
        if self.compaction is None:
            return tuple(self.messages)
        kept = self.messages[self.compaction.kept_from :]
        if not self.compaction.summary:
            return tuple(kept)
        summary = Message("user", SUMMARY_OPENING + self.compaction.summary, kind="summary")
        return (summary, *kept)

    def carry(self) -> Carry:
        """What the next turn is to be told beside `context()`."""
        failed = self.summary_failed_in
        # It may be asked before or after the turn's TurnStarted.
        turn = self.turns + (1 if self.state == "idle" else 0)
        return Carry(
            first_message=self.compaction.kept_from if self.compaction else 0,
            segments=self.segments,
            prompt_tokens=self.prompt_tokens,
            model=self.model,
            summary_rests=bool(failed) and turn - failed <= SUMMARY_REST_TURNS,
            call_ids=frozenset(self.call_ids) if self.compaction else frozenset(),
        )

    def fork(self) -> Conversation:
        """A copy that goes its own way from here; what is frozen is shared."""
        copied: dict[str, Any] = {
            item.name: value.copy() if isinstance(value, list | dict | set) else value
            for item in fields(self)
            for value in (getattr(self, item.name),)
        }
        return Conversation(**copied)

    def keep_spending(self, usage: Usage, cost: float, known: bool) -> None:
        """What was spent on another branch stays spent; a smaller sum than our own changes none."""
        if usage.tokens_in + usage.tokens_out > self.usage.tokens_in + self.usage.tokens_out:
            self.usage = usage
        self.cost, self.cost_known = max(self.cost, cost), self.cost_known and known

    def _add_message(self, event: MessageCompleted) -> None:
        self.messages.append(event.message)
        self.call_ids.update(call.id for call in event.message.tool_calls)
        self._clear_draft()
        if event.message.kind == "branch":
            self.summary_failed_in, self.summary_waits = 0, False
        if event.usage is not None:
            self._count(event.usage, event.cost)
            self.model = event.model
            self.occupancy = event.usage.tokens_in + event.usage.tokens_out
            self.occupancy_messages = len(self.messages)

    def _finish_step(self, event: StepFinished) -> None:
        self.cost_estimated = self.cost_estimated or event.estimate
        if not event.purpose:
            self.segments = expanded(event.segments, self.segments)
            self.prompt_tokens = event.usage.tokens_in
            return
        self._count(event.usage, event.cost)
        if event.purpose == "summary":
            # Until it is put in place it is one that was of no use.
            self.summary_failed_in, self.summary_waits = self.turns, True

    def _compact(self, event: ContextCompacted) -> None:
        self.compaction = event
        self.compactions.append(event)
        if event.reason.startswith(SUMMARY_FAILED):
            self.summary_failed_in = self.turns
        elif self.summary_waits:
            self.summary_failed_in = 0
        self.summary_waits = False
        self.occupancy = event.after
        self.occupancy_messages = len(self.messages)

    def _clear_draft(self) -> None:
        self._draft.clear()
        self._draft_reasoning.clear()

    def _add_result(self, event: ToolFinished) -> None:
        """Puts the result behind its call, in call order whatever finished first."""
        if event.parent:
            return
        text = event.model_content or event.content
        if event.name == NAME:
            self.messages.append(_printed(event, text))
            return
        pictures = tuple(ImagePart(url) for url in event.pictures)
        result = Message(
            "tool",
            (TextPart(text), *pictures) if pictures else text,
            tool_call_id=event.call_id,
            name=event.name,
            is_error=event.is_error,
        )
        start = len(self.messages)
        while start > 0 and self.messages[start - 1].role == "tool":
            start -= 1
        order = [call.id for call in self.messages[start - 1].tool_calls] if start else []
        if event.call_id not in order:
            self.messages.append(result)
            return
        place = start
        rank = order.index(event.call_id)
        while place < len(self.messages):
            other = self.messages[place].tool_call_id
            if other in order and order.index(other) > rank:
                break
            place += 1
        self.messages.insert(place, result)

    def _count(self, usage: Usage, cost: float | None) -> None:
        self.usage = self.usage + usage
        if cost is None:
            self.cost_known = False
        else:
            self.cost += cost


def _printed(event: ToolFinished, text: str) -> Message:
    """What a command of the person's own leaves in the conversation."""
    details = event.details
    ran = OwnCommand(
        str(details.get("command", "")), event.preview, bool(details.get("private", False))
    )
    return Message(
        "user", text, kind="command", command=ran, is_error=event.is_error, id=event.call_id
    )


def expanded(segments: tuple[str, ...], before: tuple[str, ...]) -> tuple[str, ...]:
    """All hashes of a request, where its event names only those that are new."""
    if not segments or not segments[0].startswith("+"):
        return segments
    return (*before[: int(segments[0][1:])], *segments[1:])


def replay(events: Iterable[Event]) -> Conversation:
    """The conversation these events made."""
    conversation = Conversation()
    for event in events:
        conversation.apply(event)
    return conversation
