"""Finds words of a conversation as they are read, also in steps that are folded."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QTextBlock, QTextDocument

from kinet.markup.folding import as_read, folded, places_of, searchable
from kinet.markup.visible import without_escapes
from kinet.ui.steps import StepRecord
from kinet.ui.transcript.blocks.documents import reading_order
from kinet.ui.transcript.blocks.formula_objects import OBJECT, pictures
from kinet.ui.transcript.blocks.formula_shelf import source_of
from kinet.ui.transcript.entries.entry import Entry
from kinet.ui.transcript.entries.steps_group import StepGroup
from kinet.ui.transcript.entries.text_entry import TextEntry
from kinet.ui.transcript.stage.flow import Flow

# What most conversations need at most; the slices after it leave the window room to breathe.
_FIRST_SECONDS = 0.01
_SLICE_SECONDS = 0.006
_MOST_MARKED = 500


@dataclass(frozen=True)
class Match:
    """One place: entry and block, and the how manyth in it; or the call whose output has it."""

    entry: int
    piece: int = 0
    number: int = 0
    call_id: str = ""


class Finder(QObject):
    """The places of one text, and which of them is the current one.

    A very long conversation is looked through in slices; `found` then tells the answer.
    """

    found = Signal(int, int)  # number of the place from 1, number of all; 0, 0 for none
    # The current place is one that was asked for: it is to be shown.
    arrived = Signal()

    def __init__(self, flow: Flow, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._flow = flow
        self.text = ""
        self.current: Match | None = None
        # (number of an entry, how many places it has), in their order.
        self._hits: list[tuple[int, int]] = []
        # The current place: number in `_hits`, and the how manyth there.
        self._at: tuple[int, int] | None = None
        self._stamp = (-1, -1)
        self._step = 0
        self._looked = 0
        self._stay = False
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._look_on)

    def next(self, text: str, backwards: bool) -> tuple[int, int] | None:
        """Goes to the next place: (its number from 1, number of all); (0, 0) for none.

        None means that it takes longer: `found` comes when it is done.
        """
        # A letter more stays where it is, as long as that place still fits.
        other = text != self.text
        self._step = -1 if backwards else 1
        if other or self._stamp != self._now():
            self.text = text
            return self._begin(stay=other)
        self._stay = False
        if self._timer.isActive() or not self._is_split(_FIRST_SECONDS):
            self._timer.start()
            return None
        return self._arrive(stay=False)

    @property
    def is_idle(self) -> bool:
        """False while it looks through a long conversation."""
        return not self._timer.isActive()

    def renew(self) -> None:
        """There is more to look through: counts again, and stays where it is."""
        if self.text and self._stamp[0] != len(self._flow.entries):
            self._step = 0
            found = self._begin(stay=True)
            if found is not None:
                self.found.emit(*found)

    def move(self, count: int) -> None:
        """So many entries came above."""
        self._hits = [(entry + count, number) for entry, number in self._hits]
        if self.current is not None:
            self.current = replace(self.current, entry=self.current.entry + count)
        self._stamp = (-1, -1)

    def clear(self) -> None:
        """Forgets the text."""
        self._timer.stop()
        self.text = ""
        self.current = None
        self._hits, self._at = [], None
        self._stamp = (-1, -1)

    def _now(self) -> tuple[int, int]:
        return len(self._flow.entries), self._flow.revision

    def _begin(self, *, stay: bool) -> tuple[int, int] | None:
        self._stamp = self._now()
        self._hits, self._at, self._looked = [], None, 0
        self._stay = stay
        if not (self._look(_FIRST_SECONDS) and self._is_split(_SLICE_SECONDS)):
            self._timer.start()
            return None
        self._timer.stop()
        return self._arrive(stay=stay)

    def _look(self, seconds: float) -> bool:
        """Looks on for some time; True when everything was looked through."""
        entries, text = self._flow.entries, folded(self.text)
        deadline = time.perf_counter() + seconds
        while text and self._looked < len(entries):
            count = _places_in(entries[self._looked], text)
            if count:
                self._hits.append((self._looked, count))
            self._looked += 1
            if time.perf_counter() > deadline:
                return False
        return True

    def _look_on(self) -> None:
        if self._look(_SLICE_SECONDS) and self._is_split(_SLICE_SECONDS):
            self._timer.stop()
            self.found.emit(*self._arrive(stay=self._stay))
            if self._step:
                self.arrived.emit()

    def _is_split(self, seconds: float) -> bool:
        """Splits the messages it may arrive at into their blocks, a long one bit by bit; True when
        that is done."""
        numbers = [number for number, _ in self._hits]
        here = self.current.entry if self.current is not None else -1
        if here in numbers:
            place = numbers.index(here)
            wanted = {here, numbers[(place + self._step) % len(numbers)]}
        else:
            wanted = {numbers[-1 if self._step < 0 else 0]} if numbers else set()
        deadline = time.perf_counter() + seconds
        entries = (self._flow.entries[number] for number in wanted)
        return all(entry.split(deadline) for entry in entries if isinstance(entry, TextEntry))

    def _arrive(self, *, stay: bool) -> tuple[int, int]:
        """Goes a step from where it was; with `stay` only if that is no place any more."""
        if not self._hits:
            self.current = self._at = None
            return 0, 0
        kept = self._at or self._place_of(self.current)
        if kept is None:
            back = self._step < 0
            last = len(self._hits) - 1
            self._at = (last, self._hits[last][1] - 1) if back else (0, 0)
        else:
            self._at = kept if stay else self._beside(kept)
        place, number = self._at
        self.current = self._match(self._hits[place][0], number)
        counts = [count for _, count in self._hits]
        return sum(counts[:place]) + number + 1, sum(counts)

    def _beside(self, at: tuple[int, int]) -> tuple[int, int]:
        place, number = at[0], at[1] + self._step
        if number >= self._hits[place][1]:
            return (place + 1) % len(self._hits), 0
        if number < 0:
            place = (place - 1) % len(self._hits)
            return place, self._hits[place][1] - 1
        return place, number

    def _place_of(self, match: Match | None) -> tuple[int, int] | None:
        """Where a match of another search stands in this one."""
        if match is None:
            return None
        for place, (entry, count) in enumerate(self._hits):
            if entry == match.entry:
                numbers = range(count)
                return next(((place, n) for n in numbers if self._match(entry, n) == match), None)
        return None

    def _match(self, number: int, nth: int) -> Match:
        """The nth place of an entry; only now its blocks are made."""
        entry, text = self._flow.entries[number], folded(self.text)
        if isinstance(entry, StepGroup):
            records = [r for r in entry.records.values() if _in_step(r, text)]
            return Match(number, call_id=records[nth].call_id)
        assert isinstance(entry, TextEntry)
        for place, piece in enumerate(entry.pieces):
            count = searchable(piece.block.source, text, typed=entry.plain).count(text)
            if nth < count:
                return Match(number, place, nth)
            nth -= count
        # It lies across the border of two blocks.
        return Match(number, max(0, len(entry.pieces) - 1))


def _places_in(entry: Entry, text: str) -> int:
    if isinstance(entry, StepGroup):
        return sum(_in_step(record, text) for record in entry.records.values())
    if not isinstance(entry, TextEntry):
        return 0
    return searchable(entry.source, text, typed=entry.plain).count(text)


def occurrences(document: QTextDocument, text: str) -> list[tuple[int, int]]:
    """(start, end) of each place of a text in a document, in its UTF-16 places; 500 at most.

    A formula that is drawn is marked whole, once for each place in its source.
    """
    needle = folded(text)
    found: list[tuple[int, int]] = []
    if not needle:
        return found
    for block in reading_order(document):
        line, begin = block.text(), block.position()
        if OBJECT in line:
            found += _beside_formulas(block, needle)
        else:
            for first, last in places_of(line, needle):
                start = begin + _units(line[:first])
                found.append((start, start + _units(line[first:last])))
        if len(found) >= _MOST_MARKED:
            break
    return found


def _beside_formulas(block: QTextBlock, needle: str) -> list[tuple[int, int]]:
    """The places in a paragraph with formulas that are drawn: their sources are what is read."""
    names = iter(pictures(block))
    said: list[str] = []
    # For each character of what is read, the part of the paragraph that shows it.
    places: list[tuple[int, int]] = []
    here = block.position()
    for character in block.text():
        wide = 1 if character <= "\uffff" else 2
        read = as_read(source_of(next(names, "")), needle) if character == OBJECT else character
        said.append(read)
        places += [(here, here + wide)] * len(read)
        here += wide
    return [
        (places[first][0], places[last - 1][1]) for first, last in places_of("".join(said), needle)
    ]


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _in_step(record: StepRecord, text: str) -> bool:
    texts = (record.argument, record.preview, record.content)
    return any(text in folded(without_escapes(said)) for said in texts)
