"""Drags text out of the transcript, to where it is dropped: a copy, nothing goes away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from PySide6.QtCore import QMimeData, Qt, QTimer
from PySide6.QtGui import QDrag
from PySide6.QtWidgets import QWidget

from kinet.ui.transcript.hand.gathering import Gathering
from kinet.ui.transcript.stage.filler import SLICE_SECONDS

_PLAIN = "text/plain"


class DraggedText(QMimeData):
    """A text that is made from the press of the button on, in slices; whoever wants it sooner
    gets the rest."""

    def __init__(self, parts: Iterator[str]) -> None:
        """`parts` are joined by an empty line; empty ones count for nothing."""
        super().__init__()
        self._gathering = Gathering(parts)
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(lambda: self._work(SLICE_SECONDS))
        self._timer.start()

    def formats(self) -> list[str]:
        """Text, and nothing else."""
        return [_PLAIN]

    def hasFormat(self, mimetype: str) -> bool:
        """True for text."""
        return mimetype == _PLAIN

    def retrieveData(self, mimetype: str, preferredType: Any) -> Any:
        """All of the text, of which only what is not made yet takes time."""
        if mimetype != _PLAIN:
            return None
        self._work(float("inf"))
        return self._gathering.held

    def _work(self, seconds: float) -> None:
        if self._gathering.work(seconds):
            self._timer.stop()


def drag_out(source: QWidget, carried: DraggedText) -> None:
    """Returns when the text was dropped or let go.

    Qt has no other way to drag than a loop of its own. It begins in a mouse event, below no
    coroutine, so that tasks go on inside it.
    """
    drag = QDrag(source)
    drag.setMimeData(carried)
    drag.exec(Qt.DropAction.CopyAction)
