"""One line of a terminal: text that grows, or columns once something in it was changed."""

from __future__ import annotations

import re
from itertools import groupby, pairwise

from kinet.markup.terminal_codes import PLAIN, Pen, width_of

_TAB = 8
# Latin, arrows, and what bars, frames and spinners are made of.
_COLUMNS = re.compile("[ -~\u00a0-\u00ac\u00ae-\u02ff\u2190-\u21ff\u2500-\u25fc\u2800-\u28ff]*")

Cell = tuple[str, Pen]
BLANK: Cell = (" ", PLAIN)


class Line:
    """One line. `start` and `end` are its place in what was printed.

    A `joined` line goes on from the one before it, which was only too long.
    """

    __slots__ = ("_cells", "_pieces", "end", "joined", "length", "start")

    def __init__(self, start: int, text: str = "", *, joined: bool = False) -> None:
        self.start = self.end = start
        self.joined = joined
        self.length = len(text)
        # What was only ever added to, or the columns once something was changed; a wide character
        # is followed by a column without one.
        self._pieces: list[Cell] = [(text, PLAIN)] if text else []
        self._cells: list[Cell] | None = None

    @property
    def is_empty(self) -> bool:
        """True if nothing was ever printed on it."""
        return not self._pieces and not self._cells

    @property
    def spans(self) -> list[Cell]:
        """Its text in stretches of one pen."""
        if self._cells is None:
            return self._pieces
        return [
            ("".join(cell[0] for cell in cells), pen)
            for pen, cells in groupby(self._cells, key=lambda cell: cell[1])
        ]

    @property
    def text(self) -> str:
        """Its text alone."""
        cells = self._pieces if self._cells is None else self._cells
        return cells[0][0] if len(cells) == 1 else "".join(cell[0] for cell in cells)

    def add(self, text: str, pen: Pen) -> None:
        """Writes at the end."""
        self.length += len(text)
        if self._cells is not None:
            _extend(self._cells, text, pen)
        elif self._pieces and self._pieces[-1][1] == pen:
            self._pieces[-1] = (self._pieces[-1][0] + text, pen)
        else:
            self._pieces.append((text, pen))

    def width(self) -> int:
        """How many columns it has."""
        if self._cells is None and all(_is_simple(text) for text, _ in self._pieces):
            return self.length
        return len(self.cells())

    def cells(self) -> list[Cell]:
        """Its columns, to be changed."""
        if self._cells is None:
            self._cells = []
            for text, pen in self._pieces:
                _extend(self._cells, text, pen)
            self._pieces = []
        return self._cells

    def put(self, text: str, pen: Pen, column: int) -> int:
        """Writes over what stands from `column` on; the column behind it."""
        if self._cells is None and len(self._pieces) <= 1 and _is_simple(text):
            before, old = self._pieces[0] if self._pieces else ("", pen)
            if old == pen and _is_simple(before):
                stop = column + len(text)
                whole = before[:column].ljust(column) + text + before[stop:]
                self._pieces, self.length = [(whole, pen)], len(whole)
                return stop
        cells = self.cells()
        for character in text:
            column = _put(cells, character, pen, column)
        self.length = len(cells)
        return column

    def erase(self, first: int, last: int | None = None) -> None:
        """Takes away the columns from `first` to before `last`; without `last` all that follow."""
        if self._cells is None and all(_is_simple(text) for text, _ in self._pieces):
            if first >= self.length:
                return
            if last is None and len(self._pieces) == 1:
                text, pen = self._pieces[0]
                self._pieces = [(text[:first], pen)] if first else []
                self.length = first
                return
        cells = self.cells()
        part(cells, first)
        if last is None:
            del cells[first:]
        else:
            part(cells, last)
            stop = min(last, len(cells))
            cells[first:stop] = [BLANK] * (stop - first)
        self.length = len(cells)

    def delete(self, column: int, count: int) -> None:
        """Takes columns out; what follows moves up."""
        cells = self.cells()
        part(cells, column)
        part(cells, column + count)
        del cells[column : column + count]
        self.length = len(cells)

    def insert(self, column: int, count: int, longest: int) -> None:
        """Puts blank columns in; what would stand behind the longest line is gone."""
        cells = self.cells()
        if column < len(cells):
            part(cells, column)
            cells[column:column] = [BLANK] * count
            del cells[longest:]
        self.length = len(cells)

    def last_before(self, column: int) -> str:
        """The character before a column; "" for none."""
        cells = self.cells()[:column]
        return cells[-1][0] if cells else ""


def joined(lines: list[Line]) -> str:
    """Lines as one text, without the line feed at their end."""
    if not lines:
        return ""
    parts = [lines[0].text]
    for _, line in pairwise(lines):
        parts.append(line.text if line.joined else "\n" + line.text)
    return "".join(parts)


def _is_simple(text: str) -> bool:
    """True where each character surely is a column."""
    return "\t" not in text and (text.isascii() or _COLUMNS.fullmatch(text) is not None)


def _extend(cells: list[Cell], text: str, pen: Pen) -> None:
    """Writes behind the last column."""
    if _is_simple(text):
        cells += [(character, pen) for character in text]
        return
    for character in text:
        _put(cells, character, pen, len(cells))


def _put(cells: list[Cell], character: str, pen: Pen, column: int) -> int:
    """Writes one character; the column behind it."""
    wide = _TAB - column % _TAB if character == "\t" else width_of(character)
    if character == "\t" and column < len(cells):
        # It only goes on: what stands there stays.
        return column + wide
    cells += [BLANK] * (column - len(cells))
    if not wide and column:
        # A mark belongs to the character before it.
        place = column - 1
        while place and not cells[place][0]:
            place -= 1
        cells[place] = (cells[place][0] + character, cells[place][1])
        return column
    wide = max(1, wide)
    part(cells, column)
    part(cells, column + wide)
    cells[column : column + wide] = [(character, pen), *[("", pen)] * (wide - 1)]
    return column + wide


def part(cells: list[Cell], column: int) -> None:
    """Makes a border before a column: what stands on both sides of it becomes blank."""
    if column >= len(cells) or cells[column][0]:
        return
    first, last = column, column
    while first and not cells[first][0]:
        first -= 1
    while last < len(cells) and not cells[last][0]:
        last += 1
    cells[first:last] = [BLANK] * (last - first)
