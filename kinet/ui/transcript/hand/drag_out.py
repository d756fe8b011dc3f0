"""Drags text out of the transcript, to where it is dropped: a copy, nothing goes away."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from PySide6.QtCore import QMimeData, Qt, QTimer
from PySide6.QtGui import QDrag
from PySide6.QtWidgets import QWidget

from kinet.net.redact import hide_live_keys
from kinet.ui.transcript.stage.filler import SLICE_SECONDS

_PLAIN = "text/plain"


class DraggedText(QMimeData):
    """A text that is made while it is carried, in slices; whoever wants it sooner gets the rest."""

    def __init__(self, parts: Iterator[str]) -> None:
        """`parts` are joined by an empty line; empty ones count for nothing."""
        super().__init__()
        self._parts = parts
        self._texts: list[str] = []
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
        return "\n\n".join(self._texts)

    def _work(self, seconds: float) -> None:
        deadline = time.perf_counter() + seconds
        for part in self._parts:
            if part:
                self._texts.append(hide_live_keys(part))
            if time.perf_counter() > deadline:
                return
        self._timer.stop()


def drag_out(source: QWidget, parts: Iterator[str]) -> None:
    """Returns when the text was dropped or let go.

    Qt has no other way to drag than a loop of its own. It begins in a mouse event, below no
    coroutine, so that tasks go on inside it.
    """
    drag = QDrag(source)
    drag.setMimeData(DraggedText(parts))
    drag.exec(Qt.DropAction.CopyAction)
