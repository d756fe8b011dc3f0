"""Where a text may be cut without breaking a character as a person sees it."""

from __future__ import annotations

import unicodedata

_ZERO_WIDTH_JOINER = "\u200d"
# How far a cut may move to find the border of a character.
_REACH = 32


def border_before(text: str, place: int) -> int:
    """The nearest border between characters at or before `place`."""
    place = max(0, min(place, len(text)))
    for step in range(min(place, _REACH) + 1):
        if is_border(text, place - step):
            return place - step
    return place


def border_after(text: str, place: int) -> int:
    """The nearest border between characters at or after `place`."""
    place = max(0, min(place, len(text)))
    for step in range(min(len(text) - place, _REACH) + 1):
        if is_border(text, place + step):
            return place + step
    return place


def is_border(text: str, place: int) -> bool:
    """True if a cut at `place` leaves every visible character whole."""
    if place <= 0 or place >= len(text):
        return True
    before, after = text[place - 1], text[place]
    if after.isascii() and before.isascii():
        return not (before == "\r" and after == "\n")
    if before == _ZERO_WIDTH_JOINER or after == _ZERO_WIDTH_JOINER or _extends(after):
        return False
    if _is_surrogate_pair(before, after) or _joins_in_hangul(before, after):
        return False
    if _is_flag_letter(before) and _is_flag_letter(after):
        return _flag_letters_before(text, place) % 2 == 0
    return True


def _extends(character: str) -> bool:
    """Accents, variation selectors, skin tones, tags: they belong to what stands before them."""
    code = ord(character)
    if 0x1F3FB <= code <= 0x1F3FF or 0xE0020 <= code <= 0xE007F:
        return True
    return unicodedata.category(character) in ("Mn", "Me", "Mc")


def _is_flag_letter(character: str) -> bool:
    return 0x1F1E6 <= ord(character) <= 0x1F1FF


def _flag_letters_before(text: str, place: int) -> int:
    count = 0
    while place - count > 0 and _is_flag_letter(text[place - count - 1]):
        count += 1
    return count


def _is_surrogate_pair(before: str, after: str) -> bool:
    return 0xD800 <= ord(before) <= 0xDBFF and 0xDC00 <= ord(after) <= 0xDFFF


def _joins_in_hangul(before: str, after: str) -> bool:
    """Korean letters that are written as one block: lead + vowel, vowel + tail, tail + tail."""
    first, second = ord(before), ord(after)
    if 0x1100 <= first <= 0x115F:
        return 0x1100 <= second <= 0x11A7 or 0xAC00 <= second <= 0xD7A3
    if 0x1160 <= first <= 0x11A7:
        return 0x1160 <= second <= 0x11FF
    if 0xAC00 <= first <= 0xD7A3:
        has_tail = (first - 0xAC00) % 28 != 0
        return 0x11A8 <= second <= 0x11FF or (not has_tail and 0x1160 <= second <= 0x11A7)
    return 0x11A8 <= first <= 0x11FF and 0x11A8 <= second <= 0x11FF
