"""Draws formulas: LaTeX to SVG, or nothing where it is not understood."""

from __future__ import annotations

import threading
from dataclasses import dataclass

# More would take longer than it is worth; it is shown as its source.
LONGEST = 2_000
# What the package knows of sizes is shared: of two that are drawn at once one is placed wrongly.
_ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True, slots=True)
class Drawing:
    """A formula as SVG: its size in pixels, and how much of it is above the line of text."""

    svg: str
    width: float
    height: float
    ascent: float


def draw_formula(tex: str, *, display: bool, size: float, color: str) -> Drawing | None:
    """The drawing; None for what is unknown, wrong or too long. Slow at the first call: it reads
    a font, so that a window calls this in a thread."""
    if not tex.strip() or len(tex) > LONGEST:
        return None
    with _ONE_AT_A_TIME:
        return _drawn(tex, display=display, size=size, color=color)


def _drawn(tex: str, *, display: bool, size: float, color: str) -> Drawing | None:
    # Not needed before the first formula, and it takes a quarter of a second.
    from latex2mathml import exceptions
    from latex2mathml.converter import convert
    from ziamath.config import config
    from ziamath.zmath import Latex

    # Not everything that draws SVG knows its newer way to use one shape twice.
    config.svg2 = False
    faults: tuple[type[Exception], ...] = (
        *_FAULTS,
        *(
            kind
            for kind in vars(exceptions).values()
            if isinstance(kind, type) and issubclass(kind, Exception)
        ),
    )

    try:
        if "\\" in convert(tex):
            # A macro that nobody knows is handed on by its name.
            return None
        made = Latex(tex, size=size, color=color, inline=not display)
        width, height = made.getsize()
        below = -float(made.getyofst())
        return Drawing(str(made.svg()), float(width) + 2, float(height) + 2, height - below + 1)
    except faults:
        return None


# What the packages raise for text that is no LaTeX, besides exceptions of their own.
_FAULTS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NotImplementedError,
    RecursionError,
    StopIteration,
    SyntaxError,
    TypeError,
    ValueError,
)
