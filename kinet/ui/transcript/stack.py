"""Places of things that stand one below the other: prefix sums that are renewed from a place on."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate


class Stack:
    """Upper edges of `count()` things whose extents `extents(from)` gives from a place on."""

    def __init__(self, extents: Callable[[int], list[int]]) -> None:
        self._extents = extents
        self._edges: list[int] = [0]
        self._clean = 0

    def spoil(self, place: int) -> None:
        """Says that the extent of thing `place` or of later ones has changed."""
        self._clean = min(self._clean, place)

    def edges(self) -> list[int]:
        """The upper edge of each thing, and at the end the lower edge of the last."""
        extents = self._extents(self._clean)
        if extents or self._clean + 1 < len(self._edges):
            base = self._edges[self._clean]
            self._edges[self._clean :] = accumulate(extents, initial=base)
        self._clean = len(self._edges) - 1
        return self._edges

    def extent(self, place: int) -> int:
        """The extent that thing `place` had when the edges were counted."""
        edges = self.edges()
        return edges[place + 1] - edges[place]

    def total(self) -> int:
        """The extent of all."""
        return self.edges()[-1]

    def at(self, position: int) -> int:
        """The number of the thing at `position`; the first or last where there is none."""
        edges = self.edges()
        return max(0, min(bisect_right(edges, position) - 1, len(edges) - 2))
