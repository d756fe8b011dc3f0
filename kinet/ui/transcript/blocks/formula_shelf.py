"""Draws formulas in a thread and keeps the pictures: until one is there its source is shown."""

from __future__ import annotations

import math
import re
from collections import OrderedDict
from urllib.parse import quote, unquote

from PySide6.QtCore import QByteArray, QObject, QRectF, Qt, QThreadPool, QTimer, QUrl, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPainter, QTextDocument
from PySide6.QtSvg import QSvgRenderer

from kinet.markup.formulas import Drawing, draw_formula

# More than one screen can hold: what is seen and forgotten would be drawn again for ever. A block
# has 6 KB at most, so a thousand formulas; a drawing takes some KB.
KEPT = 4_000
# Milliseconds. What is drawn within this time is told at once: each telling looks at all entries.
_GATHER = 30
_MIDDLE = 'style="vertical-align:middle"'
# What round letters reach below their line, and the margin of a drawing, in sizes of the letters.
_OVERSHOOT = 0.12
_NAMES = re.compile(r'src="(formula:[^"]+)"')
# (LaTeX, in a line of its own, size, colour)
Key = tuple[str, bool, int, str]


class FormulaShelf(QObject):
    """Drawings by formula, size and colour."""

    # Formulas that were asked for have been drawn.
    drawn = Signal()
    _made = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._drawings: OrderedDict[Key, Drawing | None] = OrderedDict()
        self._waiting: set[Key] = set()
        self._made.connect(self._keep)
        self._tell = QTimer(self)
        self._tell.setSingleShot(True)
        self._tell.setInterval(_GATHER)
        self._tell.timeout.connect(self.drawn)

    @property
    def is_idle(self) -> bool:
        """True when no formula is being drawn, and all that are have been told."""
        return not self._waiting and not self._tell.isActive()

    def tag(self, tex: str, display: bool, size: int, color: str) -> str:
        """The tag of a formula's picture; "" while there is none: then its source is shown."""
        key = (tex, display, size, color)
        if key in self._drawings:
            self._drawings.move_to_end(key)
            return f'<img src="{_name(key)}">' if self._drawings[key] is not None else ""
        if key not in self._waiting:
            self._waiting.add(key)
            QThreadPool.globalInstance().start(lambda: self._draw(key))
        return ""

    def give(self, document: QTextDocument, html: str, width: int, ratio: float) -> str:
        """Puts the pictures that a text names into its document, no wider than `width`; the text
        with each of them where its line is the text's."""
        for name in set(_NAMES.findall(html)):
            key = _key(name)
            drawing = self._drawings.get(key)
            if drawing is None:
                continue
            # Of the words beside it, which are larger in a heading.
            font = QFont(document.defaultFont())
            font.setPixelSize(key[2])
            on_line = drawing.height - drawing.ascent <= _OVERSHOOT * key[2]
            metrics = None if on_line else QFontMetricsF(font)
            document.addResource(
                QTextDocument.ResourceType.ImageResource.value,
                QUrl(name),
                _picture(drawing, metrics, width, ratio),
            )
            if not on_line:
                html = html.replace(f'<img src="{name}"', f'<img {_MIDDLE} src="{name}"')
        return html

    def _draw(self, key: Key) -> None:
        """In a thread: nothing of the window is touched."""
        tex, display, size, color = key
        self._made.emit(key, draw_formula(tex, display=display, size=size, color=color))

    def _keep(self, key: Key, drawing: Drawing | None) -> None:
        self._waiting.discard(key)
        self._drawings[key] = drawing
        while len(self._drawings) > KEPT:
            self._drawings.popitem(last=False)
        if drawing is not None and not self._tell.isActive():
            self._tell.start()


def source_of(name: str) -> str:
    """The Markdown of the formula whose picture has this name; "" for any other name."""
    if not name.startswith("formula:"):
        return ""
    tex, display, _, _ = _key(name)
    return f"$${tex}$$" if display else f"${tex}$"


def _name(key: Key) -> str:
    tex, display, size, color = key
    return f"formula:{int(display)},{size},{color.lstrip('#')},{quote(tex, safe='')}"


def _key(name: str) -> Key:
    display, size, color, tex = name.removeprefix("formula:").split(",", 3)
    return unquote(tex), display == "1", int(size), f"#{color}"


def _picture(drawing: Drawing, metrics: QFontMetricsF | None, width: int, ratio: float) -> QImage:
    """The drawing with room around, so that its line is the text's.

    Without `metrics` it ends at that line. Else Qt puts it in the middle of its line of text, whose
    height it has to be for that: what is lower would stand too high.
    """
    shrink = min(1.0, width / drawing.width)
    ascent, descent = drawing.ascent * shrink, (drawing.height - drawing.ascent) * shrink
    if metrics is None:
        height = math.ceil(ascent * ratio) / ratio
        top = height - ascent
    else:
        # Its middle is to be a quarter of an x above the line of the text.
        lift = metrics.xHeight() / 2
        height = max(2 * ascent - lift, 2 * descent + lift, 2 * metrics.ascent() - lift)
        top = (height + lift) / 2 - ascent
    wide = drawing.width * shrink
    image = QImage(
        max(1, round(wide * ratio)), max(1, round(height * ratio)),
        QImage.Format.Format_ARGB32_Premultiplied,
    )  # fmt: skip
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.scale(ratio, ratio)
    renderer = QSvgRenderer(QByteArray(drawing.svg.encode()))
    renderer.render(painter, QRectF(0, top, wide, drawing.height * shrink))
    painter.end()
    image.setDevicePixelRatio(ratio)
    return image
