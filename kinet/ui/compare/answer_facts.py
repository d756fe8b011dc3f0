"""What is shown of one alternative: its entries, as in the conversation, and its facts in words."""

from __future__ import annotations

from dataclasses import dataclass

from kinet.core.alternatives import Alternative
from kinet.core.events import MessageCompleted, ToolStarted, TurnFinished
from kinet.ui.transcript.blocks.durations import plural
from kinet.ui.transcript.entries.entry import Entry
from kinet.ui.transcript.entries.lines import MetaEntry, NoticeEntry
from kinet.ui.transcript.entries.turn_ends import TurnEnds
from kinet.ui.transcript.stage.sink import Sheet
from kinet.ui.transcript.teller import Teller

_ENDS = {
    "stopped": "stopped",
    "failed": "failed",
    "step_limit": "stopped at the step limit",
    "budget": "stopped at a limit",
    "no_progress": "stopped without progress",
}


@dataclass(frozen=True, slots=True)
class AnswerFacts:
    """`name` tells it from the others, `line` is what it took, `answer` its Markdown."""

    name: str
    model: str
    line: str
    answer: str


def entries_of(alternative: Alternative) -> tuple[list[Entry], AnswerFacts]:
    """Question, steps and answer of the turn, and its facts; the line that ends it is among these.

    Nothing is laid out yet.
    """
    sheet = Sheet()
    teller = Teller(sheet, TurnEnds())
    for event in alternative.events:
        teller.show(event)
    # Nothing is asked again from here.
    sheet.retire()
    line = next((item for item in reversed(sheet.entries) if isinstance(item, MetaEntry)), None)
    entries = [item for item in sheet.entries if not isinstance(item, MetaEntry)]
    if not any(item.kind in ("answer", "error", "notice") for item in entries):
        entries.append(NoticeEntry("There is no answer on this branch."))
    return entries, _facts(alternative, line)


def _facts(alternative: Alternative, line: MetaEntry | None) -> AnswerFacts:
    models = dict.fromkeys(
        event.model
        for event in alternative.events
        if isinstance(event, MessageCompleted) and event.message.role == "assistant" and event.model
    )
    model = ", ".join(models)
    if alternative.profile and alternative.profile not in models:
        # What the person chose it by; the server has its own name for it.
        model = f"{alternative.profile} ({model})" if model else alternative.profile
    ends = [event.reason for event in alternative.events if isinstance(event, TurnFinished)]
    steps = sum(isinstance(event, ToolStarted) and not event.parent for event in alternative.events)
    parts = [
        model,
        f"effort {alternative.effort}" if alternative.effort else "",
        _ENDS.get(ends[-1], "") if ends else "interrupted",
        plural(steps, "step") if steps else "",
        *(line.figures.parts() if line is not None else ()),
    ]
    if alternative.following:
        parts.append(f"{plural(alternative.following, 'turn')} behind it")
    return AnswerFacts(
        f"Answer {alternative.number}",
        model,
        " · ".join(part for part in parts if part),
        line.answer if line is not None else "",
    )
