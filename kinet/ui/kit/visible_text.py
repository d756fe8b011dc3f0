"""Makes the unseen seen: characters that hide, reorder or control text are spelt out."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Controls, marks that reorder text, characters without width, tags, surrogates alone, and those
# that a text document takes for the end of a paragraph or a frame.
_HIDDEN_CLASS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e"
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ufdd0\ufdd1"
    "\ud800-\udfff\U000e0000-\U000e0fff"
)
HIDDEN = re.compile(f"[{_HIDDEN_CLASS}]")
# A joiner is part of many emoji and scripts; between plain letters it only hides.
_JOINER = re.compile("(?<=[\x21-\x7e])[\u200c\u200d]|[\u200c\u200d](?=[\x21-\x7e])")


@dataclass(frozen=True, slots=True)
class SpeltText:
    """`text` with every hidden character spelt out; `marks` are (start, length) of those places."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()


def spell_out(text: str) -> SpeltText:
    """The text with controls as symbols and hidden characters as their code points.

    Line feeds and tabs stay. A carriage return before a line feed is left out of no command: it is
    shown too, since a shell would see it.
    """
    if HIDDEN.search(text) is None and _JOINER.search(text) is None:
        return SpeltText(text)
    out: list[str] = []
    marks: list[tuple[int, int]] = []
    length = place = 0
    found = sorted(
        {match.start() for match in HIDDEN.finditer(text)}
        | {match.start() for match in _JOINER.finditer(text)}
    )
    for start in found:
        plain = text[place:start]
        symbol = symbol_of(text[start])
        out += (plain, symbol)
        length += len(plain)
        marks.append((length, len(symbol)))
        length += len(symbol)
        place = start + 1
    out.append(text[place:])
    return SpeltText("".join(out), tuple(marks))


def symbol_of(character: str) -> str:
    """What stands for a character that cannot be seen: a control picture or its code point."""
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return f"⟨U+{code:04X}⟩"
