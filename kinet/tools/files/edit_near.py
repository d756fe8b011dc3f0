"""Says why an edit's old text was not found: the nearest places and the first difference."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Sequence

from kinet.policy.visible import named, visible_line

_MOST_LINES = 20_000
_LONGEST_LINE = 2_000
_PLACES = 3
_GOOD_ENOUGH = 0.6


def near_miss(text: str, old: str) -> str:
    """One or two sentences for the model, "" where nothing in `text` looks like `old`."""
    lines = text.split("\n")
    wanted = old.split("\n")
    if len(lines) > _MOST_LINES or max(map(len, wanted)) > _LONGEST_LINE:
        return ""
    places = _nearest(lines, wanted)
    if not places:
        return ""
    first = places[0]
    found = "\n".join(lines[first : first + len(wanted)])
    only = _only(found, old)
    sentence = f"The nearest text is at line {first + 1}{only}: "
    sentence += _difference(found, old, first + 1)
    if len(places) > 1:
        others = "; ".join(f"line {at + 1}: {visible_line(lines[at])[:80]}" for at in places[1:])
        sentence += f"\nFurther places that look like it: {others}"
    return sentence


def _only(found: str, old: str) -> str:
    """Says if nothing but blanks differs, and which; it is told and never applied."""
    have, want = found.split("\n"), old.split("\n")
    if found.replace("\r", "") == old.replace("\r", ""):
        return ", which differs only in line endings"
    if [line.rstrip() for line in have] == [line.rstrip() for line in want]:
        return ", which differs only in trailing blanks"
    if [line.strip() for line in have] == [line.strip() for line in want]:
        return ", which differs only in indentation"
    return ""


def _nearest(lines: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Line indexes of the most similar windows, best first."""
    folded = [_folded(line) for line in lines]
    goal = [_folded(line) for line in wanted]
    anchors = _anchors(folded, goal)
    scored = sorted(((_score(folded, goal, at), -at) for at in anchors), reverse=True)
    return [-at for score, at in scored[:_PLACES] if score >= _GOOD_ENOUGH]


def _anchors(folded: Sequence[str], goal: Sequence[str]) -> set[int]:
    """Where a window may begin: at an equal line, else at one that looks like the first."""
    where: dict[str, int] = {}
    for index, line in enumerate(goal):
        if line:
            where.setdefault(line, index)
    found = {at - where[line] for at, line in enumerate(folded) if line in where}
    if not found:
        lead = max(range(len(goal)), key=lambda index: len(goal[index]))
        found = {
            at - lead for at, line in enumerate(folded) if line and _alike(line, goal[lead]) > 0.5
        }
    last = len(folded) - 1
    return {at for at in sorted(found)[:500] if 0 <= at <= last}


def _score(folded: Sequence[str], goal: Sequence[str], at: int) -> float:
    window = folded[at : at + len(goal)]
    total = sum(_alike(have, want) for have, want in zip(window, goal, strict=False))
    return total / len(goal)


def _alike(first: str, second: str) -> float:
    if first == second:
        return 1.0
    if len(first) > _LONGEST_LINE or not first or not second:
        return 0.0
    matcher = difflib.SequenceMatcher(None, first, second, autojunk=False)
    if matcher.real_quick_ratio() < 0.5 or matcher.quick_ratio() < 0.5:
        return 0.0
    inside = min(len(first), len(second)) >= 4 and (second in first or first in second)
    return max(matcher.ratio(), 0.8 if inside else 0.0)


_BLANKS = re.compile(r"\s+")
_LOOK_ALIKE = str.maketrans({
    "‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‐": "-", "‑": "-", "−": "-",
    "…": "...", "\u200b": None, "\u00ad": None, "\ufeff": None,
})  # fmt: skip


def _folded(line: str) -> str:
    """The line as a careless reader sees it: blanks, case and look-alikes do not count."""
    plain = unicodedata.normalize("NFKC", line[:_LONGEST_LINE]).translate(_LOOK_ALIKE)
    return _BLANKS.sub(" ", plain).strip().casefold()


def _difference(found: str, old: str, line: int) -> str:
    """The first character that differs, named on both sides."""
    if unicodedata.normalize("NFC", found) == unicodedata.normalize("NFC", old) and found != old:
        how = "composed" if unicodedata.is_normalized("NFC", old) else "decomposed"
        return (
            "the letters look alike, but their accents are stored in another way "
            f"(old_string has them {how}); use a shorter old_string without them."
        )
    start = found.find(old[: max(1, min(len(old), 8))])
    offset = start if start > 0 and "\n" not in found[:start] else 0
    have, at = found[offset:], 0
    while at < len(have) and at < len(old) and have[at] == old[at]:
        at += 1
    row = line + have.count("\n", 0, at)
    column = at - (have.rfind("\n", 0, at) + 1) + 1 + (offset if row == line else 0)
    here = named(have[at]) if at < len(have) else "the end of these lines"
    there = named(old[at]) if at < len(old) else "its end"
    shown = visible_line(found.split("\n")[row - line])[:160]
    return (
        f"in line {row}, column {column}, the file has {here} where old_string has {there}. "
        f"The line is: {shown}"
    )
