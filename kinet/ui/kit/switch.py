"""A switch of 36 by 20: on or off at once."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QCheckBox, QWidget

from kinet.ui.look.theme import current_theme

_WIDTH, _HEIGHT, _RING = 36, 20, 3
# state: the tokens of line, ground and knob
_ON = {
    "": ("accent", "accent", "on_accent"),
    "hover": ("accent_hover", "accent_hover", "on_accent"),
    "pressed": ("accent_pressed", "accent_pressed", "on_accent"),
    "disabled": ("disabled", "disabled", "raised"),
}
_OFF = {
    "": ("control_border", "raised", "control_border"),
    "hover": ("text_2", "hover", "text_2"),
    "pressed": ("accent", "selected", "accent"),
    "disabled": ("border", "raised", "disabled"),
}


class Switch(QCheckBox):
    """A check box that looks like a switch, so that keys and screen readers know it."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFixedSize(self.sizeHint())
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        """The switch with room for its focus ring."""
        return QSize(_WIDTH + 2 * _RING, _HEIGHT + 2 * _RING)

    def hitButton(self, pos: object) -> bool:
        """All of it can be pressed."""
        return True

    def paintEvent(self, event: QPaintEvent) -> None:
        """Track and knob; off is told by place and by the empty track, not by colour alone."""
        painter = QPainter(self)
        track = QRectF(_RING, _RING, _WIDTH, _HEIGHT)
        draw_switch(painter, track, self.isChecked(), _state_of(self))
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(current_theme().qcolor("focus"), 2))
            painter.drawRoundedRect(track.adjusted(-2, -2, 2, 2), 12, 12)


def draw_switch(painter: QPainter, track: QRectF, on: bool, state: str = "") -> None:
    """Draws a switch of 36 by 20 where `track` is; `state` is "", hover, pressed or disabled."""
    theme = current_theme()
    line, ground, knob = (_ON if on else _OFF)[state]
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.qcolor(line), 1))
    painter.setBrush(theme.qcolor(ground))
    painter.drawRoundedRect(track.adjusted(0.5, 0.5, -0.5, -0.5), 9.5, 9.5)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.qcolor(knob))
    left = track.right() - 16 if on else track.left() + 4
    painter.drawEllipse(QRectF(left, track.top() + 4, 12, 12))


def _state_of(switch: QCheckBox) -> str:
    if not switch.isEnabled():
        return "disabled"
    if switch.isDown():
        return "pressed"
    return "hover" if switch.underMouse() else ""
