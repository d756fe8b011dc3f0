"""Puts drawn formulas into a document: each on the line of its words, which it does not move.

Qt's own pictures stand where the letters beside them say, with a line as high as they are. These
reach into the free room between two lines; only what needs more makes its line higher.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from PySide6.QtCore import QByteArray, QPointF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QImage,
    QPainter,
    QPyTextObject,
    QTextBlock,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtSvg import QSvgRenderer

from kinet.markup.formulas import Drawing

# Stands in a document for a picture: the only ones are formulas.
OBJECT = "\ufffc"


class Room(NamedTuple):
    """A formula in a line: its picture, how much of that stands above the line of the words, and
    the room that is wanted above and below."""

    image: QImage
    width: float
    above: float
    ascent: float
    descent: float


def room_of(
    drawing: Drawing, font: QFont, line: int, width: int, ratio: float, shared: float
) -> Room:
    """The picture of a drawing, no wider than `width`, beside letters of a font, in lines of a
    height.

    It may reach `shared` pixels into the line below; so much is kept free above it, so that two
    never meet.
    """
    shrink = min(1.0, width / drawing.width)
    ascent, descent = drawing.ascent * shrink, (drawing.height - drawing.ascent) * shrink
    wide = drawing.width * shrink
    # Its line lies between two pixels, or it would be blurred.
    above, below = math.ceil(ascent * ratio), math.ceil(descent * ratio)
    image = QImage(
        max(1, math.ceil(wide * ratio)), max(1, above + below),
        QImage.Format.Format_ARGB32_Premultiplied,
    )  # fmt: skip
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.scale(ratio, ratio)
    renderer = QSvgRenderer(QByteArray(drawing.svg.encode()))
    renderer.render(painter, QRectF(0, above / ratio - ascent, wide, drawing.height * shrink))
    painter.end()
    image.setDevicePixelRatio(ratio)
    metrics = QFontMetricsF(font)
    ascent, descent = ascent + shared, descent - shared
    # What a line is higher than its letters Qt puts above them.
    usual = line - math.ceil(metrics.ascent() + metrics.descent()) + metrics.ascent()
    if ascent <= usual and descent <= metrics.descent():
        return Room(image, wide, above / ratio, metrics.ascent() - 1, metrics.descent())
    # The line becomes higher, and not lower above. Qt takes a pixel off it for a picture.
    descent = max(descent, metrics.descent())
    return Room(image, wide, above / ratio, max(ascent, usual) + 1, descent)


def set_html(document: QTextDocument, html: str, rooms: Mapping[str, Room]) -> None:
    """The text, with the formulas that are drawn."""
    if not rooms:
        document.setHtml(html)
        return
    _Formulas(document, rooms)
    family = document.defaultFont()
    for name, room in rooms.items():
        # Qt shares a room out by the letters of its font.
        size = _size_for(family, math.ceil(2 * max(0.0, room.ascent - room.descent)))
        form = f'style="vertical-align:middle;font-size:{size}px"'
        html = html.replace(f'<img src="{name}"', f'<img {form} src="{name}"')
    document.setHtml(html)


def pictures(block: QTextBlock) -> list[str]:
    """The names of the pictures in a paragraph, in order."""
    names: list[str] = []
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        if fragment.isValid() and fragment.charFormat().isImageFormat():
            name = fragment.charFormat().toImageFormat().name()
            # The same picture twice in a row is one fragment.
            names += [name] * fragment.length()
        iterator += 1
    return names


class _Formulas(QPyTextObject):
    """The formulas of one document, by the names of their pictures; it belongs to the document."""

    def __init__(self, document: QTextDocument, rooms: Mapping[str, Room]) -> None:
        super().__init__(document)
        self._rooms = rooms
        kind = int(QTextFormat.ObjectTypes.ImageObject.value)
        document.documentLayout().registerHandler(kind, self)

    def intrinsicSize(self, doc: QTextDocument, posInDocument: int, format: QTextFormat) -> QSizeF:
        """The room that its line gives."""
        room = self._rooms.get(format.toImageFormat().name())
        return QSizeF(room.width, room.ascent + room.descent) if room else QSizeF(0, 0)

    def drawObject(
        self, painter: QPainter, rect: QRectF | QRect, doc: QTextDocument, posInDocument: int,
        format: QTextFormat,
    ) -> None:  # fmt: skip
        """The picture on the line of the words; Qt has put its room in the middle of the line."""
        room = self._rooms.get(format.toImageFormat().name())
        block = doc.findBlock(posInDocument)
        line = block.layout().lineForTextPosition(posInDocument - block.position())
        if room is None or not line.isValid():
            return
        begin = rect.y() - (line.height() - rect.height()) / 2
        top = begin + line.ascent() + max(0.0, line.leading()) - room.above
        # Between two pixels its strokes would be blurred.
        there = painter.deviceTransform()
        place = there.map(QPointF(rect.x(), top))
        inner = there.inverted()[0].map(QPointF(round(place.x()), round(place.y())))
        painter.drawImage(inner, room.image)


@lru_cache(maxsize=512)
def _size_for(font: QFont, height: int) -> int:
    """The size of a font whose x is so high, in pixels."""
    sized = QFont(font)
    size = max(1, height)
    sized.setPixelSize(size)
    while QFontMetrics(sized).xHeight() < height:
        size += 1
        sized.setPixelSize(size)
    return size
