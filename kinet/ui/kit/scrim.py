"""A veil over a window while a dialog stands in front of it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from kinet.ui.look.theme import current_theme


class Scrim(QWidget):
    """Covers the whole of `window` and follows its size."""

    def __init__(self, window: QWidget, token: str = "scrim") -> None:
        super().__init__(window)
        self._token, self._window = token, window
        window.installEventFilter(self)
        self.setGeometry(window.rect())
        self.show()
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Grows and shrinks with the window."""
        if watched is self._window and event.type() == QEvent.Type.Resize:
            self.setGeometry(self._window.rect())
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        """One even tone."""
        QPainter(self).fillRect(self.rect(), current_theme().qcolor(self._token))
