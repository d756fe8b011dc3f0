"""Places of things that stand one below the other, quick to ask however many there are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate

# Things are summed up in groups of so many: a change costs one group, and one look at all sums.
GROUP = 256


class Stack:
    """Upper edges of things whose extents `extents(start, stop)` gives; stop None is the end.

    What is new at the end is noticed by itself; everything else has to be told.
    """

    def __init__(self, extents: Callable[[int, int | None], list[int]]) -> None:
        self._extents = extents
        # What each thing has; from `_clean` on it is not known any more.
        self._known: list[int] = []
        self._clean = 0
        # Groups of which something has changed.
        self._changed: set[int] = set()
        # The upper edge of each group, and the lower edge of the last.
        self._edges: list[int] = [0]

    def spoil(self, place: int) -> None:
        """Says that thing `place` and all after it may be others, or have other extents."""
        self._clean = min(self._clean, place)

    def change(self, place: int) -> None:
        """Says that thing `place` alone has another extent."""
        if place < self._clean:
            self._changed.add(place // GROUP)

    def prepend(self, count: int) -> None:
        """Says that so many things came above all others, which stay what they were."""
        self._known[:0] = self._extents(0, count)
        self._clean += count
        for group in self._changed:
            start = count + group * GROUP
            stop = min(start + GROUP, self._clean)
            self._known[start:stop] = self._extents(start, stop)
        self._changed.clear()
        self._sum_up(0)

    def top(self, place: int) -> int:
        """The upper edge of thing `place`, or the lower edge of the last one."""
        self._renew()
        group = min(place // GROUP, len(self._edges) - 1)
        return self._edges[group] + sum(self._known[group * GROUP : place])

    def extent(self, place: int) -> int:
        """The extent that thing `place` had when it was asked last."""
        self._renew()
        return self._known[place]

    def total(self) -> int:
        """The extent of all."""
        self._renew()
        return self._edges[-1]

    def at(self, position: int) -> int:
        """The number of the thing at `position`; the first or last where there is none."""
        self._renew()
        group = max(0, min(bisect_right(self._edges, position), len(self._edges) - 1) - 1)
        start = group * GROUP
        edges = list(accumulate(self._known[start : start + GROUP], initial=self._edges[group]))
        place = start + bisect_right(edges, position) - 1
        return max(0, min(place, len(self._known) - 1))

    def _renew(self) -> None:
        first: int | None = None
        newer = self._extents(self._clean, None)
        if newer or self._clean < len(self._known):
            first = self._clean // GROUP
            self._known[self._clean :] = newer
        if self._changed:
            for group in self._changed:
                start, stop = group * GROUP, min((group + 1) * GROUP, self._clean)
                if start < stop:
                    self._known[start:stop] = self._extents(start, stop)
            lowest = min(self._changed)
            first = lowest if first is None else min(first, lowest)
            self._changed.clear()
        self._clean = len(self._known)
        if first is not None:
            self._sum_up(first)

    def _sum_up(self, first: int) -> None:
        """Counts the edges anew from group `first` on."""
        first = min(first, len(self._edges) - 1)
        starts = range(first * GROUP, len(self._known), GROUP)
        sums = (sum(self._known[start : start + GROUP]) for start in starts)
        self._edges[first:] = accumulate(sums, initial=self._edges[first])
