"""What lies under a row of a list: hovered, chosen, and with the keyboard on it."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from kinet.ui.look.theme import current_theme

Flag = QStyle.StateFlag
# The row has the focus, and keys are what was used last.
BY_KEY = Flag.State_HasFocus | Flag.State_KeyboardFocusChange


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
    if ring is not None:
        draw_ring(painter, state, box, radius=radius, ring=ring)


def draw_ring(
    painter: QPainter, state: Flag, box: QRect, *, radius: int = 6, ring: Flag = BY_KEY
) -> None:
    """The ring around `box` where all of `ring` holds; by itself where the keyboard came to."""
    if state & ring != ring:
        return
    theme = current_theme()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(theme.qcolor("focus"), theme.ring))
    inset = round(theme.ring / 2)
    painter.drawRoundedRect(box.adjusted(inset, inset, -inset, -inset), radius, radius)


class RingDelegate(QStyledItemDelegate):
    """Draws rows as the style does, and the ring around the one that the keyboard is on."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        super().paint(painter, option, index)
        draw_ring(painter, option.state, option.rect)
