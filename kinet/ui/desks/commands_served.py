"""Answers other starts of Kinet on this data folder: the window comes, the list is read anew."""

from __future__ import annotations

import logging
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow

from kinet.ui.desks.session_desk import SessionDesk
from kinet.ui.program import Program

_log = logging.getLogger(__name__)


async def serve_commands(
    program: Program, window: QMainWindow, desk: SessionDesk, spent: Callable[[], object]
) -> None:
    """Returns once the window can be reached; without that a second start says who is there.

    `spent` is called when a command has done something, which may have cost money.
    """

    def show(session_id: str) -> None:
        bring_forward(window)
        if session_id:
            desk.wanted.emit(session_id)

    def changed() -> None:
        desk.load_list()
        spent()

    try:
        await program.serve(show, changed)
    except OSError as exc:
        _log.warning("other starts of Kinet cannot reach this window: %s", exc)


def bring_forward(window: QMainWindow) -> None:
    """Shows the window in front of others, as far as the desktop lets it."""
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    window.raise_()
    window.activateWindow()
