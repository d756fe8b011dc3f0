"""The wheel changes no control that has no focus: it scrolls the page around it instead."""

from __future__ import annotations

from PySide6.QtCore import QChildEvent, QEvent, QObject
from PySide6.QtWidgets import QAbstractSlider, QAbstractSpinBox, QComboBox, QScrollBar, QWidget

_CONTROLS = (QComboBox, QAbstractSpinBox, QAbstractSlider)


def guard_wheel(root: QWidget) -> None:
    """Guards every such control in `root`, and those that come into it later."""
    guard = _WheelGuard(root)
    for widget in (root, *root.findChildren(QWidget)):
        widget.installEventFilter(guard)


class _WheelGuard(QObject):
    """Not a filter of the whole application: that would cost a call for every event there is."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.ChildPolished and isinstance(event, QChildEvent):
            event.child().installEventFilter(self)
            return False
        if kind != QEvent.Type.Wheel or not isinstance(watched, _CONTROLS):
            return False
        if isinstance(watched, QScrollBar) or watched.hasFocus():
            return False
        # Ignored, so that it goes on to the page around the control.
        event.ignore()
        return True
