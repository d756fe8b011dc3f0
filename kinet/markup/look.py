"""How rendered text looks: sizes and colours, handed in by whoever draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

# (LaTeX, in a line of its own, size in pixels) -> the tag that draws it; "" shows its source.
FormulaTag = Callable[[str, bool, int], str]


def no_formula(tex: str, display: bool, size: int) -> str:
    """Shows every formula as its source."""
    return ""


# Says of a paragraph in which quotes it stands: "bars:0 2" is in two, the second in two lists.
BARS = "bars:"


@dataclass(frozen=True)
class Look:
    """Sizes and colours of rendered text: logical pixels and "#rrggbb".

    `sizes` maps answer, ui, meta, code, inline, h1, h2, h3 to (size, line height); `colors` maps
    the theme's tokens.
    """

    sizes: Mapping[str, tuple[int, int]]
    colors: Mapping[str, str]
    code_family: str = "monospace"
    gap: int = 8
    indent: int = 16
    cell: int = 12
    base: str = "answer"
    color: str = "text"
    formula: FormulaTag = no_formula
    # Where no card is drawn around code: its colours by kind, and the family of what is above it.
    syntax: Mapping[str, str] = field(default_factory=dict)
    family: str = "sans-serif"

    def size(self, name: str) -> tuple[int, int]:
        """(size, line height) of a kind of text; the base size for an unknown name."""
        return self.sizes.get(name) or self.sizes[self.base]
