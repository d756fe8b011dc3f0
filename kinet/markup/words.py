"""The words of a text in any script: what a comparison may not cut further."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

# Scripts without spaces between words: each character, with its marks, is one.
_SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
# Join what stands around them: joiners, variants, skin tones, and what is added for the screen.
_JOINING = "\u200b-\u200d\u2060\ufe0e\ufe0f\U0001f3fb-\U0001f3ff"
_ADDED = "\u200b\u2060"
_UNSEEN = re.compile(f"[{_ADDED}]")


def words(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, stop, word) of each word, number and sign, in order; white space is none of them."""
    for match in _pattern().finditer(text):
        found = match.group()
        if found.isascii():
            yield match.start(), match.end(), found
            continue
        start = match.end() - len(found.lstrip(_ADDED))
        stop = match.start() + len(found.rstrip(_ADDED))
        if start < stop:
            yield start, stop, _UNSEEN.sub("", found)


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    joined = _JOINING + _marks()
    return re.compile(
        f"[{_SPACELESS}][{joined}]*"
        f"|(?:(?![{_SPACELESS}])\\w)(?:(?![{_SPACELESS}])[\\w{joined}])*"
        f"|[{joined}]*[^\\w\\s](?:[{joined}]|(?<=\u200d)[^\\w\\s])*"
    )


def _marks() -> str:
    """All combining marks, as ranges of a character class."""
    ranges: list[str] = []
    begun = -1
    for code in (*range(0x300, 0x12000), 0x12000):
        if unicodedata.category(chr(code)).startswith("M") and code < 0x12000:
            begun = code if begun < 0 else begun
        elif begun >= 0:
            ranges.append(f"{chr(begun)}-{chr(code - 1)}")
            begun = -1
    return "".join(ranges)
