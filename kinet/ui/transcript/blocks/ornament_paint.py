"""Draws what stands around the words of a block: on screen and on paper the same."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QPainter

from kinet.ui.transcript.blocks import draw
from kinet.ui.transcript.blocks.ornaments import Ornaments
from kinet.ui.transcript.blocks.style import Style

# With a fixed line height Qt puts the baseline at four fifths; this brings it to the middle.
LIFT = 2


def paint_ornaments(
    painter: QPainter, style: Style, found: Ornaments, x: int, y: int, up: int,
    *, boxed: bool = True, goes_on: bool = False,
) -> None:  # fmt: skip
    """All of a document that stands at (x, y - up).

    Without `boxed` code within a line has no ground; `goes_on` says that the part before may end
    with the code this one begins with.
    """
    for bar in found.bars:
        draw.rounded(painter, style, bar.translated(x, y), "border", 1.5)
    for panel in found.panels:
        # Where the part before ends with the same code nothing of it is covered.
        above = 0 if goes_on and panel.y() < 1 else -5
        tinted = panel.translated(x, y - up).adjusted(-8, above, 0, 7)
        draw.rounded(painter, style, tinted, "code", 4)
    size = style.theme.line_height("ui") + 2
    for box in found.boxes if boxed else ():
        middle = round(box.center().y() + y - up)
        tinted = QRectF(box.x() + x - 4, middle - size // 2, box.width() + 8, size)
        draw.rounded(painter, style, tinted, "subtle", 4)
    for place in found.bullets:
        spot = QRect(round(place.x() + x) - 4, round(place.y() + y - up) - 4, 8, 8)
        draw.dot(painter, style, spot, "text", 5)
    for place, done in found.tasks:
        spot = QRect(round(place.x() + x) - 10, round(place.y() + y - up) - 8, 16, 16)
        draw.card(painter, style, spot.adjusted(1, 1, -1, -1), "", "control_border", radius=3)
        if done:
            draw.icon(painter, style, spot, "check", "success", 12)
    for rule in found.rules:
        painter.fillRect(rule.translated(x, y), style.color("border"))
