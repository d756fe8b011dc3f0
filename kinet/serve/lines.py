"""One message a line: what every way in and out of a served conversation gives and takes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

# Bytes. What is longer is told and skipped, not kept: pictures and files are named by their paths.
LARGEST_LINE = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Line:
    """The text of a line; or, with a `problem`, one that cannot be read and why."""

    text: str
    problem: str = ""


class Lines(Protocol):
    """A way in and out. One at a time hears; what is told arrives in the order of the calls."""

    async def hear(self) -> Line | None:
        """The next line; None when the other side has ended."""
        ...

    async def tell(self, text: str) -> None:
        """Writes a line. OSError if the other side is gone."""
        ...


class Ahead:
    """Lines with some before them that were read already."""

    def __init__(self, first: Iterable[Line], lines: Lines) -> None:
        self._first, self._lines = deque(first), lines

    async def hear(self) -> Line | None:
        """The next line; None at the end."""
        return self._first.popleft() if self._first else await self._lines.hear()

    async def tell(self, text: str) -> None:
        """Writes a line."""
        await self._lines.tell(text)


class Splitter:
    """Bytes to lines, with a limit on what is kept of one."""

    def __init__(self, largest: int = LARGEST_LINE) -> None:
        self._largest = largest
        self._kept = bytearray()
        self._too_long = False

    def feed(self, data: bytes) -> Iterator[Line]:
        """The lines that end in `data`; all of it is taken when the last was given."""
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            self._keep(data[start:end])
            start = end + 1
            yield from self._line()
        self._keep(data[start:])

    def end(self) -> Iterator[Line]:
        """What was begun and not ended."""
        yield from self._line()

    def _keep(self, piece: bytes) -> None:
        if self._too_long:
            return
        if len(self._kept) + len(piece) > self._largest:
            self._too_long = True
            self._kept.clear()
            return
        self._kept += piece

    def _line(self) -> Iterator[Line]:
        if self._too_long:
            self._too_long = False
            size = f"{self._largest // 1024 // 1024} MB"
            yield Line("", f"This line is longer than {size}; it was skipped.")
            return
        raw = bytes(self._kept)
        self._kept.clear()
        if not raw.strip():
            return
        try:
            yield Line(raw.decode("utf-8"))
        except UnicodeDecodeError as exc:
            yield Line("", f"This line is no UTF-8 (byte {exc.start + 1}).")
