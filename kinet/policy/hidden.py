"""Finds characters that a reader cannot see and a model can: they are taken out and reported."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_JOINERS = "\u200c\u200d"
_ALWAYS = frozenset(
    {0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x200B, 0x3164, 0xFEFF, 0xFFA0}
    | set(range(0x200E, 0x2010))  # marks of direction
    | set(range(0x202A, 0x202F))  # embeddings and overrides of direction
    | set(range(0x2060, 0x2070))  # word joiner, invisible operators, isolates
    | set(range(0xFFF9, 0xFFFC))  # annotations
    | set(range(0xE0000, 0xE0080))  # tags
)
_CONTROLS_KEPT = "\t\n\r\f"
# Everything that has to be looked at: letters of most scripts are passed over at full speed.
_SUSPECT = re.compile(
    "[^\\t\\n\\r\\f\\x20-\\x7e\\u00a1-\\u00ac\\u00ae-\\u034e\\u0350-\\u05ff\\u3001-\\u3163"
    "\\u3165-\\ud7ff\\uf900-\\ufdff]"
)
# Scripts whose letters change their form with a joiner: Arabic and its kin, and those of India.
_JOINING_SCRIPTS = (
    "ARABIC",
    "SYRIAC",
    "MONGOLIAN",
    "NKO",
    "DEVANAGARI",
    "BENGALI",
    "GURMUKHI",
    "GUJARATI",
    "ORIYA",
    "TAMIL",
    "TELUGU",
    "KANNADA",
    "MALAYALAM",
    "SINHALA",
    "KHMER",
    "MYANMAR",
    "TIBETAN",
)


@dataclass(frozen=True, slots=True)
class Hidden:
    """One character that was taken out; `offset` counts characters of the text as it was."""

    code_point: str
    offset: int


def without_hidden(text: str) -> tuple[str, tuple[Hidden, ...]]:
    """The text without its hidden characters, and each of them."""
    kept: list[str] = []
    found: list[Hidden] = []
    begin = 0
    for suspect in _SUSPECT.finditer(text):
        offset = suspect.start()
        if _is_hidden(text, offset, suspect[0]):
            found.append(Hidden(f"U+{ord(suspect[0]):04X}", offset))
            kept.append(text[begin:offset])
            begin = offset + 1
    return ("".join([*kept, text[begin:]]) if found else text), tuple(found)


def _is_hidden(text: str, offset: int, character: str) -> bool:
    code = ord(character)
    if 0x20 <= code < 0x7F:
        return False
    if code < 0x20 or 0x7F <= code < 0xA0:
        return character not in _CONTROLS_KEPT
    if code in _ALWAYS:
        return True
    before = text[offset - 1] if offset else ""
    after = text[offset + 1] if offset + 1 < len(text) else ""
    if character in _JOINERS:
        return not (_takes_joiner(before) and (_takes_joiner(after) or _is_pictograph(after)))
    if _is_selector(code):
        # One selector after a visible character chooses its form; more carry something else.
        return not before or _is_selector(ord(before)) or not before.strip()
    return False


def _takes_joiner(character: str) -> bool:
    if not character:
        return False
    if _is_pictograph(character) or _is_selector(ord(character)):
        return True
    return unicodedata.name(character, "").startswith(_JOINING_SCRIPTS)


def _is_pictograph(character: str) -> bool:
    if not character:
        return False
    code = ord(character)
    return 0x1F000 <= code <= 0x1FAFF or 0x2190 <= code <= 0x2BFF


def _is_selector(code: int) -> bool:
    return 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF
