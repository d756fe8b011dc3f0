"""One filter for the whole application: the wheel changes no control that has no focus."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QAbstractSlider, QAbstractSpinBox, QComboBox, QScrollBar, QWidget

_CONTROLS = (QComboBox, QAbstractSpinBox, QAbstractSlider)


class WheelGuard(QObject):
    """Without it scrolling a page of settings would change whatever lies under the pointer."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.Wheel or not isinstance(watched, _CONTROLS):
            return False
        if isinstance(watched, QScrollBar) or not isinstance(watched, QWidget):
            return False
        if watched.hasFocus():
            return False
        # Ignored, so that it goes on to the page around the control.
        event.ignore()
        return True
