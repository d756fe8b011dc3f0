"""Spells out characters that a person cannot see, for questions, names and paths."""

from __future__ import annotations

import re
import unicodedata

# Controls, bidirectional marks, zero-width characters, tags, variation selectors, odd blanks.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\xa0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f"
    "\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff\ud800-\udfff]"
)


def visible(text: str) -> str:
    """The text with every hidden character as `<U+202E>`; line breaks and tabs stay."""
    return _HIDDEN.sub(lambda match: _spelt(match.group()), text)


def visible_line(text: str) -> str:
    r"""The same on one line: line breaks and tabs as `\n` and `\t`."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def hidden_characters(text: str) -> tuple[str, ...]:
    """The names of the hidden characters in `text`, each once, in order: U+202E …"""
    return tuple(dict.fromkeys(f"U+{ord(char):04X}" for char in _HIDDEN.findall(text)))


def named(character: str) -> str:
    """One character for an error message: `TAB (U+0009)`, `"é" (U+00E9 LATIN …)`."""
    code = f"U+{ord(character):04X}"
    plain = {"\t": "a tab", " ": "a blank", "\n": "a line end", "\r": "a carriage return"}
    if character in plain:
        return f"{plain[character]} ({code})"
    name = unicodedata.name(character, "")
    if _HIDDEN.match(character):
        return f"{code} {name}".strip()
    return f'"{character}" ({code} {name})' if ord(character) > 0x7E else f'"{character}"'


def _spelt(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        # A byte of a name that is not valid UTF-8, as os.fsdecode carries it.
        return f"\\x{code - 0xDC00:02x}"
    return f"<U+{code:04X}>"
