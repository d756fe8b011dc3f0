"""A command of the person's own in the transcript: how it went, and the end of what it printed."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from PySide6.QtCore import QRect

from kinet.core.own_command import fenced
from kinet.ui.kit.terminal_text import read_all
from kinet.ui.steps import StepRecord
from kinet.ui.transcript.blocks import draw
from kinet.ui.transcript.blocks.durations import duration, plural, short_duration
from kinet.ui.transcript.blocks.style import Style
from kinet.ui.transcript.entries.entry import Canvas, Hit
from kinet.ui.transcript.entries.lines import Figures, MetaEntry
from kinet.ui.transcript.entries.steps_group import MARKS, StepGroup

# Lines of output that are shown; the step panel has the whole.
LINES = 12
# Characters of which they are taken: more would be read for nothing.
_NEWEST = 12_000
_LINE = 20
_PAD = 8
_FOLD = 40
_PRIVATE = "kept from the model"


class CommandEntry(StepGroup):
    """A card of 36 with the command; below it, unless folded, the newest lines it printed."""

    __slots__ = ("_line_height", "_lines", "_live", "_read_of")

    def __init__(self) -> None:
        super().__init__()
        self.open = True
        self._line_height = _LINE
        # What was printed while it ran, the newest of it.
        self._live = ""
        # The shown lines, the number of those above them, and the text they were read from.
        self._lines: tuple[tuple[str, ...], int] = ((), 0)
        self._read_of: tuple[int, str] = (0, "")

    def feed(self, call_id: str, text: str) -> bool:
        """More of its output, while it runs: its end is shown."""
        if call_id not in self.records:
            return False
        self._live += text
        if len(self._live) > 2 * _NEWEST:
            newest = self._live[-_NEWEST:]
            self._live = newest[newest.find("\n") + 1 :]
        return True

    def put(self, record: StepRecord) -> None:
        """The command, or its newer state."""
        if record.state not in ("running", "waiting"):
            self._live = ""
        super().put(record)

    def estimate(self, style: Style, width: int) -> None:
        """The height is always exact."""
        self._line_height = max(_LINE, style.theme.line_height("code"))
        super().estimate(style, width)

    def markdown(self) -> str:
        """The command, how it ended, and the lines that are shown."""
        record = self._record
        if record is None:
            return ""
        shown, above = self.lines()
        text = f"{_verb(record)} `{record.argument}` ({self._ended(record)})"
        if not shown:
            return text
        left_out = [f"[{plural(above, 'line')} above]"] if above else []
        return f"{text}\n\n{fenced(chr(10).join([*left_out, *shown]))}"

    def spoken(self) -> str:
        """The head as a sentence."""
        record = self._record
        return f"{_verb(record)} {record.argument}, {self._ended(record)}" if record else ""

    def spoken_rows(self) -> list[str]:
        """What is shown of its output."""
        shown, above = self.lines()
        before = f"{plural(above, 'line')} above. " if above else ""
        return [f"Output: {before}" + "\n".join(shown) if shown else "No output yet"]

    def lines(self) -> tuple[tuple[str, ...], int]:
        """The newest lines of the output as a terminal would show them; the number above them."""
        record = self._record
        text = "" if record is None else record.content or self._live
        key = (len(text), text[-64:])
        if key != self._read_of:
            self._read_of, self._lines = key, _newest_lines(text)
        return self._lines

    def hit(self, x: int, y: int, style: Style, width: int) -> Hit | None:
        """The chevron folds; all else shows the step."""
        return next((hit for hit in self.hits(style, width) if hit.rect.contains(x, y)), None)

    def hits(self, style: Style, width: int) -> list[Hit]:
        """The command, then the chevron."""
        record = self._record
        if record is None:
            return []
        fold = QRect(width - _FOLD, 0, _FOLD, self._head_height)
        step = Hit("step", record.call_id, QRect(0, 0, width, self.height), record.argument)
        if not self.lines()[0]:
            return [step]
        return [Hit("fold", "", fold, "Fold" if self.open else "Show what it printed"), step]

    def paint(self, canvas: Canvas) -> None:
        """Draws the head and the lines."""
        record = self._record
        if record is None:
            return
        painter, style = canvas.painter, canvas.style
        chosen, folded = canvas.selected == record.call_id, self.height == self._head_height
        fill = "selected" if chosen and folded else "raised"
        draw.card(painter, style, QRect(0, 0, canvas.width, self.height), fill)
        if chosen and not folded:
            head = QRect(0, 0, canvas.width, self._head_height)
            draw.head_fill(painter, style, head, "selected", "border")
        self._paint_command(canvas, record)
        if not folded:
            self._paint_lines(canvas)
        for hit in self.hits(style, canvas.width):
            if canvas.is_focused(hit):
                draw.ring(painter, style, hit.rect, draw.RADIUS)

    @property
    def _record(self) -> StepRecord | None:
        return next(iter(self.records.values()), None)

    def _measure(self) -> None:
        shown, above = self.lines()
        rows = len(shown) + (1 if above else 0)
        lines = rows * self._line_height + 2 * _PAD if self.open and rows else 0
        self.height = self._head_height + lines

    def _ended(self, record: StepRecord) -> str:
        """How it ended, or that it has not, and whether the model hears of it."""
        words = record.preview or MARKS.get(record.state, ("", "", ""))[2] or record.state
        if record.state in ("stopped", "waiting", "denied"):
            words = record.preview or MARKS[record.state][2]
        private = record.arguments.get("private") or record.details.get("private")
        return f"{words} · {_PRIVATE}" if private else words

    def _paint_command(self, canvas: Canvas, record: StepRecord) -> None:
        painter, style, height = canvas.painter, canvas.style, self._head_height
        slot = QRect(12, 0, 16, height)
        mark = MARKS.get(record.state)
        if mark is None:
            draw.dot(painter, style, slot, "accent")
        else:
            draw.icon(painter, style, slot, mark[0], mark[1], 16)
        right = canvas.width - 12
        if self.lines()[0]:
            name = "chevron-down" if self.open else "chevron-right"
            draw.icon(painter, style, QRect(right - 16, 0, 16, height), name, "text_2", 16)
            right -= 24
        spent = record.duration_s
        if record.state == "running" and record.started_at:
            spent = max(canvas.now - record.started_at, 0)
            words = duration(spent)
        else:
            words = short_duration(spent) if spent else ""
        if words:
            box = QRect(0, 0, right, height)
            right -= 10 + draw.words(
                painter, style, box, words, "text_3", "meta", digits=True, right=True
            )
        box = QRect(36, 0, right, height)
        left = 36 + 8 + draw.words(painter, style, box, _verb(record), bold=True)
        room = right - left
        token = "danger" if record.state == "failed" else "text_3"
        ended = style.elided(self._ended(record), room * 0.6, "meta")
        box = QRect(0, 0, right, height)
        taken = draw.words(painter, style, box, ended, token, "meta", digits=True, right=True)
        command = style.elided(record.argument, room - taken - 16, "code", mono=True)
        box = QRect(left, 0, room - taken, height)
        draw.words(painter, style, box, command, "text", "code", mono=True)

    def _paint_lines(self, canvas: Canvas) -> None:
        painter, style = canvas.painter, canvas.style
        draw.rule(painter, style, 1, canvas.width - 1, self._head_height, "border")
        shown, above = self.lines()
        row, width = self._line_height, canvas.width - 36 - 12
        top = self._head_height + _PAD
        if above:
            words = f"{plural(above, 'line')} above; the step panel has the whole"
            box = QRect(36, top, width, row)
            draw.words(painter, style, box, style.elided(words, width, "meta"), "text_3", "meta")
            top += row
        for number, line in enumerate(shown):
            text = style.elided(line, width, "code", mono=True)
            box = QRect(36, top + number * row, width, row)
            draw.words(painter, style, box, text, "text_2", "code", mono=True)


class CommandEnd(MetaEntry):
    """The quiet line below it: the time, and the switch of branches. No model answered."""

    __slots__ = ()

    def __init__(self, figures: Figures, turn_id: str) -> None:
        # How long it took stands beside the command.
        super().__init__(replace(figures, seconds=""), "", turn_id)

    def hits(self, style: Style, width: int) -> list[Hit]:
        """The switch alone."""
        return self._switch(width + 6)


def _verb(record: StepRecord) -> str:
    """Before a question is answered with yes nothing was run."""
    return "Your command" if record.state in ("waiting", "denied") else record.verb


def _newest_lines(text: str) -> tuple[tuple[str, ...], int]:
    newest = text[-_NEWEST:]
    if len(newest) < len(text):
        # A code that colours may have been cut; it is in the line that was cut.
        newest = newest[newest.find("\n") + 1 :]
    above = text.count("\n", 0, len(text) - len(newest))
    rows = [row.text for row in read_all(newest)]
    while rows and not rows[-1].strip():
        rows.pop()
    return tuple(islice(rows, max(0, len(rows) - LINES), None)), above + max(0, len(rows) - LINES)
