"""What lies under a row of a list: hovered, chosen, and with the keyboard on it."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyle

from kinet.ui.look.theme import current_theme

Flag = QStyle.StateFlag


def is_chosen(state: Flag) -> bool:
    """True for the row that is chosen."""
    return bool(state & Flag.State_Selected)


def draw_ground(
    painter: QPainter,
    state: Flag,
    box: QRect,
    *,
    radius: int = 6,
    ring: Flag | None = None,
) -> None:
    """Fills `box` where the row is hovered or chosen; draws the ring where all of `ring` holds."""
    theme = current_theme()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    chosen = is_chosen(state)
    if chosen or state & Flag.State_MouseOver:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.qcolor("selected" if chosen else "hover"))
        painter.drawRoundedRect(box, radius, radius)
    if ring is not None and state & ring == ring:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.qcolor("focus"), theme.ring))
        inset = round(theme.ring / 2)
        painter.drawRoundedRect(box.adjusted(inset, inset, -inset, -inset), radius, radius)
