"""The lines of a terminal that may still change, and the cursor among them."""

from __future__ import annotations

from kinet.markup.terminal_codes import PLAIN, Pen
from kinet.markup.terminal_line import Line

# Lines that a program may still go back to. A terminal has as many as its window is high.
HEIGHT = 100
# A longer line is given away in parts.
LONGEST_LINE = 20_000


class Grid:
    """`lines` from the upper edge down; `done` gathers those that went out there.

    `offset` is the place in what was printed, kept up by who plays it. `column` is None at the end
    of the cursor's line.
    """

    def __init__(self, height: int) -> None:
        self.height = height
        self.lines = [Line(0)]
        self.row = 0
        self.column: int | None = None
        self.done: list[Line] = []

    @property
    def line(self) -> Line:
        """The line with the cursor."""
        return self.lines[self.row]

    @property
    def is_at_end(self) -> bool:
        """True if the cursor stands behind everything."""
        return self.row == len(self.lines) - 1 and self.column is None

    def here(self) -> int:
        """The column of the cursor."""
        return self.line.width() if self.column is None else self.column

    def write(self, text: str, pen: Pen, offset: int) -> None:
        """Writes at the cursor, over what stands there."""
        if self.column is not None and self.column == self.line.width():
            self.column = None
        if self.column is None:
            self.add(text, pen, offset)
        else:
            self.column = self.line.put(text, pen, self.column)

    def add(self, text: str, pen: Pen, offset: int) -> None:
        """Writes at the end of the line; one that is too long goes on in the next."""
        if not text:
            return
        line = self.line
        line.add(text, pen)
        if line.length > LONGEST_LINE and self.row == len(self.lines) - 1:
            line.end = offset
            self.done += self.lines
            self.lines = [Line(offset, joined=True)]
            self.row, self.column = 0, None

    def add_lines(self, text: str, offset: int) -> None:
        """The short way for text that does nothing but go on from the end."""
        first, *rest = text.split("\n")
        place = offset + len(first)
        self.add(first, PLAIN, place)
        for part in rest:
            place += 1
            self.lines[-1].end = place
            self.lines.append(Line(place))
            place += len(part)
            if part:
                self.row = len(self.lines) - 1
                self.add(part, PLAIN, place)
        self.row = len(self.lines) - 1
        self._settle()

    def feed_line(self, offset: int) -> None:
        """To the beginning of the next line."""
        if self.row < len(self.lines) - 1:
            self.go(self.row + 1, 0, offset)
            return
        self.lines[-1].end = offset
        self.lines.append(Line(offset))
        self.row += 1
        self._settle()
        self.column = None

    def go(self, row: int, column: int, offset: int) -> None:
        """Puts the cursor somewhere on the screen; lines that are missing are made."""
        self.row = max(0, min(row, self.height - 1))
        while len(self.lines) <= self.row:
            self.lines[-1].end = offset
            self.lines.append(Line(offset))
        self.column = max(0, column)

    def begin_anew(self, offset: int) -> None:
        """What was on the screen stays above it."""
        newest = self.lines[-1]
        newest.end = offset
        self.done += self.lines[:-1] if newest.is_empty and not newest.joined else self.lines
        self.lines, self.row, self.column = [Line(offset)], 0, None

    def erase_below(self) -> None:
        """From the cursor to the end."""
        self.line.erase(self.here())
        del self.lines[self.row + 1 :]

    def erase_above(self) -> None:
        """From the upper edge to the cursor."""
        for line in self.lines[: self.row]:
            line.erase(0)
        self.line.erase(0, self.here() + 1)

    def insert_lines(self, count: int) -> None:
        """Empty lines at the cursor; what they push out of the screen is gone."""
        start = self.line.start
        self.lines[self.row : self.row] = [Line(start) for _ in range(min(count, self.height))]
        del self.lines[self.height :]
        self.column = 0

    def delete_lines(self, count: int, offset: int) -> None:
        """Takes lines out from the cursor on."""
        del self.lines[self.row : self.row + count]
        self.lines = self.lines or [Line(offset)]
        self.go(self.row, 0, offset)

    def scroll(self, count: int, offset: int) -> None:
        """Moves all lines up, or down where it is less than none; the cursor stays."""
        row, column = self.row, self.here()
        count = max(-self.height, min(count, self.height))
        if count < 0:
            self.row = 0
            self.insert_lines(-count)
        else:
            self.go(len(self.lines) - 1 + count, 0, offset)
            gone = min(count, len(self.lines) - 1)
            self.done += self.lines[:gone]
            del self.lines[:gone]
        self.go(row, column, offset)

    def _settle(self) -> None:
        """What has gone out at the top is done."""
        gone = len(self.lines) - self.height
        if gone > 0:
            self.done += self.lines[:gone]
            del self.lines[:gone]
            self.row = max(0, self.row - gone)
