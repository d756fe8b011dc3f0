"""Numbers as a person reads them: durations, counts, money."""

from __future__ import annotations

from kinet.ui.kit.figures import cost_words, duration

__all__ = ["duration", "money", "plural", "short_duration"]


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
