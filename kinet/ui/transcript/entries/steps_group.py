"""The tool calls of a stretch of work: one line that opens to a row for each."""

from __future__ import annotations

import time

from PySide6.QtCore import QRect

from kinet.ui.steps import StepRecord, counts_of, grown
from kinet.ui.transcript.blocks import draw
from kinet.ui.transcript.blocks.durations import duration, plural, short_duration
from kinet.ui.transcript.blocks.style import Style
from kinet.ui.transcript.entries.entry import Canvas, Entry, Hit

HEAD = 36
ROW = 28
_PAD = 4
_VERB = 72
_DURATION = 48

# state of a row: (icon, colour, word for the result column where there is no other)
MARKS = {
    "done": ("check", "success", ""),
    "failed": ("error", "danger", "failed"),
    "stopped": ("stop", "text_2", "stopped"),
    "waiting": ("alert", "warning", "waiting"),
    "denied": ("error", "text_2", "denied"),
}


class StepGroup(Entry):
    """A card of 36 with what was done; open, it has a row of 28 for each call."""

    kind = "steps"
    __slots__ = ("_head_height", "_row_height", "began", "open", "records", "seconds", "stopped")

    def __init__(self) -> None:
        super().__init__()
        self.records: dict[str, StepRecord] = {}
        self.open = False
        # Seconds of the steps that ended; time.monotonic() since when it runs, 0 when it does not.
        self.seconds = 0.0
        self.began = 0.0
        self.stopped = False
        self._head_height = self.height = HEAD
        self._row_height = ROW

    def put(self, record: StepRecord) -> None:
        """Adds a call or its newer state; the calls of an agent stand under its own."""
        if record.parent in self.records and record.call_id not in self.records:
            self.records = _put_under(record, self.records)
        else:
            self.records[record.call_id] = record
        self._measure()

    def feed(self, call_id: str, text: str) -> bool:
        """What a call printed; True where that is seen: of a server's call how far it is."""
        record = self.records.get(call_id)
        if record is None or not record.of_server:
            return False
        self.records[call_id] = grown(record, text)
        return True

    def estimate(self, style: Style, width: int) -> None:
        """The height is always exact."""
        self._head_height, self._row_height = style.room(HEAD), style.room(ROW)
        self._measure()

    def toggle(self) -> None:
        """Opens or folds the card."""
        self.open = not self.open
        self._measure()

    @property
    def is_live(self) -> bool:
        """True while a call runs."""
        return self.began > 0

    def markdown(self) -> str:
        """A list of what was done."""
        lines = []
        for record in self.records.values():
            result = record.preview or MARKS.get(record.state, ("", "", ""))[2]
            tail = f" ({result})" if result else ""
            argument = f" `{record.argument}`" if record.argument else ""
            lines.append(f"- {record.verb}{argument}{tail}")
        return "\n".join(lines)

    def spoken(self) -> str:
        """The head as a sentence."""
        title, detail = self._words(self._state(), time.monotonic())
        failed = sum(record.state == "failed" for record in self.records.values())
        return f"{title}, {detail}" + (f", {failed} failed" if failed else "")

    def spoken_rows(self) -> list[str]:
        """Each call as a sentence, also while the group is folded."""
        rows = []
        for record in self.records.values():
            result = _result(record)[0]
            state = "" if record.state == result else f", {record.state}"
            rows.append(
                f"{record.verb} {record.argument}{state}" + (f", {result}" if result else "")
            )
        return rows

    def hit(self, x: int, y: int, style: Style, width: int) -> Hit | None:
        """The head folds; a row shows its step."""
        if y < self._head_height:
            return self._head(style, width)
        number = (y - self._head_height - _PAD) // self._row_height
        rows = list(self.records)
        if self.open and 0 <= number < len(rows):
            return self._row(rows[number], number, style, width)
        return None

    def hits(self, style: Style, width: int) -> list[Hit]:
        """The head, then the rows."""
        found = [self._head(style, width)]
        if self.open:
            rows = enumerate(self.records)
            found += [self._row(call_id, number, style, width) for number, call_id in rows]
        return found

    def paint(self, canvas: Canvas) -> None:
        """Draws head and rows."""
        painter, style = canvas.painter, canvas.style
        head = self._head_height
        draw.card(painter, style, QRect(0, 0, canvas.width, self.height), "raised")
        self._paint_head(canvas, head)
        if not self.open:
            return
        draw.rule(painter, style, 1, canvas.width - 1, head, "border")
        row = self._row_height
        first = max(0, (canvas.top - head - _PAD) // row)
        last = max(0, (canvas.bottom - head - _PAD) // row + 1)
        for number, record in list(enumerate(self.records.values()))[first:last]:
            self._paint_row(canvas, record, self._row(record.call_id, number, style, canvas.width))

    def _measure(self) -> None:
        rows = len(self.records) * self._row_height + 2 * _PAD if self.open else 0
        self.height = self._head_height + rows

    def _head(self, style: Style, width: int) -> Hit:
        return Hit("fold", "", QRect(0, 0, width, self._head_height), "")

    def _row(self, call_id: str, number: int, style: Style, width: int) -> Hit:
        rect = QRect(
            1, self._head_height + _PAD + number * self._row_height, width - 2, self._row_height
        )
        record = self.records[call_id]
        # The column of the verb has little room for the name of a server.
        whole = f"{record.verb}: {record.argument}" if record.of_server else record.argument
        return Hit("step", call_id, rect, whole)

    def _state(self) -> str:
        states = [record.state for record in self.records.values()]
        if "waiting" in states:
            return "waiting"
        if self.began or "running" in states:
            return "running"
        return "stopped" if self.stopped else "done"

    def _paint_head(self, canvas: Canvas, head: int) -> None:
        painter, style = canvas.painter, canvas.style
        state = self._state()
        slot = QRect(12, 0, 16, self._head_height)
        if state == "running":
            draw.dot(painter, style, slot, "accent")
        else:
            mark = {"waiting": ("alert", "warning"), "stopped": ("stop", "text_2")}.get(state)
            name, token = mark or ("check-circle", "success")
            draw.icon(painter, style, slot, name, token, 16)
        hit = self._head(style, canvas.width)
        chevron = QRect(canvas.width - 12 - 16, 0, 16, self._head_height)
        token = "text" if canvas.is_hovered(hit) else "text_2"
        draw.icon(
            painter, style, chevron, "chevron-down" if self.open else "chevron-right", token, 16
        )
        right = QRect(0, 0, chevron.x() - 8, self._head_height)
        failed = sum(record.state == "failed" for record in self.records.values())
        counts = f"{failed} failed" if failed else counts_of(_own(self.records))
        title, detail = self._words(state, canvas.now)
        wide = style.advance(title, bold=True, digits=True) + style.advance(f" · {detail}")
        # A narrow column keeps what happened and lets the counts go.
        if 36 + wide + 24 + style.advance(counts, "meta", digits=True) < right.width():
            token = "danger" if failed else "text_3"
            draw.words(painter, style, right, counts, token, "meta", digits=True, right=True)
        line = QRect(36, 0, right.width() - 36, self._head_height)
        line.setLeft(36 + draw.words(painter, style, line, title, bold=True, digits=True))
        if detail:
            text = style.elided(f" · {detail}", line.width())
            draw.words(painter, style, line, text, "text_2")
        if canvas.is_focused(hit):
            draw.ring(painter, style, hit.rect, draw.RADIUS)

    def _words(self, state: str, now: float) -> tuple[str, str]:
        count = plural(len(_own(self.records)), "step")
        waiting = [r for r in self.records.values() if r.state == "waiting"]
        if state == "waiting":
            done = len(_own(self.records)) - len(waiting)
            after = f" after {plural(done, 'step')}" if done else ""
            return "Waiting for you", f"{plural(len(waiting), 'request')}{after}"
        if state == "running":
            spent = self.seconds + (max(now - self.began, 0) if self.began else 0)
            return f"Working {duration(round(spent))}", self._current()
        if state == "stopped":
            return "Stopped", f"{duration(self.seconds)} · {count}"
        return f"Worked {duration(self.seconds)}", count

    def _current(self) -> str:
        running = [r for r in self.records.values() if r.state == "running"]
        if not running:
            return plural(len(_own(self.records)), "step")
        record = running[-1]
        number = list(self.records).index(record.call_id) + 1
        verb = record.verb if record.of_server else record.verb.lower()
        return f"step {number}: {_DOING.get(record.verb, verb)} {record.argument}"

    def _paint_row(self, canvas: Canvas, record: StepRecord, hit: Hit) -> None:
        painter, style = canvas.painter, canvas.style
        rect = hit.rect
        chosen = canvas.selected == record.call_id
        if chosen or canvas.is_hovered(hit):
            painter.fillRect(rect, style.color("selected" if chosen else "hover"))
        if canvas.is_focused(hit):
            draw.ring(painter, style, rect, 4)
        indent = 16 if record.parent else 0
        slot = QRect(12 + indent, rect.y(), 16, self._row_height)
        mark = MARKS.get(record.state)
        if mark is None:
            draw.dot(painter, style, slot, "accent")
        else:
            draw.icon(painter, style, slot, mark[0], mark[1], 16)
        running = record.state == "running"
        verb = QRect(36 + indent, rect.y(), style.px(_VERB) - 4, self._row_height)
        draw.words(painter, style, verb, style.elided(record.verb, verb.width()), bold=running)
        spent = record.duration_s
        if running and record.started_at:
            spent = max(canvas.now - record.started_at, 0)
        right = QRect(0, rect.y(), canvas.width - 12, self._row_height)
        if spent or not running:
            text = duration(spent) if running else short_duration(spent)
            draw.words(painter, style, right, text, "text_3", "meta", digits=True, right=True)
        result, token = _result(record)
        right.setRight(canvas.width - 13 - style.px(_DURATION))
        left = 36 + indent + style.px(_VERB) + 8
        most = right.right() - left - 16
        result = style.elided(result, most * 0.6, "meta")
        taken = draw.words(painter, style, right, result, token, "meta", digits=True, right=True)
        argument = style.elided(record.argument, most - taken, "code", mono=True)
        line = QRect(left, rect.y(), most - taken + 8, self._row_height)
        strong = "text" if chosen else "text_2"
        draw.words(painter, style, line, argument, strong, "code", mono=True)


_DOING = {
    "Read": "reading",
    "Search": "searching",
    "Edit": "editing",
    "Write": "writing",
    "Command": "running",
    "Fetch": "fetching",
}


def _own(records: dict[str, StepRecord]) -> list[StepRecord]:
    """The calls of the turn itself, without those of its agents."""
    return [record for record in records.values() if not record.parent]


def _put_under(record: StepRecord, records: dict[str, StepRecord]) -> dict[str, StepRecord]:
    """The rows with `record` behind the last call of its agent."""
    rows = list(records.values())
    place = 1 + max(
        number for number, row in enumerate(rows) if record.parent in (row.call_id, row.parent)
    )
    rows.insert(place, record)
    return {row.call_id: row for row in rows}


def _result(record: StepRecord) -> tuple[str, str]:
    """The word of the result column and its colour."""
    if record.state == "running":
        return (record.newest_line if record.of_server else "") or "running", "text_3"
    details = record.details
    added, removed = details.get("added"), details.get("removed")
    token = "danger" if record.state == "failed" else "text_3"
    if record.state == "done" and isinstance(added, int) and isinstance(removed, int):
        return f"+{added} −{removed}", token
    if record.state == "failed" and isinstance(details.get("exit_code"), int):
        return f"exit {details['exit_code']}", token
    if record.state == "failed" and details.get("denied"):
        # Nobody was asked: it could not be done, or a rule forbids it.
        return "not run", token
    if record.state in ("done", "failed") and record.preview:
        return " ".join(record.preview.split()), token
    return MARKS[record.state][2], token
