"""Figures as a person reads them: durations, tokens, money."""

from __future__ import annotations

# USD; less than this is not told apart.
_LEAST = 0.001


def duration(seconds: float) -> str:
    """How long something took: "41 s", "1 min 8 s", "2 h 5 min".

    "0.2 s" below one, for that is no nothing.
    """
    if 0 < seconds < 0.95:
        return f"{max(0.1, seconds):.1f} s"
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s" if whole % 60 else f"{whole // 60} min"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def seconds_words(seconds: float) -> str:
    """How long something takes so far, as a clock counts: "0.4 s", "12 s", "1 min 8 s"."""
    if seconds < 1:
        return f"{max(0.0, seconds):.1f} s"
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def tokens_words(tokens: int) -> str:
    """A number of tokens, short: "612", "8.2k", "200k", "1M"."""
    if tokens < 1_000:
        return str(tokens)
    if tokens < 10_000:
        return f"{tokens / 1_000:.1f}".removesuffix(".0") + "k"
    if tokens < 1_000_000:
        return f"{round(tokens / 1_000)}k"
    return f"{tokens / 1_000_000:.1f}".removesuffix(".0") + "M"


def cost_words(cost: float, known: bool, estimated: bool = False) -> str:
    """Money as it is shown: "≈ $0.031", "at least $0.02", "free", "—" where no price is known.

    `known` False: some call had no price. `estimated`: some price is a guess for an unknown model.
    """
    if not known:
        return f"at least {_dollars(cost)}" if cost > 0 else "—"
    if cost <= 0:
        return "free"
    words = f"≈ {_dollars(cost)}" if cost >= _LEAST else _dollars(cost)
    return f"{words} (estimate)" if estimated else words


def _dollars(cost: float) -> str:
    if cost >= 0.1:
        return f"${cost:,.2f}"
    if cost >= _LEAST:
        return f"${cost:.3f}"
    return "< $0.001"
