"""Turns what a program printed into rows to show: colours kept, bars in place, nothing hidden."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from kinet.markup.links import names_target, openable, target
from kinet.markup.terminal_codes import PLAIN, Pen
from kinet.markup.terminal_inks import Inks
from kinet.markup.terminal_screen import LONGEST_LINE, Line, Screen
from kinet.ui.kit.rows import Row, Run, said
from kinet.ui.kit.visible_text import HIDDEN, spell_out, symbol_of

__all__ = [
    "LONGEST_LINE",
    "TerminalReader",
    "broken",
    "coloured",
    "dressed",
    "read_all",
    "read_rows",
]

# One unbroken line costs layout time by its square: a longer one is broken for display.
_BROKEN_INTO = 2_000
# Characters that are read at once.
_SLICE = 65_536
_LONGEST_ASIDE = 200

# The first eight colours and their bright siblings, as the theme's own: those can be read.
_INKS = ("text_3", "danger", "success", "warning", "link", "magenta", "cyan", "")
# Where a ground is coloured, both are what they are called.
_NAMED = (
    "#26282d", "#b3261e", "#187042", "#c79a1e", "#3451c6", "#7a2fa6", "#0e7c86", "#d6d6d0",
    "#66665f", "#e5534b", "#3fb66b", "#e2b454", "#6d8cff", "#c678dd", "#3fb8c6", "#ffffff",
)  # fmt: skip


class TerminalReader:
    """Reads output in pieces. Finished rows come once; those that may change can be looked at."""

    def __init__(self) -> None:
        self._screen = Screen()

    def feed(self, piece: str) -> list[Row]:
        """Takes a piece of output and gives the rows it finished."""
        return list(_rows(self._screen.feed(piece)))

    def rest(self) -> list[Row]:
        """The rows that may still change, as they stand."""
        return list(_rows(self._screen.lines))


def read_rows(text: str) -> Iterator[Row]:
    """The rows of a finished output, one after the other, as they are asked for."""
    screen = Screen()
    for place in range(0, len(text), _SLICE):
        yield from _rows(screen.feed(text[place : place + _SLICE]))
    yield from _rows(screen.lines)


def read_all(text: str) -> list[Row]:
    """All rows of a finished output."""
    return list(read_rows(text))


def coloured(text: str, printed: str) -> Iterator[Row]:
    """The rows of `text`, in the colours of what was printed, line by line where they agree."""
    colours = _whole_lines(read_rows(printed))
    line = next(colours, None)
    for row in read_rows(text):
        if not row.joined and line is not None and said(line) == row.text:
            yield row._replace(text=line.text, runs=line.runs)
        else:
            yield row
        if not row.joined:
            line = next(colours, None)


def dressed(row: Row, source: str, inks: Inks) -> Row:
    """A row of a text in the colours of its place in it; nothing is added to its words."""
    words = source[row.start : row.end].rstrip("\n")
    places: Sequence[int] = range(len(words) + 1)
    if len(words) != len(row.text):
        # Some are shown as several signs.
        lengths = (len(symbol_of(c)) if HIDDEN.match(c) else 1 for c in words)
        places = list(accumulate(lengths, initial=0))
    if places[-1] != len(row.text):
        return row
    runs = []
    for start, end, pen in inks.between(row.start, row.start + len(words)):
        first, last = places[start - row.start], places[end - row.start]
        runs.append(Run(first, last - first, *_look(pen), pen.link))
    return row._replace(runs=tuple(runs)) if runs else row


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


def _whole_lines(rows: Iterable[Row]) -> Iterator[Row]:
    return (row for row in rows if not row.joined)


def _rows(lines: list[Line]) -> Iterator[Row]:
    for line in lines:
        spans = line.spans
        if not spans:
            yield Row("", (), line.start, line.end, line.joined)
        elif len(spans) == 1 and spans[0][1] is PLAIN and HIDDEN.search(spans[0][0]) is None:
            row = Row(spans[0][0], (), line.start, line.end, line.joined)
            yield from broken(row) if len(row.text) > LONGEST_LINE else (row,)
        else:
            yield from broken(_row(line, spans))


def _row(line: Line, spans: list[tuple[str, Pen]]) -> Row:
    parts: list[str] = []
    runs: list[Run] = []
    length = 0
    link: tuple[str, list[str]] = ("", [])
    for text, pen in [*spans, ("", PLAIN)]:
        if pen.link != link[0]:
            if aside := _aside(*link):
                runs.append(Run(length, len(aside), "text_3", "", "a"))
                parts.append(aside)
                length += len(aside)
            link = (pen.link, [])
        link[1].append(text)
        if HIDDEN.search(text) is not None:
            text = "".join(symbol_of(c) if HIDDEN.match(c) else c for c in text)
        if pen != PLAIN and text:
            token, ground, form = _look(pen)
            runs.append(Run(length, len(text), token, ground, form, pen.link))
        parts.append(text)
        length += len(text)
    return Row("".join(parts), tuple(runs), line.start, line.end, line.joined)


def _aside(address: str, words: list[str]) -> str:
    """What is told behind a link: where it leads, unless its words say so."""
    if not address:
        return ""
    text = "".join(words)
    if openable(address):
        told = "" if names_target(text, address) else target(address)
    else:
        told = "" if address in text else address[:_LONGEST_ASIDE]
    return f" {spell_out(told).text}" if told else ""


def _look(pen: Pen) -> tuple[str, str, str]:
    """(ink, ground, form) of a pen, in the words of `Run`."""
    form = "".join(mark for mark in pen.marks if mark in "bius")
    if pen.link and openable(pen.link) and "u" not in form:
        form += "u"
    if "r" in pen.marks:
        return _named(pen.ground) or "@surface", _named(pen.ink) or "@text", form
    if pen.ground:
        return _named(pen.ink) or "@text", _named(pen.ground), form
    if pen.ink[:1] == "c":
        return _INKS[int(pen.ink[1:]) % 8], "", form
    if not pen.ink and pen.link and openable(pen.link):
        return "link", "", form
    return pen.ink or ("text_3" if "d" in pen.marks else ""), "", form


def _named(colour: str) -> str:
    return _NAMED[int(colour[1:])] if colour[:1] == "c" else colour


def _clipped(runs: tuple[Run, ...], first: int, last: int) -> Iterator[Run]:
    for run in runs:
        start, end = max(run.start, first), min(run.start + run.length, last)
        if start < end:
            yield run._replace(start=start - first, length=end - start)
