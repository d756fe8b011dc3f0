"""Keeps blocks small: where a long list, table, fence or paragraph may be cut."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from kinet.markup.fences import FENCE
from kinet.markup.going_on import GoingOn

Kind = Literal["prose", "code", "table"]


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a message that is laid out by itself.

    The `source` of all blocks, joined, is the message, each line end a line feed. `lead` is
    repeated before it when it is drawn: the head of a table or the opening line of a fence that
    was cut, or what keeps the rest of a list or quote inside of it. `continues` says that the
    block before is the first part of the same thing. `first_number` is the number of the first
    item of an ordered list that was cut, -1 where the source says it.
    """

    source: str
    kind: Kind = "prose"
    lead: str = ""
    continues: bool = False
    first_number: int = -1

    @property
    def markdown(self) -> str:
        """What is to be parsed."""
        return self.lead + self.source


@dataclass(frozen=True, slots=True)
class Bounds:
    """How large a block may become: list items, table cells, characters, lines."""

    items: int = 8
    cells: int = 160
    rows: int = 40
    characters: int = 6144
    lines: int = 200
    open_characters: int = 8192


UNBOUNDED = Bounds(*[10**9] * 6)


def cut_place(text: str, bounds: Bounds, start: int = 0) -> int:
    """Where a text that is too long is cut: after a line, else a word, else a whole character.

    Depends on the next `bounds.characters` alone, so that a stream is cut where a whole text is.
    """
    limit = start + bounds.characters
    place = text.rfind("\n", start + bounds.characters // 2, limit) + 1
    place = place or text.rfind(" ", start + bounds.characters // 2, limit) + 1
    place = place or _whole_character(text, limit)
    newline = start - 1
    for _ in range(bounds.lines):
        newline = text.find("\n", newline + 1, place)
        if newline < 0:
            return place
    return newline + 1


def is_long(text: str, bounds: Bounds, start: int = 0) -> bool:
    """True if what follows `start` is more than one block may hold."""
    if len(text) - start > bounds.characters:
        return True
    return len(text) - start > bounds.lines and text.count("\n", start) > bounds.lines


def bounded(block: Block, bounds: Bounds) -> Iterator[Block]:
    """The block, or its parts where it is too long."""
    if not is_long(block.source, bounds):
        yield block
        return
    source, start, lead = block.source, 0, block.lead
    open_there = GoingOn(block.markdown) if block.kind == "prose" else None
    if block.kind == "code" and not lead:
        # Blank lines may stand before the opening line; both belong to the first part.
        start, lead = opening_line(source)
    elif block.kind == "table" and not lead:
        start, lead = _table_head(source)
    part = block
    begin = 0
    while is_long(source, bounds, start):
        end = cut_place(source, bounds, start)
        yield replace(part, source=source[begin:end])
        begin = start = end
        part = replace(block, lead=lead, continues=True)
        if open_there is not None:
            place = len(block.lead) + end
            part = replace(
                part,
                lead=open_there.lead(place),
                first_number=open_there.number(place, block.first_number),
            )
    if begin < len(source):
        yield replace(part, source=source[begin:])


def opening_line(source: str) -> tuple[int, str]:
    """(where the code begins, the fence's opening line with its end); (0, "") without a fence."""
    start = 0
    while start < len(source):
        end = source.find("\n", start)
        if end < 0:
            return 0, ""
        line = source[start:end]
        if FENCE.match(line):
            return end + 1, source[start : end + 1]
        if line.strip():
            return 0, ""
        start = end + 1
    return 0, ""


def _table_head(source: str) -> tuple[int, str]:
    start = len(source) - len(source.lstrip("\n"))
    first = source.find("\n", start)
    second = source.find("\n", first + 1)
    if first < 0 or second < 0:
        return 0, ""
    return second + 1, source[start : second + 1]


def table_rows(head: str, bounds: Bounds) -> int:
    """How many rows of a table with this head make one block."""
    columns = max(1, head.split("\n", 1)[0].strip().strip("|").count("|") + 1)
    return max(4, min(bounds.rows, bounds.cells // columns))


def _whole_character(text: str, place: int) -> int:
    """A place at or a little before `place` that is not inside a grapheme."""
    if place >= len(text):
        return len(text)
    for end in range(place, max(place - 32, 1), -1):
        before, after = text[end - 1], text[end]
        joined = (
            unicodedata.combining(after)
            or after in "\u200d\ufe0f\ufe0e"
            or before == "\u200d"
            or "\U0001f3fb" <= after <= "\U0001f3ff"
            or "\U0001f1e6" <= after <= "\U0001f1ff"
        )
        if not joined:
            return end
    return place
