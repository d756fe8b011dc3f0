"""Numbers as a person reads them: durations, counts, money."""

from __future__ import annotations

from kinet.ui.kit.figures import cost_words


def duration(seconds: float) -> str:
    """ "41 s", "1 min 8 s", "2 h 5 min"; "0.2 s" below one, for that is no nothing."""
    if 0 < seconds < 0.95:
        return f"{max(0.1, seconds):.1f} s"
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s" if whole % 60 else f"{whole // 60} min"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def short_duration(seconds: float) -> str:
    """For the last column of a step row: "0.1 s", "12.4 s", "1 min 8 s"."""
    return f"{seconds:.1f} s" if seconds < 60 else duration(seconds)


def money(cost: float | None, known: bool = True, estimated: bool = False) -> str:
    """As everywhere in the window; "" where nothing is known."""
    if cost is None or (not known and cost == 0):
        return ""
    return cost_words(cost, known, estimated)


def plural(number: int, word: str) -> str:
    """ "1 step", "12 steps"."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
