"""Turns what a program printed into rows to show: colours kept, other escapes dropped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from kinet.ui.kit.rows import Row, Run
from kinet.ui.kit.visible_text import HIDDEN, symbol_of

# A longer line is broken for display: one unbroken line costs layout time by its square.
LONGEST_LINE = 20_000
_BROKEN_INTO = 2_000
# Characters that are read at once.
_SLICE = 65_536

_ESCAPE = re.compile(
    r"\x1b\[(?P<values>[0-?]*)[ -/]*(?P<final>[@-~])"  # CSI
    r"|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # OSC, also unterminated
    r"|\x1b[PX^_][^\x1b\n]*(?:\x1b\\)?"  # DCS, SOS, PM, APC
    r"|\x1b\[[0-?]*[ -/]*$|\x1b$"  # cut off at the end
    r"|\x1b[ -/]*[0-~]"  # two-byte escapes
)
# The farthest that one sequence moves the cursor.
_FARTHEST = 1_000
_LEVELS = (0, 95, 135, 175, 215, 255)
_COLOURS = ("text_3", "danger", "success", "warning", "link", "magenta", "cyan", "text")


class TerminalReader:
    """Reads output in pieces. Finished rows come once; the unfinished one can be looked at."""

    def __init__(self) -> None:
        self._tail = ""
        self._offset = 0
        self._style = ""

    def feed(self, piece: str) -> list[Row]:
        """Takes a piece of output and gives the rows it finished."""
        text = self._tail + piece
        rows: list[Row] = []
        place = 0
        offset = self._offset
        # Most output is plain; it goes the short way, a row a line.
        plain = not self._style and HIDDEN.search(text) is None
        while (end := text.find("\n", place)) >= 0:
            if plain and end - place <= LONGEST_LINE:
                rows.append(Row(text[place:end], (), offset + place, offset + end + 1))
            else:
                rows += self._rows(text[place:end], offset + place, 1)
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

    def rest(self) -> list[Row]:
        """The row that no line feed has ended yet, as it stands; empty if there is none."""
        if not self._tail:
            return []
        style = self._style
        rows = list(self._rows(self._tail, self._offset, 0))
        self._style = style
        return rows

    def _rows(self, line: str, start: int, ending: int) -> Iterator[Row]:
        end = start + len(line) + ending
        if line.endswith("\r"):
            line = line[:-1]
        if HIDDEN.search(line) is None:
            runs = (Run(0, len(line), self._style),) if self._style and line else ()
            shown = Row(line, runs, start, end)
        else:
            shown = self._coloured(line, start, end) or self._interpret(line, start, end)
        yield from broken(shown)

    def _coloured(self, line: str, start: int, end: int) -> Row | None:
        """The short way for a line that holds colours and nothing else; None if it holds more."""
        pieces: list[str] = []
        runs: list[Run] = []
        style = self._style
        length = place = 0
        while True:
            match = _ESCAPE.search(line, place)
            piece = line[place : match.start()] if match else line[place:]
            if HIDDEN.search(piece) is not None:
                return None
            if piece:
                if style:
                    runs.append(Run(length, len(piece), style))
                pieces.append(piece)
                length += len(piece)
            if match is None:
                self._style = style
                return Row("".join(pieces), tuple(runs), start, end)
            if match.group("final") in ("K", "C", "D", "G"):
                return None
            if match.group("final") == "m":
                style = style_after(style, match.group("values") or "")
            place = match.end()

    def _interpret(self, line: str, start: int, end: int) -> Row:
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
                cells += [(" ", "")] * (column - len(cells))
                cells[column : column + 1] = [(shown, self._style)]
                column += 1
        return _joined(cells, start, end)

    def _escape(self, match: re.Match[str], cells: list[tuple[str, str]], column: int) -> int:
        """Colours change the style, erasing clears cells, and the cursor moves within its line;
        everything else has no effect."""
        final = match.group("final")
        values = match.group("values") or ""
        if final == "m":
            self._style = style_after(self._style, values)
        elif final == "K" and values in ("", "0"):
            del cells[column:]
        elif final == "K":
            cells[:] = [(" ", "")] * column
        elif final in ("C", "D", "G"):
            steps = min(int(values), _FARTHEST) if values.isdigit() else 1
            if final == "G":
                return max(0, steps - 1)
            return column + max(1, steps) if final == "C" else max(0, column - max(1, steps))
        return column


def read_rows(text: str) -> Iterator[Row]:
    """The rows of a finished output, one after the other, as they are asked for."""
    reader = TerminalReader()
    place = 0
    while place < len(text):
        end = text.find("\n", place + _SLICE)
        end = len(text) if end < 0 else end + 1
        yield from reader.feed(text[place:end])
        place = end
    yield from reader.rest()


def read_all(text: str) -> list[Row]:
    """All rows of a finished output."""
    return list(read_rows(text))


def broken(row: Row, at: tuple[int, ...] = ()) -> Iterator[Row]:
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
        yield Row(row.text[first:last], runs, row.start + first, closing, joined)


def style_after(style: str, values: str) -> str:
    """The colour token after an SGR sequence; "" is the usual colour of text."""
    # With colons a place for the colour space may stand before the three parts.
    parts = re.split("[;:]", values.replace("2::", "2:"))
    numbers = [int(part) if part.isdigit() else 0 for part in parts] or [0]
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
        red, green, blue = (_LEVELS[level % 6] for level in (number // 36, number // 6, number))
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


def _joined(cells: list[tuple[str, str]], start: int, end: int) -> Row:
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
    return Row("".join(parts), tuple(runs), start, end)


def _clipped(runs: tuple[Run, ...], first: int, last: int) -> Iterator[Run]:
    for run in runs:
        start, end = max(run.start, first), min(run.start + run.length, last)
        if start < end:
            yield Run(start - first, end - start, run.token, run.ground)
