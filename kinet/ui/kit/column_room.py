"""Keeps a page that scrolls in the column of the window: its bar takes no room from it."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QScrollArea


def keep_column(area: QScrollArea, row: QHBoxLayout, margin: int) -> None:
    """`row` holds the column, `margin` is its least distance from both edges.

    The bar stands in the right margin, so that the column ends where the composer below it does.
    """
    bar = area.verticalScrollBar()

    def place() -> None:
        taken = bar.sizeHint().width() if bar.maximum() > bar.minimum() else 0
        row.setContentsMargins(margin, 0, max(0, margin - taken), 0)

    bar.rangeChanged.connect(place)
    place()
