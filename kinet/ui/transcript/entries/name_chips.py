"""The names of what is attached to a message, on small chips in as many rows as they need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect

from kinet.ui.transcript.blocks import draw
from kinet.ui.transcript.blocks.style import Style
from kinet.ui.transcript.entries.entry import Canvas

GAP = 8
# The longest name on a chip, in characters.
_NAME = 40
# What a chip has besides its name.
_AROUND = 30


@dataclass(frozen=True)
class Chip:
    """A name as far as it fits, how far right it stands, in which row, and how wide it is."""

    name: str
    x: int
    row: int
    width: int


def placed(names: Sequence[str], style: Style, most: int) -> list[Chip]:
    """The chips in rows of at most `most` pixels."""
    left, row = 0, 0
    chips = []
    for whole in names:
        name = style.elided(whole[:_NAME], most - _AROUND)
        wide = round(style.advance(name, "ui")) + _AROUND
        if left and left + wide > most:
            left, row = 0, row + 1
        chips.append(Chip(name, left, row, wide))
        left += wide + GAP
    return chips


def width_in_one_row(names: Sequence[str], style: Style) -> int:
    """How wide the chips are beside each other; 0 for none."""
    return max((chip.x + chip.width for chip in placed(names, style, 10**6)), default=0)


def draw_chip(canvas: Canvas, name: str, rect: QRect, mark: str) -> None:
    """One chip with its mark."""
    painter, style = canvas.painter, canvas.style
    draw.rounded(painter, style, rect.toRectF(), "canvas", 4)
    box = QRect(rect.x() + 4, rect.y(), 18, rect.height())
    draw.icon(painter, style, box, mark, "text_2", 14)
    draw.words(painter, style, rect.adjusted(24, 0, -4, 0), name, "text_2")
