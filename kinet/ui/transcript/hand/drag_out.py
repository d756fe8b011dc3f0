"""Drags text out of the transcript, to where it is dropped: a copy, nothing goes away."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QDrag
from PySide6.QtWidgets import QWidget

from kinet.net.redact import hide_live_keys


def drag_out(source: QWidget, text: str) -> None:
    """Returns when the text was dropped or let go.

    Qt has no other way to drag than a loop of its own. It begins in a mouse event, below no
    coroutine, so that tasks go on inside it.
    """
    data = QMimeData()
    data.setText(hide_live_keys(text))
    drag = QDrag(source)
    drag.setMimeData(data)
    drag.exec(Qt.DropAction.CopyAction)
