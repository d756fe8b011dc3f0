"""Numbers as a person reads them: durations, counts, money."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """ "41 s", "1 min 8 s", "2 h 5 min"."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s" if whole % 60 else f"{whole // 60} min"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def short_duration(seconds: float) -> str:
    """For the last column of a step row: "0.1 s", "12.4 s", "1 min 8 s"."""
    return f"{seconds:.1f} s" if seconds < 60 else duration(seconds)


def money(cost: float | None, known: bool = True) -> str:
    """ "≈ $0.031"; "" where nothing is known; at least two digits that say something."""
    if cost is None or (not known and cost == 0):
        return ""
    if cost == 0:
        return "$0"
    digits = 2 if cost >= 0.1 else 3 if cost >= 0.001 else 4 if cost >= 0.0001 else 6
    more = "" if known else "at least "
    return f"≈ {more}${cost:.{digits}f}"


def plural(number: int, word: str) -> str:
    """ "1 step", "12 steps"."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
