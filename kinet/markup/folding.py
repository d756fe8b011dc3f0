"""Folds text so that a search finds what is meant: case, accents, points, and what is not seen."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from html import unescape

from kinet.markup.fences import FENCE
from kinet.markup.links import target

# Marks that are left out by who writes in a hurry, or left to the reader: accents of Latin, Greek
# and Cyrillic, points of Hebrew and Arabic. Those of other scripts are letters of their own.
_OPTIONAL = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640"
    "\u064b-\u065f\u0670\u06d6-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff]"
)
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]"
)
_SPACES = re.compile("[\t\u00a0\u1680\u2000-\u200a\u2028\u202f\u205f\u3000]")
_QUOTES = dict.fromkeys("\u2018\u2019\u201a", "'") | dict.fromkeys("\u201c\u201d\u201e", '"')
# Stands between lines; no text to look for holds it.
LINE = "\0"

# Each begins with a sign, so that what has none is passed over quickly.
_MARKS = re.compile(
    r"`(?P<ticks>`*)(?P<code>[^`\n]+)`(?P=ticks)(?!`)|\\(?P<sign>[!-/:-@\[-`{-~])|\*+|_+|~~"
)
_EMPHASIS = str.maketrans("", "", "*_~`\\")
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)[^)\n]*\)")
# A line that only goes on with the one before.
_SOFT = re.compile(r"(?<=[^\n])\n[ \t>]*(?=[^\W\d_])")
_SIGNS = re.compile(r"[*_~`\\\[]")
_SPECIAL = re.compile(r"[*_~`\\\[&]")
# A longer message is looked through as it is written: leaving out its marks would take too long.
_LONGEST = 200_000
_PERSON_CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


def folded(text: str) -> str:
    """The text as it is compared. A character may become none, or several."""
    return text.lower().replace("\t", " ") if text.isascii() else text.translate(_FOLDS)


def places_of(text: str, needle: str) -> list[tuple[int, int]]:
    """(start, end) of each place of a needle that is folded; an accent belongs to its letter."""
    whole = folded(text)
    if not needle or needle not in whole:
        return []
    # Where each folded character comes from; what folds to none goes with the one before.
    starts: Sequence[int] = range(len(text) + 1)
    counts = () if text.isascii() else [len(_FOLDS[ord(c)]) for c in text]
    if counts and counts.count(1) < len(counts):
        starts = [place for place, count in enumerate(counts) for _ in range(count)] + [len(text)]
    found, place = [], whole.find(needle)
    while place >= 0:
        end = place + len(needle)
        found.append((starts[place], max(starts[end], starts[end - 1] + 1)))
        place = whole.find(needle, end)
    return found


def searchable(source: str, needle: str, *, typed: bool = False) -> str:
    """About what is read of a text in Markdown, folded, its lines apart by LINE.

    `typed`: it is what a person wrote, shown as it is. Quick, for it is asked of whole
    conversations: the marks that emphasise, quote code and link are left out, unless the needle has
    such marks itself. "" where the needle is surely not in it.
    """
    if typed:
        return folded(_PERSON_CODE.sub(r"\1", source)).replace("\n", LINE)
    if not _SIGNS.search(needle) and len(source) < _LONGEST and _SPECIAL.search(source):
        if "&" not in source and not _may_hold(source, needle):
            return ""
        fenced = "```" in source or "~~~" in source
        source = _beside_fences(source, _as_read) if fenced else _as_read(source)
    return folded(_SOFT.sub(" ", source)).replace("\n", LINE)


def as_read(text: str, needle: str) -> str:
    """A part of a text as `searchable` compares it with a needle, not folded."""
    return _SOFT.sub(" ", text if _SIGNS.search(needle) else _as_read(text))


def _may_hold(source: str, needle: str) -> bool:
    """False where some word of the needle stands nowhere."""
    bare = folded(source.translate(_EMPHASIS))
    return all(word in bare for word in re.findall(r"[^\W_]+", needle))


def _as_read(text: str) -> str:
    if "](" in text:
        text = _LINK.sub(_link, text)
    if "&" in text:
        text = unescape(text)
    return _MARKS.sub(_without_marks, text)


def _without_marks(match: re.Match[str]) -> str:
    """What is left of a sign: nothing where it marks words, else itself."""
    said = match["code"] or match["sign"]
    if said:
        return said
    text, start, end = match.string, match.start(), match.end()
    before, after = text[start - 1 : start] or " ", text[end : end + 1] or " "
    if before.isspace() and after.isspace():
        return match[0]
    inside = before.isalnum() and after.isalnum()
    return match[0] if match[0][0] == "_" and inside else ""


def _link(match: re.Match[str]) -> str:
    """The words of a link, and the host that is told behind them."""
    host = target(match[2])
    return match[1] if host in match[1] else f"{match[1]} {host}"


def _beside_fences(source: str, change: Callable[[str], str]) -> str:
    """Changes what is no code."""
    out: list[str] = []
    prose: list[str] = []
    mark = ""
    for line in source.split("\n"):
        opened = FENCE.match(line)
        if mark:
            out.append(line)
            mark = "" if opened and opened[2].startswith(mark) and not opened[3].strip() else mark
        elif opened:
            out += [change("\n".join(prose))] if prose else []
            prose.clear()
            out.append(line)
            mark = opened[2]
        else:
            prose.append(line)
    out += [change("\n".join(prose))] if prose else []
    return "\n".join(out)


class _Folds(dict[int, str]):
    """What each character is compared as, found out when it is first met."""

    def __missing__(self, code: int) -> str:
        made = self[code] = _fold(chr(code))
        return made


def _fold(character: str) -> str:
    if _UNSEEN.match(character) or _OPTIONAL.match(character):
        return ""
    if _SPACES.match(character):
        return " "
    if character in _QUOTES:
        return _QUOTES[character]
    whole = unicodedata.normalize("NFD", character)
    base = _OPTIONAL.sub("", whole)
    # A letter with marks of another kind, a syllable of Hangul for one, stays as it is.
    plain = base if len(base) == 1 else character
    return _OPTIONAL.sub("", plain.casefold())


_FOLDS = _Folds()
