"""The blocks at the top of a text that still grows: where each begins and ends for certain."""

from __future__ import annotations

import re

from markdown_it.token import Token

from kinet.markup.parser import parse_blocks

_HOLDERS = ("bullet_list_open", "ordered_list_open", "blockquote_open")
_DELIMITERS = re.compile(r"[ \t]*[-|:][-|: \t]*$")


class TopBlocks:
    """The open text as block tokens and lines; token lines count the lead's lines too."""

    def __init__(self, lead: str, tail: str, final: bool) -> None:
        source = lead + tail
        self.tokens = parse_blocks(source)
        self.tops = [
            place
            for place, token in enumerate(self.tokens)
            if token.level == 0 and token.map and token.nesting >= 0
        ]
        self.lines = lines_of(tail)
        self.skip = lead.count("\n")
        # Lines below this number are complete; all is if nothing comes any more.
        self.complete = source.count("\n") + final
        self.final = final

    def top(self, place: int) -> Token:
        """The opening token of top-level block number `place`."""
        return self.tokens[self.tops[place]]

    def is_certain(self, place: int) -> bool:
        """True if block number `place` begins where it does, whatever comes after."""
        token = self.top(place)
        if begin_of(token) + self._is_told_by_two_lines(place) >= self.complete:
            return False
        return self.final or not self._may_be_defined(place - 1, begin_of(token) - self.skip)

    def _is_told_by_two_lines(self, place: int) -> bool:
        """True if the line below the first decides whether a block begins there.

        A table is none before its second line is whole. The line of its marks may end an item of a
        list also where it stands too far in for a table of its own: then a paragraph begins.
        """
        token = self.top(place)
        if token.type != "paragraph_open":
            return token.type == "table_open"
        start = begin_of(token) - self.skip
        if start <= 0 or not self.lines[start - 1].strip(" \t\n"):
            return False
        above = self.top(place - 1) if place > 0 else None
        # A footnote is shown by no block.
        return above is None or not above.map or above.map[1] < begin_of(token) or (
            above.type in _HOLDERS
        )  # fmt: skip

    def _may_be_defined(self, place: int, next_line: int) -> bool:
        """True if a block may turn out to be inside the name or title of a link definition.

        An underlined line may, and a line that is far in, where the title stands below the address.
        """
        token = self.top(place)
        is_underlined = token.type == "heading_open" and token.markup in ("=", "-")
        if not (is_underlined or token.type == "code_block"):
            return False
        if next_line <= 0 or not self.lines[next_line - 1].strip(" \t\n"):
            return False
        start = begin_of(token) - self.skip
        if is_underlined and self.lines[start].lstrip().startswith("["):
            return True
        # The line before is shown by no block: a definition, which a title may follow.
        above = self.top(place - 1).map if place > 0 else None
        shown = above[1] - self.skip if above else 0
        return start > max(0, shown) and bool(self.lines[start - 1].strip(" \t\n"))

    def items(self, place: int) -> list[int]:
        """The line where each item of the list that is block number `place` begins."""
        opening = self.tops[place]
        level = self.tokens[opening].level + 1
        lines: list[int] = []
        for token in self.tokens[opening + 1 :]:
            if token.level < level:
                break
            if token.type == "list_item_open" and token.level == level and token.map is not None:
                lines.append(token.map[0] - self.skip)
        return lines

    def is_known(self, line: int) -> bool:
        """True if a line is complete, or there will be none."""
        return self.final or line < self.complete - self.skip

    def may_be_table(self, line: int) -> bool:
        """True if the line below says that a line is the head of a table, marks of lists or not."""
        below = self.lines[line + 1] if line + 1 < len(self.lines) else ""
        return _DELIMITERS.match(below) is not None

    def end(self, place: int, limit: int) -> int:
        """The line behind block number `place`, at most `limit`: its blank lines are part of it.

        A fence ends where it says. Link definitions do not belong to the block before them: while
        they arrive they look like the beginning of another.
        """
        token = self.top(place)
        end = (token.map[1] if token.map else limit) - self.skip
        while token.type != "fence" and end < limit and not self.lines[end].strip(" \t\n"):
            end += 1
        return min(end, limit)


def begin_of(token: Token) -> int:
    """The line where a block begins."""
    return token.map[0] if token.map else 0


def lines_of(text: str) -> list[str]:
    """Lines with their ends; only a line feed ends one."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines
