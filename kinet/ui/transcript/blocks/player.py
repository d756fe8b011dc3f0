"""Plays a moving picture in a label: still until it is asked for, and wherever it is not seen."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel

from kinet.net.moving_pictures import MovingPicture


class Player(QObject):
    """`show_still` puts a picture on the label. It stops when the label is hidden."""

    changed = Signal()

    def __init__(self, data: bytes, label: QLabel, show_still: Callable[[QImage], None]) -> None:
        """ValueError if the pictures cannot be read."""
        super().__init__(label)
        self._pictures = MovingPicture(data)
        self._show = show_still
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._go_on)
        self.count = self._pictures.count
        label.installEventFilter(self)
        # The first is on show already.
        self._pictures.next()

    @property
    def is_playing(self) -> bool:
        """True while it moves."""
        return self._timer.isActive()

    def toggle(self) -> None:
        """Plays, or stops where it is."""
        if self.is_playing:
            self.stop()
        else:
            self._timer.start(0)
            self.changed.emit()

    def stop(self) -> None:
        """Stays at the picture that is seen."""
        if self.is_playing:
            self._timer.stop()
            self.changed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """What nobody sees does not move."""
        if event.type() == QEvent.Type.Hide:
            self.stop()
        return False

    def _go_on(self) -> None:
        still = self._pictures.next()
        if still is None:
            self.changed.emit()
            return
        form = QImage.Format.Format_RGBA8888
        image = QImage(still.points, still.width, still.height, 4 * still.width, form)
        self._show(image.copy())
        self._timer.start(still.milliseconds)
