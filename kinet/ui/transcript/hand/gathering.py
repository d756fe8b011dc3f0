"""Puts the texts of a selection together, bit by bit, as the bytes that are copied or carried."""

from __future__ import annotations

import time
from collections.abc import Iterator

from PySide6.QtCore import QByteArray

from kinet.ui.kit.clipboard import masked


class Gathering:
    """`texts` joined by an empty line, in UTF-8, with no live key in them; empty ones count for
    nothing. Qt reads bytes at once, and a long text of Python's letter by letter."""

    def __init__(self, texts: Iterator[str]) -> None:
        self.lines = 0
        # Whole when `work` has said so.
        self.held = QByteArray()
        self._steps = self._gather(texts)

    def work(self, seconds: float) -> bool:
        """Gathers for some time; True when there is no more."""
        deadline = time.perf_counter() + seconds
        return all(time.perf_counter() <= deadline for _ in self._steps)

    def _gather(self, texts: Iterator[str]) -> Iterator[None]:
        """Step by step, and only then put together: all at once, or in bytes that have to grow, a
        very long conversation would be copied in one piece."""
        found: list[bytes] = []
        size = 0
        for text in texts:
            if text:
                between = "\n\n" if found else ""
                found.append((between + masked(text)).encode("utf-8", "replace"))
                size += len(found[-1])
                self.lines += text.count("\n") + (2 if between else 1)
            yield
        self.held.reserve(size)
        for piece in found:
            self.held.append(piece)
            yield
