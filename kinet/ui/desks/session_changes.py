"""Renames and deletes sessions on a person's word; both can be taken back for a while."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject

from kinet.core.errors import KinetError
from kinet.ui.desks.session_desk import SessionDesk
from kinet.ui.kit.toast import Toast
from kinet.ui.program import Program
from kinet.ui.sessions.sidebar import Sidebar

UNDO_SECONDS = 10.0
_ELSEWHERE = "An editor or a command works on this session. It can be deleted when that has ended."


class SessionChanges(QObject):
    """Serves the sidebar's list."""

    def __init__(self, program: Program, sidebar: Sidebar, desk: SessionDesk, toast: Toast) -> None:
        super().__init__(desk)
        self._program, self._sidebar, self._desk, self._toast = program, sidebar, desk, toast
        sidebar.rename_requested.connect(self.rename)
        sidebar.delete_requested.connect(self.delete)

    def rename(self, session_id: str, title: str) -> None:
        """Gives a session another title; the old one comes back with Undo."""
        item = self._sidebar.model.item(session_id)
        before = item.title if item is not None else ""
        if title != before and self._do(lambda: self._program.sessions.rename(session_id, title)):
            self._toast.tell("Session renamed", "Undo", lambda: self.rename(session_id, before))

    def delete(self, session_id: str) -> None:
        """Moves a session to the trash; Undo takes it out again. One that somebody else works on
        stays: its turn would go on there, and nobody would see it."""
        if session_id in self._program.sessions.elsewhere:
            self._toast.tell(_ELSEWHERE, seconds=0)
            return
        self._desk.forget(session_id)
        if self._do(lambda: self._program.sessions.delete(session_id)):
            self._toast.tell(
                "Session moved to the trash",
                "Undo",
                lambda: self._restore(session_id),
                UNDO_SECONDS,
            )

    def _restore(self, session_id: str) -> None:
        if self._do(lambda: self._program.sessions.restore(session_id)):
            self._desk.wanted.emit(session_id)

    def _do(self, act: Callable[[], Any]) -> bool:
        """Does something to the list and shows it anew; False, and a line, if it failed."""
        try:
            act()
        except KinetError as exc:
            self._toast.tell(exc.sentence(), seconds=0)
            return False
        self._desk.load_list()
        self._desk.current.refresh()
        return True
