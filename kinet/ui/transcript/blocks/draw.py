"""The few shapes that the transcript is drawn with: cards, lines, words, icons."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from kinet.ui.transcript.blocks.style import Style

RADIUS = 8
BUTTON = 28


def card(
    painter: QPainter,
    style: Style,
    rect: QRect,
    fill: str,
    line: str = "border",
    *,
    first: bool = True,
    last: bool = True,
    radius: int = RADIUS,
) -> None:
    """A rounded card with a hairline; `first` and `last` say which of its ends are in `rect`."""
    painter.save()
    if not (first and last):
        painter.setClipRect(rect, Qt.ClipOperation.IntersectClip)
    body = QRectF(rect).adjusted(
        0.5, 0.5 if first else -2 * radius, -0.5, -0.5 if last else 2 * radius
    )
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(style.color(line), 1) if line else Qt.PenStyle.NoPen)
    painter.setBrush(style.color(fill) if fill else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(body, radius, radius)
    painter.restore()


def head_fill(painter: QPainter, style: Style, rect: QRect, fill: str, line: str) -> None:
    """The tinted head of a card whose outline is `line`, with a line below it."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setClipRect(rect, Qt.ClipOperation.IntersectClip)
    painter.setPen(QPen(style.color(line), 1))
    painter.setBrush(style.color(fill))
    painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, 2 * RADIUS), RADIUS, RADIUS)
    painter.restore()
    rule(painter, style, rect.left(), rect.right() + 1, rect.bottom(), line)


def rule(painter: QPainter, style: Style, left: int, right: int, y: int, token: str) -> None:
    """A horizontal hairline of one logical pixel."""
    painter.fillRect(QRect(left, y, right - left, 1), style.color(token))


def words(
    painter: QPainter,
    style: Style,
    rect: QRect,
    text: str,
    token: str = "text",
    size: str = "ui",
    *,
    bold: bool = False,
    mono: bool = False,
    digits: bool = False,
    right: bool = False,
) -> int:
    """One line of text, centred in the height of `rect`; its width in pixels."""
    painter.setFont(style.font(size, bold=bold, mono=mono, digits=digits))
    painter.setPen(style.color(token))
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    flags = int(side | Qt.AlignmentFlag.AlignVCenter) | int(Qt.TextFlag.TextSingleLine)
    painter.drawText(rect, flags, text)
    return round(style.advance(text, size, bold=bold, mono=mono, digits=digits))


def icon(painter: QPainter, style: Style, rect: QRect, name: str, token: str, size: int) -> None:
    """An icon in the middle of `rect`."""
    pixmap = style.icon(name, token, size)
    left = rect.x() + (rect.width() - size) // 2
    top = rect.y() + (rect.height() - size) // 2
    painter.drawPixmap(left, top, pixmap)


def button(
    painter: QPainter,
    style: Style,
    rect: QRect,
    name: str,
    *,
    hovered: bool,
    focused: bool,
    token: str = "text_2",
) -> None:
    """An icon button of 28 in its states."""  # fmt: skip
    if hovered:
        rounded(painter, style, QRectF(rect), "hover", 6)
    icon(painter, style, rect, name, token, 16)
    if focused:
        ring(painter, style, rect)


def rounded(painter: QPainter, style: Style, rect: QRectF, fill: str, radius: float) -> None:
    """A filled rounded rectangle without a line."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    path = QPainterPath()
    path.addRoundedRect(rect, radius, radius)
    painter.fillPath(path, style.color(fill))
    painter.restore()


def ring(painter: QPainter, style: Style, rect: QRect, radius: int = 6) -> None:
    """The ring of 2 around what has the keyboard."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(style.color("focus"), 2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(QRectF(rect).adjusted(1, 1, -1, -1), radius, radius)
    painter.restore()


def dot(painter: QPainter, style: Style, rect: QRect, token: str, size: float = 6) -> None:
    """A round mark in the middle of `rect`."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(style.color(token))
    centre = QRectF(rect).center()
    painter.drawEllipse(QPointF(centre), size / 2, size / 2)
    painter.restore()
