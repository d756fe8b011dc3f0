"""Places of things that stand one below the other, quick to ask however many there are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate

# Things are summed up in groups of at most so many: a change costs one group, and one look at the
# sums of all.
GROUP = 256


class Stack:
    """Upper edges of things whose extents `extents(start, stop)` gives; stop None is the end.

    What is new at the end is noticed by itself; everything else has to be told.
    """

    def __init__(self, extents: Callable[[int, int | None], list[int]]) -> None:
        self._extents = extents
        # What each thing has, group by group; from `_clean` on it is not known any more.
        self._groups: list[list[int]] = []
        self._clean = 0
        # The number of the first thing of each group, and of all; the upper edge of each group, and
        # the lower edge of the last.
        self._starts: list[int] = [0]
        self._edges: list[int] = [0]
        # Groups of which something has changed.
        self._changed: set[int] = set()
        # What groups will have when `take` is called.
        self._ready: dict[int, list[int]] = {}

    def spoil(self, place: int) -> None:
        """Says that thing `place` and all after it may be others, or have other extents."""
        self._clean = min(self._clean, place)

    def change(self, place: int) -> None:
        """Says that thing `place` alone has another extent."""
        if place < self._clean:
            group = self._group_of(place)
            self._changed.add(group)
            self._ready.pop(group, None)

    def prepend(self, count: int) -> None:
        """Says that so many things came above all others, which stay what they were."""
        self._clean += count
        for group in self._changed:
            start, stop = self._starts[group] + count, self._starts[group + 1] + count
            self._groups[group] = self._extents(start, min(stop, self._clean))
        self._changed.clear()
        more = _grouped(self._extents(0, count))
        self._groups[:0] = more
        self._ready = {group + len(more): known for group, known in self._ready.items()}
        self._sum_up(0)

    def prepare(self, place: int) -> None:
        """Asks for the extents of the group of thing `place`; they count when all are taken."""
        if place < self._clean:
            group = self._group_of(place)
            stop = min(self._starts[group + 1], self._clean)
            self._ready[group] = self._extents(self._starts[group], stop)

    def take(self) -> None:
        """What was prepared counts from here on."""
        for group, known in self._ready.items():
            if self._starts[group] < self._clean:
                self._groups[group] = known[: self._clean - self._starts[group]]
        self._ready.clear()
        self._sum_up(0)

    def start_of(self, place: int) -> int:
        """The number of the first thing that is summed up together with thing `place`."""
        return self._starts[self._group_of(place)] if place < self._clean else place

    def top(self, place: int) -> int:
        """The upper edge of thing `place`, or the lower edge of the last one."""
        self._renew()
        group = self._group_of(place)
        if group == len(self._groups):
            return self._edges[-1]
        return self._edges[group] + sum(self._groups[group][: place - self._starts[group]])

    def extent(self, place: int) -> int:
        """The extent that thing `place` had when it was asked last."""
        self._renew()
        group = self._group_of(place)
        return self._groups[group][place - self._starts[group]]

    def total(self) -> int:
        """The extent of all."""
        self._renew()
        return self._edges[-1]

    def at(self, position: int) -> int:
        """The number of the thing at `position`; the first or last where there is none."""
        self._renew()
        if not self._groups:
            return 0
        group = max(0, min(bisect_right(self._edges, position), len(self._groups)) - 1)
        edges = list(accumulate(self._groups[group], initial=self._edges[group]))
        place = self._starts[group] + bisect_right(edges, position) - 1
        return max(0, min(place, self._starts[-1] - 1))

    def _group_of(self, place: int) -> int:
        return bisect_right(self._starts, place) - 1

    def _renew(self) -> None:
        first: int | None = None
        newer = self._extents(self._clean, None)
        if newer or self._clean < self._starts[-1]:
            first = self._join(newer)
        if self._changed:
            for group in self._changed:
                start = self._starts[group]
                self._groups[group] = self._extents(start, start + len(self._groups[group]))
            lowest = min(self._changed)
            first = lowest if first is None else min(first, lowest)
            self._changed.clear()
        if first is not None:
            self._sum_up(first)
            self._clean = self._starts[-1]

    def _join(self, newer: list[int]) -> int:
        """Puts `newer` behind all that is known; the first group that is another one then."""
        group = self._group_of(self._clean)
        if group and self._starts[group] == self._clean and len(self._groups[group - 1]) < GROUP:
            group -= 1
        start = self._starts[group]
        kept = self._extents(start, self._clean) if start < self._clean else []
        self._groups[group:] = _grouped(kept + newer)
        self._changed = {changed for changed in self._changed if changed < group}
        self._ready = {number: known for number, known in self._ready.items() if number < group}
        return group

    def _sum_up(self, first: int) -> None:
        """Counts the edges anew from group `first` on."""
        first = min(first, len(self._edges) - 1)
        groups = self._groups[first:]
        self._starts[first:] = accumulate(map(len, groups), initial=self._starts[first])
        self._edges[first:] = accumulate(map(sum, groups), initial=self._edges[first])


def _grouped(extents: list[int]) -> list[list[int]]:
    return [extents[start : start + GROUP] for start in range(0, len(extents), GROUP)]
