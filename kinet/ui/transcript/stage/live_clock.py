"""Paints once a second while a clock runs in an entry, and rests otherwise."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from kinet.ui.transcript.stage.flow import Flow

# Only what is new can be running.
_NEWEST = 8


class LiveClock(QObject):
    """Lets the seconds of running steps be seen."""

    def __init__(self, flow: Flow, on: QWidget, parent: QObject) -> None:
        super().__init__(parent)
        self._flow = flow
        self._on = on
        self._timer = QTimer(self)
        self._timer.setInterval(1000)
        self._timer.timeout.connect(self._tick)

    def wake(self) -> None:
        """Begins to tick if there is something to count."""
        if not self._timer.isActive() and self._is_needed():
            self._timer.start()

    def _is_needed(self) -> bool:
        return any(entry.is_live for entry in self._flow.entries[-_NEWEST:])

    def _tick(self) -> None:
        if self._is_needed():
            self._on.update()
        else:
            self._timer.stop()
