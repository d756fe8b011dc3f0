"""Where a word stands in rows of text, and which of those places is the current one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from kinet.markup.folding import folded, places_of
from kinet.ui.kit.rows import Row

MOST = 10_000


class RowHits:
    """The places of one word, in order. Empty until `look`."""

    def __init__(self) -> None:
        self.places: list[tuple[int, int, int]] = []
        self.current = -1

    def look(self, rows: Sequence[Row], needle: str) -> None:
        """Finds `needle` in the rows, whatever its case; at most about 10,000 places."""
        self.places, self.current = [], -1
        wanted = folded(needle)
        if not wanted:
            return
        for number, row in enumerate(rows):
            for start, end in places_of(row.text, wanted):
                self.places.append((number, start, end - start))
            if len(self.places) >= MOST:
                return

    def first_from(self, row: int) -> int:
        """The number of the first place in `row` or below it; 0 if all are above."""
        place = bisect_left(self.places, (row, 0, 0))
        return place if place < len(self.places) else 0

    def between(self, first: int, last: int) -> dict[int, list[tuple[int, int, bool]]]:
        """The places in the rows from `first` to `last`: (start, length, whether current)."""
        out: dict[int, list[tuple[int, int, bool]]] = {}
        place = bisect_left(self.places, (first, 0, 0))
        while place < len(self.places) and self.places[place][0] <= last:
            row, start, length = self.places[place]
            out.setdefault(row, []).append((start, length, place == self.current))
            place += 1
        return out
