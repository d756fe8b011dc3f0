"""Places chips in rows as wide as there is room."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

CHIP_HEIGHT = 24
_GAP, _LINE_GAP, _NARROWEST = 8, 4, 60


def place_chips(box: QWidget, chips: Sequence[QWidget]) -> None:
    """Gives each chip of `box` its place, and the box the height of its rows, 0 without chips."""
    x = y = 0
    for chip in chips:
        width = min(chip.sizeHint().width(), max(_NARROWEST, box.width()))
        if x and x + width > box.width():
            x, y = 0, y + CHIP_HEIGHT + _LINE_GAP
        chip.setGeometry(x, y, width, CHIP_HEIGHT)
        x += width + _GAP
    height = y + CHIP_HEIGHT if chips else 0
    if box.maximumHeight() != height:
        box.setFixedHeight(height)
