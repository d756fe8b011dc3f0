"""The first picture of the window: the shell as it will look, drawn by hand before it is built.

Building the real parts takes several times as long as an empty window; this takes their place for
that moment, line by line where they will be, so that nothing jumps when they come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QWidget

from kinet.ui.tokens import Theme, mark_pixmap, ui_families

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

_COLUMN, _MARGIN = 720, 24
_HEAD, _ROW, _STATUS, _COMPOSER = 44, 32, 32, 80


class FirstPicture(QWidget):
    """Stands where the frame of the window will stand."""

    def __init__(self, theme: Theme, sidebar_width: int) -> None:
        super().__init__()
        self._theme, self._side = theme, sidebar_width

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), self._color("canvas"))
        if self._side:
            self._paint_sidebar(painter)
        self._paint_chat(painter)
        painter.end()

    def _paint_sidebar(self, painter: QPainter) -> None:
        side, height = self._side, self.height()
        painter.fillRect(0, 0, side - 1, height, self._color("side"))
        painter.fillRect(side - 1, 0, 1, height, self._color("border"))
        painter.fillRect(0, height - _HEAD, side - 1, 1, self._color("border"))
        painter.drawPixmap(16, 12, mark_pixmap(20, self.devicePixelRatioF()))
        self._icon(painter, "sidebar", "text_2", side - 33, 14)
        self._icon(painter, "plus", "accent", 16, _HEAD + 8)
        self._box(painter, QRectF(8, 80, side - 17, 32), 6)
        self._icon(painter, "search", "text_3", 16, 88)
        for place, name in enumerate(("settings", "memory", "keyboard")):
            self._icon(painter, name, "text_2", 16 + 32 * place, height - 29)
        self._text(painter, "Kinet", 40, 22, bold=True)
        self._text(painter, "New session", 40, 60, bold=True)
        self._text(painter, "Search", 38, 96, token="text_3")

    def _paint_chat(self, painter: QPainter) -> None:
        width, height = self.width(), self.height()
        room = width - self._side
        painter.fillRect(self._side, _HEAD - 1, room, 1, self._color("border"))
        self._icon(painter, "search", "text_2", width - 66, 14)
        self._icon(painter, "panel", "text_2", width - 34, 14)
        if not self._side:
            self._icon(painter, "sidebar", "text_2", 16, 14)
        self._text(painter, "New session", self._side + (24 if self._side else 42), 22, bold=True)
        margin = max(_MARGIN, (room - _COLUMN) // 2)
        left, top = self._side + margin, height - _STATUS - _COMPOSER
        column = room - 2 * margin
        self._box(painter, QRectF(left, top, column, _COMPOSER), 12)
        self._icon(painter, "plus", "text_2", left + 16, top + 50)
        painter.setPen(QColor(0, 0, 0, 0))
        painter.setBrush(self._color("hover"))
        painter.drawRoundedRect(QRectF(left + column - 36, top + 44, 28, 28), 6, 6)
        self._icon(painter, "send", "disabled", left + column - 30, top + 50)

    def _box(self, painter: QPainter, rect: QRectF, radius: float) -> None:
        painter.setPen(self._color("control_border"))
        painter.setBrush(self._color("raised"))
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)

    def _text(
        self,
        painter: QPainter,
        text: str,
        x: int,
        middle: int,
        *,
        token: str = "text",
        bold: bool = False,
    ) -> None:
        font = QFont()
        font.setFamilies(list(ui_families()))
        font.setPixelSize(self._theme.pixels("ui"))
        font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        painter.setFont(font)
        painter.setPen(self._color(token))
        metrics = QFontMetrics(font)
        painter.drawText(x, middle + (metrics.ascent() - metrics.descent() + 1) // 2, text)

    def _icon(self, painter: QPainter, name: str, token: str, x: int, y: int) -> None:
        pixmap = self._theme.pixmap(name, token, 16, self.devicePixelRatioF())
        painter.drawPixmap(x, y, pixmap)

    def _color(self, token: str) -> QColor:
        return self._theme.qcolor(token)
