"""Tells a sink what an event means: one match statement, for live and restored turns."""

from __future__ import annotations

import time

from kinet.core.events import (
    NOT_SAVED,
    ApprovalRequested,
    ApprovalResolved,
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
from kinet.core.messages import Message
from kinet.core.own_command import NAME
from kinet.ui.steps import StepBook
from kinet.ui.transcript.blocks.durations import money
from kinet.ui.transcript.entries.answer import AnswerEntry
from kinet.ui.transcript.entries.bubble import UserEntry
from kinet.ui.transcript.entries.command_entry import CommandEnd, CommandEntry
from kinet.ui.transcript.entries.compaction_entry import CompactionEntry
from kinet.ui.transcript.entries.error_card import ErrorEntry, acts_of, title_of
from kinet.ui.transcript.entries.files_entry import FilesEntry
from kinet.ui.transcript.entries.lines import MetaEntry, NoticeEntry, RetryEntry
from kinet.ui.transcript.entries.model_line import ModelLine
from kinet.ui.transcript.entries.reasoning import ReasoningEntry
from kinet.ui.transcript.entries.receipt import ReceiptEntry
from kinet.ui.transcript.entries.steps_group import StepGroup
from kinet.ui.transcript.entries.turn import Turn
from kinet.ui.transcript.entries.turn_ends import TurnEnds
from kinet.ui.transcript.stage.sink import Sink

_ENDS = {
    "step_limit": "Stopped at the step limit.",
    # Of money, of time, or of how much is written.
    "budget": "Stopped at a limit.",
    "no_progress": "Stopped: the same steps were repeated without progress.",
}


class Teller:
    """Tells one sink of the events of one session, as far as it hears them.

    What ends the turns is noted in `ends`. Before `go_live` nothing is timed here.
    """

    def __init__(self, sink: Sink, ends: TurnEnds) -> None:
        self._sink = sink
        self._ends = ends
        self._book = StepBook()
        self._turn = Turn()
        self._live = False

    def go_live(self, sink: Sink) -> None:
        """What comes from here on happens now, and is shown by `sink`."""
        self._sink, self._live = sink, True

    def show(self, event: Event) -> None:
        """Shows one event."""
        turn = self._turn
        match event:
            case TextDelta(text=text):
                self._text(text)
            case ThinkingDelta(text=text):
                self._thinking(text)
            case MessageCompleted(message=message):
                if message.role == "assistant":
                    self._answered(event)
                elif message.role == "user" and message.kind in ("", "steer"):
                    self._asked(message)
            case TurnStarted(turn_id=turn_id):
                self._begin(turn_id)
            case StepStarted():
                turn.chosen = None
                self._end_retry()
                self._begin_step()
            case SegmentReset():
                self._take_back()
            case ToolStarted() | ApprovalRequested() | ApprovalResolved():
                self._call(event)
            case ToolFinished():
                self._call(event)
                turn.count_lines(event)
            case StepFinished():
                self._step_done(event)
            case RetryScheduled(delay=delay, reason=reason):
                self._end_retry()
                turn.retry = RetryEntry(delay, reason)
                self._sink.add(turn.retry)
            case ContextCompacted(before=before, after=after, summary=summary):
                self._add_line(CompactionEntry(before, after, summary))
            case ModelChosen():
                if (chosen := _model_line(turn, self._sink, event)) is not None:
                    self._add_line(chosen)
            case FilesChanged(turn_id=turn_id) if turn_id not in ("", turn.id):
                _tell_found(self._ends, self._sink, event)
            case FilesChanged():
                turn.count_changed(event)
            case FactsNoticed(facts=facts, cost=cost):
                receipt = ReceiptEntry(facts, money(cost) if cost else "")
                self._ends.add_receipt(receipt)
                self._sink.add(receipt)
            # Of that a banner tells as long as it is true.
            case Notice(text=text, level=level, keep=keep) if event.about != NOT_SAVED:
                line = NoticeEntry(text, level)
                turn.told = text
                self._add_line(line)
                if not keep:
                    turn.passing.append(line)
            case TurnFinished():
                self._finish(event)
            case ToolProgress(call_id=call_id, text=text):
                group = turn.group
                if group is not None and group.feed(call_id, text):
                    self._sink.touch(group)
            case ToolArgumentsDelta():
                pass

    def _begin(self, turn_id: str) -> None:
        self._turn = Turn(turn_id)
        self._sink.retire()

    def _begin_step(self) -> None:
        turn = self._turn
        turn.added = []
        turn.blank = ""
        turn.calls = 0
        turn.thought_before = turn.reasoning.source if turn.reasoning else ""

    def _asked(self, message: Message) -> None:
        self._close_stretch()
        pictures = len(message.images)
        names = tuple(f"Picture {n + 1}" if pictures > 1 else "Picture" for n in range(pictures))
        addresses = tuple(picture.url for picture in message.images)
        self._sink.add(UserEntry(message.text, names, addresses))

    def _thinking(self, text: str) -> None:
        turn = self._turn
        self._end_retry()
        if turn.reasoning is None:
            if not text.strip():
                return
            turn.reasoning = ReasoningEntry()
            turn.added.append(turn.reasoning)
            self._sink.add(turn.reasoning)
        reasoning = turn.reasoning
        if not reasoning.began and self._live:
            reasoning.began = time.monotonic()
            if reasoning.source:
                text = "\n\n" + text
            self._sink.touch(reasoning)
        self._sink.stream(reasoning, text)

    def _thought(self, seconds: float = 0.0) -> None:
        """Thinking ended; `seconds` is what the engine measured, 0 where it did not."""
        reasoning = self._turn.reasoning
        if reasoning is None:
            return
        if reasoning.began:
            measured = time.monotonic() - reasoning.began
            reasoning.began = 0.0
            reasoning.seconds += measured
            self._turn.thinking_since = measured
            self._sink.touch(reasoning)
        if seconds:
            reasoning.seconds += seconds - self._turn.thinking_since
            self._turn.thinking_since = seconds
            self._sink.touch(reasoning)

    def _text(self, text: str) -> None:
        turn = self._turn
        if turn.answer is None:
            turn.blank += text
            if not turn.blank.strip():
                return
            text, turn.blank = turn.blank.lstrip("\n"), ""
            self._open_answer()
        assert turn.answer is not None
        self._sink.stream(turn.answer, text)

    def _open_answer(self) -> None:
        turn = self._turn
        self._end_retry()
        self._thought()
        self._close_group()
        turn.answer = AnswerEntry()
        turn.added.append(turn.answer)
        self._sink.add(turn.answer)

    def _answered(self, event: MessageCompleted) -> None:
        turn, message = self._turn, event.message
        # A call may end before it begins: its arguments stand only here.
        self._book.apply(event)
        self._end_retry()
        if message.reasoning and not self._live:
            before = turn.reasoning.source if turn.reasoning else ""
            text = f"{before}\n\n{message.reasoning}" if before else message.reasoning
            if turn.reasoning is None:
                turn.reasoning = ReasoningEntry()
                self._sink.add(turn.reasoning)
            self._sink.finish(turn.reasoning, text)
        elif turn.reasoning is not None:
            self._sink.finish(turn.reasoning, None)
        self._thought(event.thought_s)
        turn.thinking_since = 0.0
        text = message.text.lstrip("\n")
        if text.strip():
            if turn.answer is None:
                self._open_answer()
            assert turn.answer is not None
            self._sink.finish(turn.answer, text)
            turn.answers.append(text.rstrip("\n"))
        elif turn.answer is not None:
            self._sink.remove(turn.answer)
        if turn.answer is not None:
            turn.reasoning = None
        turn.answer, turn.added, turn.blank = None, [], ""
        if event.usage is not None:
            turn.count(event.usage, event.cost)

    def _take_back(self) -> None:
        """What the step has streamed is void."""
        turn = self._turn
        for entry in turn.added:
            self._sink.remove(entry)
        if turn.reasoning in turn.added:
            turn.reasoning = None
        elif turn.reasoning is not None:
            self._sink.finish(turn.reasoning, turn.thought_before)
            turn.reasoning.began = 0.0
        turn.answer = None
        self._begin_step()

    def _call(
        self, event: ToolStarted | ToolFinished | ApprovalRequested | ApprovalResolved
    ) -> None:
        call_id = event.request.call_id if isinstance(event, ApprovalRequested) else event.call_id
        if not call_id:
            # A question about the turn as a whole belongs to no call.
            return
        now = time.monotonic() if self._live else 0.0
        record = self._book.apply(event, now)
        if record is None:
            return
        turn = self._turn
        self._thought()
        turn.calls += 1
        if turn.group is None:
            turn.group = CommandEntry() if record.name == NAME else StepGroup()
            turn.group.put(record)
            self._sink.add(turn.group)
        else:
            turn.group.put(record)
        if self._live and not turn.group.began:
            turn.group.began = now
        self._sink.touch(turn.group)

    def _step_done(self, event: StepFinished) -> None:
        turn = self._turn
        turn.cost_estimated = turn.cost_estimated or event.estimate
        if event.purpose:
            turn.count(event.usage, event.cost)
        elif turn.calls and turn.group is not None:
            turn.group.seconds += event.duration_s
            if turn.group.began:
                turn.group.began = time.monotonic()
            self._sink.touch(turn.group)
        turn.calls = 0

    def _close_group(self) -> None:
        group = self._turn.group
        if group is not None:
            group.began = 0.0
            for record in self._book.records()[-len(group.records) :]:
                if record.call_id in group.records:
                    group.put(record)
            self._sink.touch(group)
            self._turn.group = None

    def _close_stretch(self) -> None:
        """Nothing that follows belongs to what was shown before."""
        self._thought()
        self._close_group()
        if self._turn.answer is not None:
            self._sink.finish(self._turn.answer, None)
            self._turn.answer = None
        self._turn.reasoning = None

    def _add_line(self, line: NoticeEntry | CompactionEntry) -> None:
        turn = self._turn
        if turn.answer is None:
            self._close_stretch()
        self._sink.add(line)

    def _end_retry(self) -> None:
        if self._turn.retry is not None:
            self._sink.remove(self._turn.retry)
            self._turn.retry = None

    def _finish(self, event: TurnFinished) -> None:
        turn = self._turn
        self._end_retry()
        for entry in turn.passing:
            self._sink.remove(entry)
        if turn.answer is not None:
            turn.answers.append(turn.answer.source)
        self._book.apply(event)
        if turn.group is not None and event.reason == "stopped":
            turn.group.stopped = True
        own = isinstance(turn.group, CommandEntry)
        self._close_stretch()
        if event.error is not None or event.reason == "failed":
            kind = event.error.kind if event.error else "internal"
            message = event.error.message if event.error else event.detail
            hint = event.error.hint if event.error else ""
            self._sink.add(ErrorEntry(title_of(kind), message, hint, acts_of(kind), turn.id))
        elif event.reason == "stopped":
            if not turn.id:
                # An interrupted turn was left as it is: nothing is offered for it any more.
                self._sink.retire()
            if event.detail or not own:
                self._sink.add(NoticeEntry(event.detail or "Stopped", "info", "stop"))
        elif event.reason != "completed" and not (event.detail and event.detail == turn.told):
            # What was told of the limit when it was met says more, and is not said twice.
            words = f"{_ENDS.get(event.reason, event.reason)} {event.detail}".strip()
            self._sink.add(NoticeEntry(words, "warning"))
        for found in self._ends.found_of(turn.id):
            turn.count_changed(found)
        if turn.paths:
            added, removed = turn.lines_changed()
            card = FilesEntry(tuple(turn.paths), added, removed, turn.changed_call, turn.id)
            self._ends.add_card(turn.id, card)
            self._sink.add(card)
        figures, answers = turn.figures(event), "\n\n".join(turn.answers)
        line = CommandEnd(figures, turn.id) if own else MetaEntry(figures, answers, turn.id)
        self._ends.add_line(turn.id, line)
        self._sink.add(line)
        self._turn = Turn()


def _tell_found(ends: TurnEnds, sink: Sink, event: FilesChanged) -> None:
    """What an ended turn is found to have changed, in a card of its own."""
    found = ends.add_found(event)
    if found is not None and found.is_new:
        sink.add(found.card, found.before)
    elif found is not None:
        sink.touch(found.card)


def _model_line(turn: Turn, sink: Sink, event: ModelChosen) -> ModelLine | None:
    """The line of all that was chosen, in place of the one before; None where nothing differs."""
    before, line = turn.chosen, ModelLine(event, turn.chosen)
    if before is not None and before.text:
        sink.remove(before)
    turn.chosen = line
    return line if line.text else None
