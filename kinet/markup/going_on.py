"""What has to be read before the rest of a block that was cut, so that it goes on as such."""

from __future__ import annotations

import re

from markdown_it.token import Token

from kinet.markup.parser import parse_blocks
from kinet.markup.visible import PAD

# Holds an item or a quote open and shows nothing: a link definition of a name that nobody writes.
_NOTHING = '[\ue000]: # ""'
_QUOTE = re.compile(r"[ \t]*>[ ]?")
_INDENT = re.compile(r"[ \t]*")
_MARKER = re.compile(r"[ \t]*(?:[-+*]|\d{1,9}[.)])(?:[ \t]+|$)")
_HOLDERS = {"blockquote_open": _QUOTE, "list_item_open": _MARKER}
_LISTS = ("ordered_list_open", "bullet_list_open")
# What begins an item, a quote, a definition or a note.
_HOLDING = re.compile(r"^[ \t]*(?:[-+*>\[]|\d{1,9}[.)])", re.MULTILINE)
# So much behind a cut tells whether a thing goes on there.
_NEXT_LINES, _NEXT = 4, 2_000
# What is longer is not repeated before every part.
_LONGEST = 400


class GoingOn:
    """A text that is cut, and what is open where."""

    def __init__(self, text: str) -> None:
        self._text = text
        # Nothing but words: no need to look for what holds them.
        self._is_words = _HOLDING.search(text) is None
        self._tokens = [] if self._is_words else parse_blocks(text)
        self._lines = text.split("\n")

    @classmethod
    def at(cls, text: str, place: int) -> GoingOn:
        """The same of a text that is cut at one place alone: what follows is not looked at."""
        end = place
        for _ in range(_NEXT_LINES):
            end = text.find("\n", end, place + _NEXT) + 1
            if not end:
                return cls(text[: place + _NEXT])
        return cls(text[:end])

    def lead(self, place: int) -> str:
        """What is to be read before the text from `place` on; "" where nothing is open there."""
        if self._is_words:
            return PAD if self._text[place:].split("\n", 1)[0].strip() else ""
        line = self._text.count("\n", 0, place)
        inside = not self._text.endswith("\n", 0, place)
        held = [one for one in self._tokens if one.type in _HOLDERS and _is_open(one, line, inside)]
        # A line may begin as something else would; in a paragraph it does not.
        words = any(
            one.type == "paragraph_open" and _is_open(one, line, inside) for one in self._tokens
        )
        if not held:
            return PAD if words else ""
        rows: list[str] = []
        before = ""
        for number in sorted({_begin(token) for token in held}):
            written = self._lines[number]
            width = _behind(written, held, number)
            if not 0 <= width <= _LONGEST:
                return ""
            rows.append(written[:width] + _NOTHING)
            before = re.sub(r"[^>\s]", " ", written[:width])
        for token in self._tokens:
            if token.type not in ("fence", "table_open") or not _is_open(token, line, False):
                continue
            first = _begin(token)
            head = self._lines[first : first + (1 if token.type == "fence" else 2)]
            if sum(map(len, head)) > _LONGEST:
                return ""
            if first == _begin(held[-1]):
                # It opens in one line with what holds it.
                rows.pop()
            rows += head
        if words and (inside or ">" not in before):
            before += PAD
        elif not inside:
            before = ""
        return "\n".join(rows) + "\n" + before

    def number(self, place: int, first: int) -> int:
        """The number of the item at `place`, -1 outside of numbered lists; `first` is that of the
        first one, -1 where the text says it."""
        line = self._text.count("\n", 0, place)
        for position, token in enumerate(self._tokens):
            if token.type in _LISTS and token.level == 0 and _is_open(token, line, True):
                if token.type == _LISTS[1]:
                    return -1
                first = first if first >= 0 else int(token.attrGet("start") or 1)
                return (
                    first
                    - 1
                    + sum(
                        one.type == "list_item_open" and one.level == 1 and _begin(one) <= line
                        for one in self._tokens[position:]
                        if _begin(token) <= _begin(one)
                    )
                )
        return -1


def _begin(token: Token) -> int:
    return token.map[0] if token.map else 0


def _is_open(token: Token, line: int, inside: bool) -> bool:
    """True if a block goes on at a line that it did not begin with, or `inside` that line."""
    if token.map is None or line >= token.map[1]:
        return False
    return token.map[0] < line or (inside and token.map[0] == line)


def _behind(written: str, held: list[Token], number: int) -> int:
    """Where in a line the words begin of the innermost thing that opens there; -1 for not found."""
    place = 0
    for token in held:
        if _begin(token) > number:
            break
        pattern = _HOLDERS[token.type]
        if _begin(token) < number and token.type != "blockquote_open":
            pattern = _INDENT
        found = pattern.match(written, place)
        if found is None:
            return -1
        place = found.end()
    return place
