"""Lets go of very many things bit by bit: all at once it would stop the window."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QCoreApplication, QTimer

# Things that go in one turn of the loop: a few milliseconds.
AT_ONCE = 4_000


def let_go(things: list[Any]) -> None:
    """Empties a list that nobody else uses any more, from its end."""
    del things[-AT_ONCE:]
    if not things:
        return
    timer = QTimer(QCoreApplication.instance())
    timer.setInterval(0)

    def go_on() -> None:
        del things[-AT_ONCE:]
        if not things:
            timer.stop()
            timer.deleteLater()

    timer.timeout.connect(go_on)
    timer.start()
