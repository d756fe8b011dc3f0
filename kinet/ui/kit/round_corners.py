"""Cuts the corners off a window with round ones where the desktop cannot see through it."""

from __future__ import annotations

import math

from PySide6.QtGui import QGuiApplication, QRegion
from PySide6.QtWidgets import QWidget


def cut_corners(window: QWidget, radius: int, platform: str = "") -> None:
    """To be called whenever `window` has another size.

    On X11 without a compositor what is transparent is black; with one nothing of it is seen. Other
    desktops always compose.
    """
    if (platform or QGuiApplication.platformName()) == "xcb":
        window.setMask(_rounded(window.width(), window.height(), radius))


def _rounded(width: int, height: int, radius: int) -> QRegion:
    """Row by row, so that all four corners are alike: a polygon takes more at two of them."""
    region = QRegion(0, radius, width, height - 2 * radius)
    for row in range(radius):
        half = radius - row - 0.5
        inset = math.ceil(radius - math.sqrt(radius * radius - half * half))
        for y in (row, height - 1 - row):
            region += QRegion(inset, y, width - 2 * inset, 1)
    return region
