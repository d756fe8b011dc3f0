"""The colours of a long output apart from its words: stretches of one pen, found by their place."""

from __future__ import annotations

import json
import struct
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from kinet.markup.terminal_codes import PLAIN, Pen
from kinet.markup.terminal_screen import Line, without_controls

# Where a stretch begins; how long it is and which pen it has.
RECORD = struct.Struct("=QQ")
_PEN_BITS = 16
MOST_PENS = 1 << _PEN_BITS


class Inks:
    """Stretches in their order, as they lie in a file; `shift` is added to each place."""

    def __init__(self, records: bytes, pens: Sequence[Pen], shift: int = 0) -> None:
        self._numbers = memoryview(records).cast("Q")
        self._pens = pens
        self.shift = shift

    def between(self, start: int, end: int) -> Iterator[tuple[int, int, Pen]]:
        """(start, end, pen) of what is coloured between two places."""
        first, last = start - self.shift, end - self.shift
        numbers = self._numbers
        count = len(numbers) // 2
        place = bisect_right(range(count), first, key=lambda one: numbers[2 * one])
        for one in range(max(0, place - 1), count):
            begin, packed = numbers[2 * one], numbers[2 * one + 1]
            if begin >= last:
                return
            stop = min(last, begin + (packed >> _PEN_BITS))
            if stop > first:
                pen = self._pens[packed & (MOST_PENS - 1)]
                yield max(first, begin) + self.shift, stop + self.shift, pen


def record(start: int, length: int, pen: int) -> bytes:
    """A stretch as it lies in a file."""
    return RECORD.pack(start, length << _PEN_BITS | pen)


def pens_text(pens: Sequence[Pen]) -> bytes:
    """Pens as they lie in a file."""
    return json.dumps(pens, ensure_ascii=True).encode()


def pens_of(text: bytes) -> list[Pen]:
    """The pens of such a text. ValueError for any other."""
    made = json.loads(text)
    if not isinstance(made, list):
        raise ValueError("no list of pens")
    return [Pen(*map(str, one)) for one in made]


def inks_of(lines: Sequence[Line]) -> Iterator[tuple[int, int, Pen]]:
    """(start, length, pen) of what is coloured in lines that are joined to one text."""
    place = 0
    for number, line in enumerate(lines):
        place += bool(number) and not line.joined
        for text, pen in line.spans:
            length = len(without_controls(text))
            if pen != PLAIN and length:
                yield place, length, pen
            place += length
