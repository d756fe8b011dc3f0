"""Scrolls what is in it, and takes no more height than that needs, up to a limit."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


class CappedScroll(QScrollArea):
    """As high as `inside`, at most `highest` pixels; what is behind it shines through."""

    def __init__(self, inside: QWidget, highest: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._inside, self._highest = inside, highest
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(inside)
        # The frame behind it is the tray's own.
        self.viewport().setAutoFillBackground(False)
        inside.setAutoFillBackground(False)

    def sizeHint(self) -> QSize:
        layout = self._inside.layout()
        high = 0
        if layout is not None:
            width = self.viewport().width()
            flows = layout.hasHeightForWidth()
            high = layout.heightForWidth(width) if flows else layout.sizeHint().height()
        return QSize(self._inside.sizeHint().width(), max(0, min(self._highest, high)))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            # Words take more lines in less room.
            self.updateGeometry()
