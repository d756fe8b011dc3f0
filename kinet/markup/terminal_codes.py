"""The language of terminals: escape codes, the pen they leave, how wide a character is."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

# Of a code that has no end yet so much is waited for; more is text.
_LONGEST_CSI = 128
_LONGEST_STRING = 4_096

ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)(?P<values>[0-?]*)[ -/]*(?P<final>[@-~])"  # CSI
    r"|\x1b\](?P<osc>[^\x07\x1b\x9c\n]*)(?:\x07|\x1b\\|\x9c)?"  # OSC, also unterminated
    r"|\x1b[PX^_][^\x1b\x9c\n]*(?:\x1b\\|\x9c)?"  # DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*"  # cut off
    r"|\x1b[ -/]*(?P<letter>[0-~])"  # two-byte escapes
    r"|\x1b"
)
# The beginning of a code at the end of a piece.
_OPEN = re.compile(
    rf"(?:\x1b\[|\x9b)[0-?]{{0,{_LONGEST_CSI}}}[ -/]{{0,8}}\Z"
    rf"|\x1b[\]PX^_][^\x07\x1b\x9c\n]{{0,{_LONGEST_STRING}}}\x1b?\Z"
    r"|\x1b[ -/]{0,8}\Z"
)
_LEVELS = (0, 95, 135, 175, 215, 255)
# What SGR numbers switch on and off: b bold, d dim, i italic, u underlined, r reversed, s struck.
_ON = {1: "b", 2: "d", 3: "i", 4: "u", 7: "r", 9: "s", 21: "u"}
_OFF = {22: "bd", 23: "i", 24: "u", 27: "r", 29: "s"}


class Pen(NamedTuple):
    """How characters are written. Colours: "" usual, "c0" to "c15" named ones, else "#rrggbb"."""

    ink: str = ""
    ground: str = ""
    marks: str = ""
    link: str = ""


PLAIN = Pen()


def split_open(text: str) -> tuple[str, str]:
    """(the text, the beginning of an escape code at its end): the rest of that may come later."""
    place = max(text.rfind("\x1b"), text.rfind("\x9b"))
    if place < 0:
        return text, ""
    # What ends a string begins with an escape of its own.
    before = text.rfind("\x1b", 0, place) if place == len(text) - 1 else -1
    for start in (before, place):
        if start >= 0 and _OPEN.match(text, start):
            return text[:start], text[start:]
    return text, ""


@lru_cache(maxsize=2_048)
def pen_after(pen: Pen, values: str) -> Pen:
    """The pen after an SGR code. What is not known changes nothing."""
    ink, ground, marks = pen.ink, pen.ground, set(pen.marks)
    parts = values.split(";")
    place = 0
    while place < len(parts):
        number, *more = (int(one) if one.isdigit() else -1 for one in parts[place].split(":"))
        number = 0 if parts[place] == "" else number
        place += 1
        if number in (38, 48, 58):
            if not more:
                count = 4 if parts[place : place + 1] == ["2"] else 2
                more = [int(one) if one.isdigit() else 0 for one in parts[place : place + count]]
                place += count
            colour = _wide_colour(more)
            ink = colour or ink if number == 38 else ink
            ground = colour or ground if number == 48 else ground
        elif number == 0:
            ink, ground, marks = "", "", set()
        elif number in _ON and not (number == 4 and more[:1] == [0]):
            marks.add(_ON[number])
        elif number in _OFF or number == 4:
            marks -= set(_OFF.get(number, "u"))
        elif 30 <= number <= 37 or 90 <= number <= 97:
            ink = f"c{number % 10 + (8 if number >= 90 else 0)}"
        elif 40 <= number <= 47 or 100 <= number <= 107:
            ground = f"c{number % 10 + (8 if number >= 100 else 0)}"
        elif number in (39, 49):
            ink, ground = ("", ground) if number == 39 else (ink, "")
    return Pen(ink, ground, "".join(sorted(marks)), pen.link)


def pen_of_link(pen: Pen, osc: str) -> Pen:
    """The pen after an OSC code; number 8 begins a link, or ends it with an empty address."""
    number, _, rest = osc.partition(";")
    if number != "8":
        return pen
    address = rest.partition(";")[2]
    return pen._replace(link=address if address.isprintable() else "")


def width_of(character: str) -> int:
    """How many columns a character takes: 2 for those of the Far East and emoji, 0 for marks."""
    return 1 if character.isascii() else _width(character)


@lru_cache(maxsize=8_192)
def _width(character: str) -> int:
    kind = unicodedata.category(character)
    if kind in ("Mn", "Me") or character in "\u200b\u200c\u200d\ufe0e\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _wide_colour(values: list[int]) -> str:
    """A colour of 256 or of 16 million; "" where it is not whole."""
    if values[:1] == [5] and len(values) >= 2 and 0 <= values[1] < 256:
        return _of_256(values[1])
    if values[:1] == [2] and len(values) >= 4:
        # A place for the colour space may stand before the three parts.
        parts = [max(0, min(255, value)) for value in values[-3:]]
        return "#{:02x}{:02x}{:02x}".format(*parts)
    return ""


def _of_256(number: int) -> str:
    if number < 16:
        return f"c{number}"
    if number >= 232:
        return "#" + f"{8 + 10 * (number - 232):02x}" * 3
    number -= 16
    parts = (_LEVELS[level % 6] for level in (number // 36, number // 6, number))
    return "#{:02x}{:02x}{:02x}".format(*parts)
