"""Plays what a program printed on a screen of lines: colours, bars of several rows, erased lines.

The newest lines can still be changed; those above them are done. There is no right edge. What a
program clears away as a whole stays above: nothing that was printed is hidden.
"""

from __future__ import annotations

import re

from kinet.markup.terminal_codes import ESCAPE, PLAIN, pen_after, pen_of_link, split_open
from kinet.markup.terminal_grid import HEIGHT, LONGEST_LINE, Grid
from kinet.markup.terminal_line import Line, joined

__all__ = ["HEIGHT", "LONGEST_LINE", "Line", "Screen", "acts", "joined", "plain_text"]

# The farthest that one code moves, and the most that it repeats.
_FARTHEST = 1_000

_STOP = re.compile("[\n\r\x07\x08\x1b\x9b]")
_ACTS = re.compile("[\r\x07\x08\x1b\x9b]")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Screen:
    """Takes what a program prints in pieces; gives the lines that are done."""

    def __init__(self, height: int = HEIGHT) -> None:
        self._grid = Grid(height)
        self._saved = (0, 0, PLAIN)
        self._pen = PLAIN
        self._open = ""
        # Where the piece that is played begins in all that was printed, and where it is.
        self._offset = self._place = 0
        self._is_home = False

    @property
    def lines(self) -> list[Line]:
        """The lines that may still change, as they stand; one that is only begun is none."""
        lines = self._grid.lines
        newest = lines[-1]
        newest.end = self._offset
        return lines[:-1] if newest.is_empty and not newest.joined else list(lines)

    @property
    def open_lines(self) -> list[Line]:
        """What may still change, the line that is only begun included."""
        return self._grid.lines

    @property
    def open_text(self) -> str:
        """The text of that."""
        return joined(self._grid.lines)

    @property
    def goes_on(self) -> bool:
        """True if its first line goes on with one that was given away."""
        return self._grid.lines[0].joined

    @property
    def is_plain(self) -> bool:
        """True if it stands at its end, with the usual pen and nothing half said."""
        return self._grid.is_at_end and not self._open and self._pen == PLAIN

    def feed(self, text: str) -> list[Line]:
        """Takes a piece; the lines that cannot change any more."""
        text, self._open = split_open(self._open + text)
        self._grid.done = []
        if self.is_plain and not acts(text):
            self._grid.add_lines(text, self._offset)
        else:
            self._play(text)
        self._offset += len(text)
        return self._grid.done

    def _play(self, text: str) -> None:
        grid, place = self._grid, 0
        while place < len(text):
            found = _STOP.search(text, place)
            stop = found.start() if found else len(text)
            if stop > place:
                self._is_home = False
                grid.write(text[place:stop], self._pen, self._offset + stop)
            if found is None:
                return
            character = text[stop]
            place = stop + 1
            if character == "\n":
                self._is_home = False
                grid.feed_line(self._offset + place)
            elif character == "\r":
                grid.column = 0
            elif character == "\b":
                grid.column = max(0, grid.here() - 1)
            elif character != "\x07":
                match = ESCAPE.match(text, stop)
                assert match is not None
                place = max(match.end(), place)
                self._place = self._offset + place
                self._act(match)

    def _act(self, match: re.Match[str]) -> None:
        if match["osc"] is not None:
            self._pen = pen_of_link(self._pen, match["osc"])
        elif match["letter"]:
            self._letter(match["letter"])
        elif match["final"] == "m" and match["values"][:1] not in ("?", ">", "<", "="):
            self._pen = pen_after(self._pen, match["values"])
        elif match["final"] and match["values"][:1] == "?":
            # Another screen, or back to the first one.
            if match["final"] in "hl" and match["values"][1:] in ("47", "1047", "1049"):
                self._grid.begin_anew(self._place)
        elif match["final"]:
            was_home, self._is_home = self._is_home, False
            values = match["values"].split(";")
            numbers = [min(int(v), _FARTHEST) if v.isdigit() else 0 for v in values]
            self._move(match["final"], numbers, was_home)

    def _letter(self, letter: str) -> None:
        grid = self._grid
        match letter:
            case "7":
                self._save()
            case "8":
                self._restore()
            case "c":
                grid.begin_anew(self._place)
                self._pen = PLAIN
            case "D" | "E":
                self._go(grid.row + 1, grid.here() if letter == "D" else 0)
            case "M" if grid.row:
                self._go(grid.row - 1, grid.here())
            case "M":
                grid.insert_lines(1)

    def _move(self, final: str, numbers: list[int], was_home: bool) -> None:
        grid, count = self._grid, max(1, numbers[0])
        match final:
            case "A" | "F":
                self._go(grid.row - count, 0 if final == "F" else grid.here())
            case "B" | "E" | "e":
                self._go(grid.row + count, 0 if final == "E" else grid.here())
            case "C" | "a":
                grid.column = min(grid.here() + count, LONGEST_LINE)
            case "D":
                grid.column = max(0, grid.here() - count)
            case "G" | "`":
                grid.column = count - 1
            case "d":
                self._go(count - 1, grid.here())
            case "H" | "f":
                self._go(count - 1, max(1, numbers[1] if len(numbers) > 1 else 1) - 1)
                self._is_home = grid.row == 0 and grid.column == 0
            case "J" if numbers[0] >= 2 or (numbers[0] == 0 and was_home):
                if not all(line.is_empty for line in grid.lines):
                    grid.begin_anew(self._place)
                self._is_home = was_home
            case "J":
                if numbers[0] == 1:
                    grid.erase_above()
                else:
                    grid.erase_below()
            case "s":
                self._save()
            case "u":
                self._restore()
            case "L":
                grid.insert_lines(count)
            case "M":
                grid.delete_lines(count, self._place)
            case "S" | "T":
                grid.scroll(count if final == "S" else -count, self._place)
            case _:
                self._edit(final, numbers[0], count)

    def _edit(self, final: str, what: int, count: int) -> None:
        """Changes the cursor's line; what is not known does nothing."""
        grid = self._grid
        line, column = grid.line, grid.here()
        if final in ("K", "P", "@", "X"):
            grid.column = column
        match final:
            case "K" if what == 0:
                line.erase(column)
            case "K":
                line.erase(0, column + 1 if what == 1 else None)
            case "X":
                line.erase(column, column + count)
            case "P":
                line.delete(column, count)
            case "@":
                line.insert(column, count, LONGEST_LINE)
            case "b":
                if repeated := line.last_before(column):
                    grid.column = line.put(repeated * count, self._pen, column)

    def _go(self, row: int, column: int) -> None:
        self._grid.go(row, column, self._place)

    def _save(self) -> None:
        self._saved = (self._grid.row, self._grid.here(), self._pen)

    def _restore(self) -> None:
        row, column, pen = self._saved
        self._go(row, column)
        self._pen = pen._replace(link=self._pen.link)


def plain_text(text: str) -> str:
    """What a terminal would show of a text, without colours and without controls."""
    text = text.replace("\r\n", "\n") if "\r" in text else text
    if acts(text):
        screen = Screen()
        done = screen.feed(text)
        text = joined([*done, *screen.lines]) + ("\n" if text.endswith("\n") else "")
    return without_controls(text)


def acts(text: str) -> bool:
    """True if a text does more than to go on: it moves, colours or erases."""
    return _ACTS.search(text) is not None


def without_controls(text: str) -> str:
    """The text without what cannot be seen and is no white space."""
    return text if text.isprintable() else _CONTROLS.sub("", text)
