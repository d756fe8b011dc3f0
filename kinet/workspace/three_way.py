"""Joins two changes of one text where they do not touch each other."""

from __future__ import annotations

import difflib

_LARGEST = 2_000_000
_MOST_LINES = 8_000


def merged(base: bytes, mine: bytes, theirs: bytes) -> bytes | None:
    """`base` with both changes; None where they touch each other, or where it is no text."""
    sides = (base, mine, theirs)
    if any(b"\0" in side or len(side) > _LARGEST for side in sides):
        return None
    old, one, two = (side.splitlines(keepends=True) for side in sides)
    if max(len(old), len(one), len(two)) > _MOST_LINES:
        return None
    edits = sorted([*_edits(old, one), *_edits(old, two)], key=lambda edit: edit[:2])
    out: list[bytes] = []
    place = 0
    last: tuple[int, int, list[bytes]] | None = None
    for edit in edits:
        start, end, lines = edit
        if last is not None and edit == last:
            continue
        # Edits that meet at a line are too near each other to be sure.
        if last is not None and (start < last[1] or start == last[1]):
            return None
        out += old[place:start]
        out += lines
        place, last = end, edit
    out += old[place:]
    return b"".join(out)


def _edits(old: list[bytes], new: list[bytes]) -> list[tuple[int, int, list[bytes]]]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [
        (start, end, new[low:high])
        for word, start, end, low, high in matcher.get_opcodes()
        if word != "equal"
    ]
