"""Scrolls to what has the focus and cannot be seen: Qt does so only for Tab inside one page."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QScrollArea, QWidget


def bring_into_sight(widget: QWidget) -> None:
    """Scrolls every page around `widget` on which nothing of it is seen."""
    above = widget.parentWidget()
    while above is not None and not above.isWindow():
        if isinstance(above, QScrollArea) and above.viewport().isAncestorOf(widget):
            place = QRect(widget.mapTo(above.viewport(), QPoint()), widget.size())
            if not place.intersects(above.viewport().rect()):
                above.ensureWidgetVisible(widget)
        above = above.parentWidget()
