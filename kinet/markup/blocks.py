"""Splits Markdown into blocks while it arrives: closed ones never change again.

A top-level block is closed when a later one starts on a line that is complete. Only the open tail
is parsed again, an open fence not at all: its new lines are searched for the closing one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it.token import Token

from kinet.markup.fences import FENCE, closes_fence
from kinet.markup.going_on import GoingOn
from kinet.markup.parser import parse_blocks
from kinet.markup.slices import (
    UNBOUNDED,
    Block,
    Bounds,
    Kind,
    bounded,
    cut_place,
    is_long,
    opening_line,
    table_rows,
)
from kinet.markup.top_blocks import TopBlocks, begin_of
from kinet.markup.visible import BYTE_ORDER_MARK, line_feeds, without_unseen_begin

__all__ = ["UNBOUNDED", "Block", "BlockStream", "Bounds", "split", "split_in_steps"]

_LISTS = ("bullet_list_open", "ordered_list_open")
# Most characters, and most lines and cells, that are split in one go.
_PORTION = 4_096
_CROWD = re.compile(r"(?:[^\n|]*[\n|]){200}")
# A last line of marks alone may still become anything: shown, it would flicker.
_UNDECIDED = re.compile(r"(?:^|\n)[ \t]*[-=*+#`~|:>_\d.) \t]*$")


class BlockStream:
    """Takes text in pieces; gives closed blocks, keeps the open one.

    Every line end of the text is a line feed in them: CR LF, and CR alone, end a line as well. What
    is unseen before a first line that begins with a sign is left out, or the sign would be text.
    """

    def __init__(self, bounds: Bounds | None = None) -> None:
        self.bounds = bounds or Bounds()
        # Link definitions met in closed blocks; the first of a name counts.
        self.references: dict[str, object] = {}
        # True once an open block had to be cut by size: the whole text may split otherwise.
        self.rough = False
        self._tail = ""
        self._lead = ""
        self._kind: Kind = "prose"
        self._continues = False
        self._number = -1
        self._fence: tuple[str, int] | None = None
        self._scanned = 0
        # A CR at the end of a piece: what it is, the next character tells.
        self._return = ""
        # What is unseen at the very beginning, until something follows; None from then on.
        self._unseen: str | None = ""

    @property
    def tail(self) -> Block | None:
        """The open block, or None."""
        if not self._tail:
            return None
        return Block(self._tail, self._kind, self._lead, self._continues, self._number)

    @property
    def shown_tail(self) -> Block | None:
        """The open block without a last line that is nothing but marks yet."""
        if self._fence is not None or not self._tail:
            return self.tail
        match = _UNDECIDED.search(self._tail)
        text = self._tail[: match.start()] if match else self._tail
        if not text.strip():
            return None
        return Block(text, self._kind, self._lead, self._continues, self._number)

    def feed(self, text: str) -> list[Block]:
        """Takes a piece; the blocks that it closed, in order."""
        text = self._with_line_feeds(text)
        if self._unseen is not None:
            text, self._unseen = _from_first_sign(self._unseen + text)
        if not text:
            return []
        self._tail += text
        closed: list[Block] = []
        is_new = "\n" in text
        while is_new or self._fence is not None:
            if self._fence is not None:
                if not self._feed_fence(closed):
                    break
                if "\n" not in self._tail:
                    break
            if not self._close_blocks(closed):
                # What is left of a block that was cut may be something else by itself.
                is_new = self._cut_open(closed)
                if not is_new:
                    break
        self._cut_open(closed)
        return self._checked(closed)

    def finish(self) -> list[Block]:
        """The last blocks: what was open is closed."""
        closed: list[Block] = []
        if self._return:
            self._return = ""
            closed = self.feed("\n")
        if self._unseen:
            self._tail, self._unseen = self._unseen, None
        if self._tail:
            if self._fence is None:
                self._close_blocks(closed, final=True)
            tail = self.tail
            if tail is not None:
                self._add(closed, tail)
        self._tail = ""
        self._fence = None
        self._reset()
        return self._checked(closed)

    def _with_line_feeds(self, text: str) -> str:
        if not text or ("\r" not in text and not self._return):
            return text
        text, self._return = self._return + text, ""
        if text.endswith("\r"):
            text, self._return = text[:-1], "\r"
        return line_feeds(text)

    def _feed_fence(self, closed: list[Block]) -> bool:
        """Looks for the closing line of the open fence; True if it was found."""
        assert self._fence is not None
        mark, length = self._fence
        end = self._tail.rfind("\n") + 1
        place = self._scanned
        while place < end:
            newline = self._tail.index("\n", place)
            if closes_fence(self._tail[place:newline], mark, length):
                cut = newline + 1
                block = Block(self._tail[:cut], "code", self._lead, self._continues)
                closed.extend(bounded(block, self.bounds))
                self._tail = self._tail[cut:]
                self._fence = None
                self._reset()
                return True
            place = newline + 1
        self._scanned = place
        self._cut_fence(closed)
        return False

    def _cut_fence(self, closed: list[Block]) -> None:
        """Gives away whole parts of a long open fence."""
        start, lead = (0, self._lead) if self._lead else opening_line(self._tail)
        while is_long(self._tail, self.bounds, start):
            cut = cut_place(self._tail, self.bounds, start)
            closed.append(Block(self._tail[:cut], "code", self._lead, self._continues))
            self._tail = self._tail[cut:]
            self._scanned = max(0, self._scanned - cut)
            self._lead, self._continues, start = lead, True, 0

    def _close_blocks(self, closed: list[Block], final: bool = False) -> bool:
        """Parses the tail and closes what is complete; True if a fence is open now."""
        parse = TopBlocks(self._lead, self._tail, final)
        if not parse.tops:
            return False
        last = len(parse.tops) - 1
        while last > 0 and not parse.is_certain(last):
            last -= 1
        done = 0
        for place in range(last):
            end = parse.end(place, begin_of(parse.top(place + 1)) - parse.skip)
            self._close(closed, parse, place, done, end)
            done = end
        complete = parse.complete - parse.skip
        if last + 1 < len(parse.tops):
            complete = min(complete, begin_of(parse.top(last + 1)) - parse.skip)
        end = parse.end(last, complete)
        if end < complete and parse.top(last).type != "fence":
            # A link definition stands behind it, which nothing shows.
            self._close(closed, parse, last, done, end)
            self._kind, self._tail = "prose", "".join(parse.lines[end:])
            return False
        return self._keep_open(closed, parse, last, done)

    def _close(
        self, closed: list[Block], parse: TopBlocks, place: int, begin: int, end: int
    ) -> None:
        """Closes the lines from `begin` to `end`, cut where they are many."""
        token = parse.top(place)
        begin = self._close_definitions(closed, parse, place, begin)
        if token.type in _LISTS:
            begin = self._close_items(closed, parse, place, begin, end)
        elif token.type == "table_open":
            begin = self._close_rows(closed, parse, place, begin, end)
        self._add(closed, self._block(parse.lines, begin, end, _kind(token)))
        self._reset()

    def _close_definitions(
        self, closed: list[Block], parse: TopBlocks, place: int, begin: int
    ) -> int:
        """Closes the link definitions before a block; the line where the block begins."""
        start = begin_of(parse.top(place)) - parse.skip
        if not any(line.strip(" \t\n") for line in parse.lines[begin : max(begin, start)]):
            return begin
        self._add(closed, self._block(parse.lines, begin, start, "prose"))
        self._reset()
        return start

    def _close_items(
        self, closed: list[Block], parse: TopBlocks, place: int, begin: int, end: int
    ) -> int:
        """Closes whole portions of a long list; the line where the rest begins."""
        opening = parse.top(place)
        ordered = opening.type == "ordered_list_open"
        first = self._number if self._number >= 0 else int(opening.attrGet("start") or 1)
        closed_items = 0
        for count, line in enumerate(parse.items(place)):
            if line >= end:
                break
            if count - closed_items < self.bounds.items:
                continue
            if not parse.is_known(line + 1):
                break
            if parse.may_be_table(line):
                # By itself it would be the head of one.
                continue
            begin = self._close_definitions(closed, parse, place, begin)
            self._add(closed, self._block(parse.lines, begin, line, "prose"))
            begin, closed_items = line, count
            self._lead, self._continues = "", True
            self._number = first + count if ordered else -1
        return begin

    def _close_rows(
        self, closed: list[Block], parse: TopBlocks, place: int, begin: int, end: int
    ) -> int:
        """Closes whole portions of a long table; the line where the rest begins."""
        token = parse.top(place)
        first_row = begin_of(token) + 2 - parse.skip
        last_row = min((token.map[1] if token.map else 0) - parse.skip, end)
        head = self._lead or "".join(parse.lines[first_row - 2 : first_row])
        count = table_rows(head, self.bounds)
        row = max(first_row, 0)
        while last_row - row > count:
            row += count
            begin = self._close_definitions(closed, parse, place, begin)
            self._add(closed, self._block(parse.lines, begin, row, "table"))
            begin = row
            self._lead, self._continues = head, True
        return begin

    def _keep_open(self, closed: list[Block], parse: TopBlocks, place: int, done: int) -> bool:
        """Looks at the block that stays open; True if it is a fence."""
        token = parse.top(place)
        self._kind = _kind(token)
        complete = parse.complete - parse.skip
        if parse.final or (token.type == "fence" and begin_of(token) < parse.complete):
            done = self._close_definitions(closed, parse, place, done)
        if token.type in _LISTS:
            done = self._close_items(closed, parse, place, done, complete)
        elif token.type == "table_open":
            done = self._close_rows(closed, parse, place, done, complete)
        self._tail = "".join(parse.lines[done:])
        if token.type != "fence":
            return False
        start, opening = opening_line(self._tail)
        match = FENCE.match(opening.rstrip("\n"))
        if not match or not start:
            return False
        self._fence = (match.group(2)[0], len(match.group(2)))
        self._scanned = start
        return True

    def _cut_open(self, closed: list[Block]) -> bool:
        """Cuts an open block that no rule of Markdown closes in time; True if it was cut."""
        if self._fence is not None or not self._is_too_long():
            return False
        while self._is_too_long():
            cut = cut_place(self._tail, self.bounds)
            place = len(self._lead) + cut
            whole = self._lead + self._tail
            open_there = GoingOn.at(whole, place) if self._kind == "prose" else None
            self._add(closed, self._block([self._tail[:cut]], 0, 1, self._kind))
            self._tail = self._tail[cut:]
            self._continues = True
            if open_there is not None:
                self._number = open_there.number(place, self._number)
                self._lead = open_there.lead(place)
        self.rough = True
        return True

    def _is_too_long(self) -> bool:
        length, lines = len(self._tail), 2 * self.bounds.lines
        return length > self.bounds.open_characters or (
            length > lines and self._tail.count("\n") > lines
        )

    def _block(self, lines: list[str], begin: int, end: int, kind: Kind) -> Block:
        source = "".join(lines[begin:end])
        return Block(source, kind, self._lead, self._continues, self._number)

    def _add(self, closed: list[Block], block: Block) -> None:
        if block.source:
            closed.extend(bounded(block, self.bounds))

    def _reset(self) -> None:
        self._lead = ""
        self._kind = "prose"
        self._continues = False
        self._number = -1
        self._scanned = 0

    def _checked(self, closed: list[Block]) -> list[Block]:
        for block in closed:
            if "]:" in block.source:
                parse_blocks(block.source, self.references)
        return closed


def split(source: str, bounds: Bounds | None = None) -> list[Block]:
    """All blocks of a whole text."""
    return [block for step in split_in_steps(BlockStream(bounds), source) for block in step]


def split_in_steps(stream: BlockStream, source: str) -> Iterator[list[Block]]:
    """The blocks of a whole text, in portions of a few ms, so that a caller can pause."""
    start = 0
    while start < len(source):
        end = min(start + _PORTION, len(source))
        # What is full of lines or cells takes the parser far longer than its length tells.
        crowded = _CROWD.match(source, start, end)
        end = crowded.end() if crowded else end
        yield stream.feed(source[start:end])
        start = end
    yield stream.finish()


def _from_first_sign(text: str) -> tuple[str, str | None]:
    """(a beginning without what is unseen there, None); ("", all of it) while nothing is seen."""
    seen = without_unseen_begin(text)
    if not seen:
        return "", text
    # Before words a mark may say in which direction they are read.
    return (text.removeprefix(BYTE_ORDER_MARK) if seen[0].isalpha() else seen), None


def _kind(token: Token) -> Kind:
    if token.type in ("fence", "code_block"):
        return "code"
    return "table" if token.type == "table_open" else "prose"
