"""Makes a colour that somebody else chose readable on its ground: it keeps its hue."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtGui import QColor

# What text needs (WCAG AA).
LEAST = 4.5
_STEPS = 20


@lru_cache(maxsize=4_096)
def readable(ink: str, ground: str) -> str:
    """`ink`, or as little lighter or darker as it takes; both "#rrggbb"."""
    if contrast(ink, ground) >= LEAST:
        return ink
    ends = sorted(("#000000", "#ffffff"), key=lambda end: contrast(end, ground))
    for step in range(1, _STEPS):
        mixed = _mixed(ink, ends[-1], step / _STEPS)
        if contrast(mixed, ground) >= LEAST:
            return mixed
    return ends[-1]


def contrast(one: str, other: str) -> float:
    """The ratio of two colours, 1 to 21."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@lru_cache(maxsize=4_096)
def _luminance(color: str) -> float:
    red, green, blue = (_linear(value / 255) for value in _parts(color))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)


def _parts(color: str) -> tuple[int, int, int]:
    made = QColor(color)
    return made.red(), made.green(), made.blue()


def _mixed(one: str, other: str, share: float) -> str:
    parts = (round(a + (b - a) * share) for a, b in zip(_parts(one), _parts(other), strict=True))
    return "#{:02x}{:02x}{:02x}".format(*parts)
