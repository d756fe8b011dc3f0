"""Makes text safe to show: controls as symbols, escape codes away, long words breakable."""

from __future__ import annotations

import re
import unicodedata

# An unbroken word costs quadratic layout; it may be broken after this many characters.
WORD = 200
BREAK = "\u200b"
# Stands beside code within a line and gives its background room; nothing of the text.
PAD = "\u2060"

BYTE_ORDER_MARK = "\ufeff"
# Keep code within a line in its own direction, from the left.
LEFT_TO_RIGHT, ITS_END = "\u2066", "\u2069"

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]?"  # CSI: colours, cursor
    r"|\x1b[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c|$)"  # OSC and other strings
    r"|\x9b[0-?]*[ -/]*[@-~]?"
    r"|\x1b[ -/]*[0-~]?"
)
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_TAGS = re.compile("[\U000e0000-\U000e007f]")
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u30ff\u3130-\u318f\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
_ISOLATED = re.compile(f"(?:(?<={PAD})|^){LEFT_TO_RIGHT}|{ITS_END}(?={PAD}|$)")
_UNSEEN_BEGIN = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe0e\ufe0f\ufeff]+"
)
_SURROGATES = re.compile("[\ud800-\udfff]")
_LONG = re.compile(rf"([^\s{BREAK}]{{{WORD}}})(?=[^\s{BREAK}])")
_ADDED = re.compile(rf"([^\s{BREAK}]{{{WORD}}}){BREAK}(?=[^\s{BREAK}])")
_MARK = "\u2426"  # SYMBOL FOR SUBSTITUTE FORM TWO
_JOINERS = re.compile("^[\u0300-\u036f\u200d\ufe0e\ufe0f]")


def without_escapes(text: str) -> str:
    """The text without terminal escape codes and without hidden tag characters."""
    if "\x1b" in text or "\x9b" in text:
        text = _ESCAPES.sub("", text)
    return text if text.isascii() else _TAGS.sub("", text)


def shown(text: str) -> str:
    """Text of a message for the screen: whatever acts unseen is gone or a symbol."""
    if text.isascii() and text.isprintable():
        return text
    return _SURROGATES.sub("\ufffd", _CONTROLS.sub(_symbol, without_escapes(text)))


def shown_code(code: str) -> str:
    """Code for the screen, with as many UTF-16 units as the source, so that places agree."""
    if code.isascii() and _CONTROLS.search(code) is None:
        return code
    code = _CONTROLS.sub(_symbol, code)
    code = _TAGS.sub(_MARK * 2, code)
    code = _BIDI.sub(_MARK, code)
    return _SURROGATES.sub("\ufffd", code)


def shown_inline(code: str) -> str:
    """Code within a line for the screen: whatever acts unseen is a symbol, also escape codes."""
    return shown_code(code)


def is_right_to_left(text: str) -> bool:
    """True if any of a text is written from the right."""
    return not text.isascii() and _RIGHT_TO_LEFT.search(text) is not None


def is_spaceless(character: str) -> bool:
    """True for a letter of a script that puts no spaces around a word, or none behind it."""
    return _SPACELESS.match(character) is not None


def direction(text: str, otherwise: str = "ltr") -> str:
    """The direction of a paragraph, "ltr" or "rtl": that of its first letter that has one."""
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind in ("R", "AL"):
            return "rtl"
        if kind == "L":
            return "ltr"
    return otherwise


def clean_for_clipboard(text: str) -> str:
    """What may be copied: no escape codes, controls or hidden characters; lines end in a feed."""
    if text.replace("\n", "").isprintable():
        # Nearly every text, and of a long conversation there are a hundred thousand.
        return text
    return _CONTROLS.sub("", line_feeds(without_escapes(text)))


def line_feeds(text: str) -> str:
    """The text with a line feed at the end of each line, whether CR LF or CR stood there."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def breakable(text: str) -> str:
    """Break opportunities in words that are too long to lay out in one piece."""
    if len(text) <= WORD:
        return text
    return _LONG.sub(rf"\1{BREAK}", text)


def without_unseen_begin(text: str) -> str:
    """The text from its first character on that can be seen."""
    unseen = _UNSEEN_BEGIN.match(text)
    return text[unseen.end() :] if unseen else text


def unbroken(text: str) -> str:
    """Takes out again what was added for the screen: break opportunities, what is beside code."""
    if PAD in text:
        text = _ISOLATED.sub("", text).replace(PAD, "")
    return _ADDED.sub(r"\1", text) if BREAK in text else text


def _symbol(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code == 0x7F:
        return "\u2421"
    return chr(0x2400 + code) if code < 0x20 else _MARK
