"""Turns what a program printed into rows to show: colours kept, other escapes dropped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from kinet.ui.visible_text import HIDDEN, symbol_of

# A longer line is broken for display: one unbroken line costs layout time by its square.
LONGEST_LINE = 20_000
_BROKEN_INTO = 2_000

_ESCAPE = re.compile(
    r"\x1b\[(?P<values>[0-?]*)[ -/]*(?P<final>[@-~])"  # CSI
    r"|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # OSC, also unterminated
    r"|\x1b[PX^_][^\x1b\n]*(?:\x1b\\)?"  # DCS, SOS, PM, APC
    r"|\x1b\[[0-?]*[ -/]*$|\x1b$"  # cut off at the end
    r"|\x1b[ -/]*[0-~]"  # two-byte escapes
)
_COLOURS = ("text_3", "danger", "success", "warning", "link", "magenta", "cyan", "text")


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of a row in a token's colour, perhaps on a token's ground."""

    start: int
    length: int
    token: str
    ground: str = ""


@dataclass(frozen=True, slots=True)
class TextRow:
    """One row to show. `start` and `end` are its place in the source; a `joined` row goes on from
    the one before it, which was broken for display only."""

    text: str
    runs: tuple[Run, ...] = ()
    start: int = 0
    end: int = 0
    joined: bool = False


class TerminalReader:
    """Reads output in pieces. Finished rows come once; the unfinished one can be looked at."""

    def __init__(self) -> None:
        self._tail = ""
        self._offset = 0
        self._style = ""

    def feed(self, piece: str) -> list[TextRow]:
        """Takes a piece of output and gives the rows it finished."""
        text = self._tail + piece
        rows: list[TextRow] = []
        place = 0
        while (end := text.find("\n", place)) >= 0:
            rows += self._rows(text[place:end], self._offset + place, 1)
            place = end + 1
        self._offset += place
        self._tail = text[place:]
        if len(self._tail) > LONGEST_LINE:
            # A spinner may print for ever without a line feed; only its newest state counts.
            kept = self._tail.rfind("\r", 0, -1)
            if kept > 0:
                self._offset += kept
                self._tail = self._tail[kept:]
            if len(self._tail) > LONGEST_LINE:
                rows += self._rows(self._tail, self._offset, 0)
                self._offset += len(self._tail)
                self._tail = ""
        return rows

    def rest(self) -> list[TextRow]:
        """The row that no line feed has ended yet, as it stands; empty if there is none."""
        if not self._tail:
            return []
        style = self._style
        rows = list(self._rows(self._tail, self._offset, 0))
        self._style = style
        return rows

    def _rows(self, line: str, start: int, ending: int) -> Iterator[TextRow]:
        end = start + len(line) + ending
        if line.endswith("\r"):
            line = line[:-1]
        if HIDDEN.search(line) is None:
            runs = (Run(0, len(line), self._style),) if self._style and line else ()
            shown = TextRow(line, runs, start, end)
        else:
            shown = self._interpret(line, start, end)
        yield from broken(shown)

    def _interpret(self, line: str, start: int, end: int) -> TextRow:
        """Plays the line on a row of cells, as a terminal would."""
        cells: list[tuple[str, str]] = []
        column = place = 0
        while place < len(line):
            character = line[place]
            if character == "\x1b" and (match := _ESCAPE.match(line, place)):
                column = self._escape(match, cells, column)
                place = match.end()
                continue
            place += 1
            if character == "\r":
                column = 0
            elif character == "\b":
                column = max(0, column - 1)
            elif character != "\x07":
                shown = symbol_of(character) if HIDDEN.match(character) else character
                cells[column : column + 1] = [(shown, self._style)]
                column += 1
        return _joined(cells, start, end)

    def _escape(self, match: re.Match[str], cells: list[tuple[str, str]], column: int) -> int:
        """Colours change the style, erasing clears cells; everything else has no effect."""
        final = match.group("final")
        values = match.group("values") or ""
        if final == "m":
            self._style = style_after(self._style, values)
        elif final == "K" and values in ("", "0"):
            del cells[column:]
        elif final == "K":
            cells[:] = [(" ", "")] * column
        return column


def read_all(text: str) -> list[TextRow]:
    """All rows of a finished output."""
    reader = TerminalReader()
    rows = reader.feed(text)
    return rows + reader.rest()


def broken(row: TextRow, at: tuple[int, ...] = ()) -> Iterator[TextRow]:
    """The row itself, or its parts if it is too long to be laid out at once."""
    if len(row.text) <= LONGEST_LINE and not at:
        yield row
        return
    cuts = [cut for cut in at if 0 < cut < len(row.text)]
    if len(row.text) > LONGEST_LINE:
        cuts += range(_BROKEN_INTO, len(row.text), _BROKEN_INTO)
    edges = [0, *sorted(set(cuts)), len(row.text)]
    for first, last in pairwise(edges):
        runs = tuple(_clipped(row.runs, first, last))
        closing = row.end if last == len(row.text) else row.start + last
        joined = first > 0 or row.joined
        yield TextRow(row.text[first:last], runs, row.start + first, closing, joined)


def style_after(style: str, values: str) -> str:
    """The colour token after an SGR sequence; "" is the usual colour of text."""
    numbers = [int(part) if part.isdigit() else 0 for part in re.split("[;:]", values)] or [0]
    place = 0
    while place < len(numbers):
        number = numbers[place]
        if number in (38, 48):
            length = 5 if numbers[place + 1 : place + 2] == [2] else 3
            if number == 38:
                style = _wide_colour(numbers[place + 1 : place + length])
            place += length
            continue
        if number in (0, 39):
            style = ""
        elif number == 2 and not style:
            style = "text_3"
        elif number == 22 and style == "text_3":
            style = ""
        elif 30 <= number <= 37 or 90 <= number <= 97:
            token = _COLOURS[number % 10]
            style = "" if token == "text" else token
        place += 1
    return style


def _wide_colour(values: list[int]) -> str:
    """One of the theme's colours for a colour of 256 or of 16 million: ours can be read."""
    if values[:1] == [5] and len(values) == 2:
        number = values[1]
        if number < 16:
            token = _COLOURS[number % 8]
            return "" if token == "text" else token
        if number >= 232:
            return "text_3" if number < 246 else ""
        number -= 16
        red, green, blue = number // 36 * 51, number // 6 % 6 * 51, number % 6 * 51
    elif values[:1] == [2] and len(values) == 4:
        red, green, blue = values[1:]
    else:
        return ""
    high, low = max(red, green, blue), min(red, green, blue)
    if high - low < 40:
        return "text_3" if high < 160 else ""
    middle = (high + low) / 2
    bits = (red > middle) + 2 * (green > middle) + 4 * (blue > middle)
    token = _COLOURS[bits]
    return "" if token == "text" else token


def _joined(cells: list[tuple[str, str]], start: int, end: int) -> TextRow:
    parts: list[str] = []
    runs: list[Run] = []
    length = first = 0
    style = ""
    for shown, token in [*cells, ("", "\0")]:
        if token != style:
            if style and length > first:
                runs.append(Run(first, length - first, style))
            first, style = length, token
        parts.append(shown)
        length += len(shown)
    return TextRow("".join(parts), tuple(runs), start, end)


def _clipped(runs: tuple[Run, ...], first: int, last: int) -> Iterator[Run]:
    for run in runs:
        start, end = max(run.start, first), min(run.start + run.length, last)
        if start < end:
            yield Run(start - first, end - start, run.token, run.ground)
