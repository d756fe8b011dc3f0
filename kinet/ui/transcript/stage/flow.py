"""All entries, one below the other: where each stands, and which are seen."""

from __future__ import annotations

import time
from collections.abc import Iterable

from kinet.ui.transcript.blocks.pieces import DocumentCache
from kinet.ui.transcript.blocks.stack import Stack
from kinet.ui.transcript.blocks.style import BOTTOM, TOP, Style
from kinet.ui.transcript.entries.entry import Entry, Room, gap_between
from kinet.ui.transcript.entries.text_entry import TextEntry


class Flow:
    """The entries and their places. Heights are estimates for what was not seen yet."""

    def __init__(self, style: Style) -> None:
        self.style = style
        self.width = 720
        self.entries: list[Entry] = []
        # The order of the first entry; those of the others follow it.
        self._first = 0
        self.cache = DocumentCache()
        self._stack = Stack(lambda start, stop: _extents(self.entries, start, stop))
        # Counts the looks and widths; entries before `stale` may have heights of an older one.
        self._stamp = 0
        # Counts the changes of what the entries say.
        self.revision = 0
        self.stale = 0

    def set_entries(self, entries: Iterable[Entry]) -> None:
        """Shows other entries; their heights are guessed, nothing is laid out."""
        self.entries = list(entries)
        self.cache.clear()
        self.measure(self.entries)
        self.stale = 0
        _number(self.entries, self._first, 0)
        self._stack.spoil(0)

    def measure(self, entries: list[Entry]) -> None:
        """Guesses heights and gaps of entries that follow each other; nothing is laid out."""
        before = ""
        for entry in entries:
            entry.gap = gap_between(before, entry.kind) if before else 0
            before = entry.kind
            self._estimate(entry)

    def prepend(self, entries: list[Entry]) -> None:
        """Puts measured entries above all others."""
        count = len(entries)
        self.entries[:0] = entries
        self._first -= count
        _number(self.entries, self._first, 0, count)
        if self.stale:
            self.stale += count
        for number in (0, count):
            _set_gap(self.entries, number)
        self._stack.prepend(count)
        self._stack.change(count)

    def add(self, entry: Entry) -> None:
        """Puts an entry at the end."""
        self._estimate(entry)
        self.entries.append(entry)
        _number(self.entries, self._first, len(self.entries) - 1)
        self._set_gaps(len(self.entries) - 1)

    def insert_before(self, entry: Entry, other: Entry) -> None:
        """Puts an entry before another."""
        self.revision += 1
        place = self.place_of(other)
        self._estimate(entry)
        self.entries.insert(place, entry)
        self.stale += place < self.stale
        _number(self.entries, self._first, place)
        self._set_gaps(place)

    def remove(self, entry: Entry) -> None:
        """Takes an entry out; nothing happens if it is not there."""
        place = self.place_of(entry)
        if place >= 0:
            self.revision += 1
            del self.entries[place]
            self.stale -= place < self.stale
            _number(self.entries, self._first, place)
            self._set_gaps(place)

    def changed(self, entry: Entry, *, said: bool = False) -> None:
        """Says that an entry has another height, or (`said`) says something else."""
        self.revision += said
        place = self.place_of(entry)
        if place >= 0:
            self._stack.change(place)

    def place_of(self, entry: Entry) -> int:
        """The entry's number, -1 if it is not there."""
        place = entry.order - self._first
        there = 0 <= place < len(self.entries) and self.entries[place] is entry
        return place if there else -1

    def restyle(self, style: Style, width: int) -> None:
        """Takes other looks or another width: what was laid out is an estimate again.

        What is seen is measured when it is settled, the rest by `guess`. Other colours alone
        change no height.
        """
        same = width == self.width and style.theme.zoom == self.style.theme.zoom
        if style is not self.style:
            self.cache.clear()
        self.style = style
        self.width = width
        if not same:
            self._stamp += 1
            self.stale = len(self.entries)

    def guess(self, deadline: float) -> bool:
        """Guesses heights that are of older looks, newest first; True when there are none.

        Then `take_guessed` moves everything to where it belongs, in one go.
        """
        start = -1
        while self.stale:
            self.stale = min(self.stale, len(self.entries)) - 1
            if self.stale < 0:
                break
            if start < 0:
                start = self._stack.start_of(self.stale)
            entry = self.entries[self.stale]
            if entry.stamp != self._stamp:
                self._estimate(entry)
            if self.stale == start:
                self._stack.prepare(start)
                start = -1
            if self.stale % 32 == 0 and time.perf_counter() > deadline:
                break
        self.stale = max(0, self.stale)
        return not self.stale

    def take_guessed(self) -> None:
        """What was guessed counts from here on."""
        self._stack.take()

    def drop_formulas(self) -> None:
        """Forgets the documents of blocks that may hold a formula; their heights stay."""
        for entry in self.entries:
            if isinstance(entry, TextEntry) and entry.blocks is not None and not entry.plain:
                for piece in entry.blocks.pieces:
                    if piece.document is not None and piece.may_hold_formula:
                        piece.drop()

    @property
    def height(self) -> int:
        """The height of everything, with the space above and below."""
        return TOP + self._stack.total() + BOTTOM

    def top_of(self, place: int) -> int:
        """The upper edge of entry number `place`, below the gap above it."""
        return TOP + self._stack.top(place) + self.entries[place].gap

    def at(self, y: int) -> int:
        """The number of the entry at a height; -1 if there are none."""
        return self._stack.at(y - TOP) if self.entries else -1

    def seen(self, top: int, bottom: int) -> range:
        """The numbers of the entries between two heights."""
        if not self.entries:
            return range(0)
        return range(self.at(top), self.at(max(bottom - 1, 0)) + 1)

    def settle(self, top: int, bottom: int, deadline: float, *, upwards: bool) -> tuple[bool, bool]:
        """Lays out what lies between two heights: (something moved, everything is done)."""
        moved, done = False, True
        places = self.seen(top, bottom)
        for place in reversed(places) if upwards else places:
            entry = self.entries[place]
            above = self.top_of(place)
            room = Room(
                self.style, self.width, self.cache, deadline, top - above, bottom - above, upwards
            )
            # A document that was read meanwhile may have measured the entry already.
            before = self._stack.extent(place)
            if entry.stamp != self._stamp:
                self._estimate(entry)
            done = entry.settle(room) and done
            if entry.gap + entry.height != before:
                self._stack.change(place)
                moved = True
        return moved, done

    def _estimate(self, entry: Entry) -> None:
        entry.estimate(self.style, self.width)
        entry.stamp = self._stamp

    def _set_gaps(self, place: int) -> None:
        for number in (place, place + 1):
            _set_gap(self.entries, number)
        self._stack.spoil(place)


def _extents(entries: list[Entry], start: int, stop: int | None) -> list[int]:
    return [entry.gap + entry.height for entry in entries[start:stop]]


def _number(entries: list[Entry], first: int, start: int, stop: int | None = None) -> None:
    """Gives the entries from `start` on their order anew; the first of all has `first`."""
    for order, entry in enumerate(entries[start:stop], first + start):
        entry.order = order


def _set_gap(entries: list[Entry], number: int) -> None:
    if 0 <= number < len(entries):
        before = entries[number - 1].kind if number else ""
        entry = entries[number]
        entry.gap = gap_between(before, entry.kind) if before else 0
