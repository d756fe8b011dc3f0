"""What the turn that runs has shown so far, and what it took."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from kinet.core.completion import Usage
from kinet.core.events import FilesChanged, ToolFinished, TurnFinished
from kinet.ui.transcript.blocks.durations import duration, money
from kinet.ui.transcript.entries.answer import AnswerEntry
from kinet.ui.transcript.entries.entry import Entry
from kinet.ui.transcript.entries.lines import Figures, NoticeEntry
from kinet.ui.transcript.entries.model_line import ModelLine
from kinet.ui.transcript.entries.reasoning import ReasoningEntry
from kinet.ui.transcript.entries.steps_group import StepGroup


@dataclass
class Turn:
    """One turn: the entries that are open, and the sums."""

    id: str = ""
    answer: AnswerEntry | None = None
    reasoning: ReasoningEntry | None = None
    group: StepGroup | None = None
    retry: NoticeEntry | None = None
    # What was chosen since the last request.
    chosen: ModelLine | None = None
    # What the newest notice said: the end of the turn need not say it again.
    told: str = ""
    # Leading blank text of a step: most often it is all there is before a tool call.
    blank: str = ""
    # What the current step has added, to be taken back if the request is made again.
    added: list[Entry] = field(default_factory=list)
    thought_before: str = ""
    calls: int = 0
    thinking_since: float = 0.0
    passing: list[Entry] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    cost: float = 0.0
    cost_known: bool = True
    cost_estimated: bool = False
    paths: dict[str, None] = field(default_factory=dict)
    # Lines added and removed, by call; what a call's own event of changed files says counts.
    lines: dict[str, tuple[int, int]] = field(default_factory=dict)
    changed_call: str = ""

    def count(self, usage: Usage, cost: float | None) -> None:
        """Adds what a model call took; `cost` is None where its price is not known."""
        self.usage = self.usage + usage
        self.cost += cost or 0.0
        self.cost_known = self.cost_known and cost is not None

    def count_lines(self, event: ToolFinished) -> None:
        """Adds the lines that a call has changed."""
        added, removed = event.details.get("added"), event.details.get("removed")
        if not event.is_error and isinstance(added, int) and isinstance(removed, int):
            self.lines[event.call_id] = (added, removed)

    def count_changed(self, event: FilesChanged) -> None:
        """The same, where the event itself tells the lines; and the files."""
        self.paths.update(dict.fromkeys(event.paths))
        self.changed_call = event.call_id or self.changed_call
        if event.added is not None and event.removed is not None:
            self.lines[event.call_id] = (event.added, event.removed)

    def lines_changed(self) -> tuple[int, int]:
        """Lines added and removed in all."""
        counts = self.lines.values()
        return sum(added for added, _ in counts), sum(removed for _, removed in counts)

    def figures(self, event: TurnFinished) -> Figures:
        """The line that ends the turn."""
        cost = money(self.cost, self.cost_known, self.cost_estimated)
        return Figures(
            at=time.strftime("%H:%M", time.localtime(event.at)) if event.at else "",
            tokens_in=self.usage.tokens_in,
            cached=self.usage.cache_read,
            tokens_out=self.usage.tokens_out,
            cost=cost if self.usage.tokens_in else "",
            seconds=duration(event.duration_s) if event.duration_s >= 0.5 else "",
        )
