"""Opens the session that was chosen: it is read in a thread, and the window turns meanwhile."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from kinet.core.errors import KinetError
from kinet.ui.desks.session_desk import SessionDesk
from kinet.ui.kit.tasks import in_thread, spawn
from kinet.ui.kit.toast import Toast
from kinet.ui.program import Program
from kinet.ui.sessions.sidebar import Sidebar

# Seconds; what is read sooner needs no word.
_SILENT = 0.2
_WORDS = "Opening the session…"


class SessionOpening(QObject):
    """Serves whoever wants a session on screen. The newest choice counts, whatever is read first.

    While a long one is read the panel that is left takes no more keys: what is typed then is meant
    for the other one, and would stay in the wrong draft.
    """

    def __init__(
        self, program: Program, sidebar: Sidebar, desk: SessionDesk, room: QWidget, toast: Toast
    ) -> None:
        super().__init__(desk)
        self._program, self._sidebar, self._desk = program, sidebar, desk
        self._room, self._toast = room, toast
        # The session that is read and has still to be shown, "" for none.
        self._wanted = ""
        desk.wanted.connect(lambda session_id: self.choose(session_id))
        desk.panel_shown.connect(lambda _panel: self._leave())
        sidebar.delete_requested.connect(self._deleted)

    def choose(self, session_id: str, then: Callable[[], None] | None = None) -> None:
        """Shows a session: at once where it is open, else as soon as it is read.

        `then` is called when it is on screen, if it comes there.
        """
        if not self._program.sessions.is_open(session_id):
            spawn(self.fetch(session_id, then), "opening a session")
        elif self._desk.open(session_id).session_id == session_id and then is not None:
            then()

    async def fetch(self, session_id: str, then: Callable[[], None] | None = None) -> None:
        """Returns when the session is on screen; or a line says why it is not, or something else
        was chosen meanwhile."""
        import asyncio

        self._wanted = session_id
        self._sidebar.select(session_id)
        reading = asyncio.ensure_future(in_thread(lambda: self._program.sessions.read(session_id)))
        await asyncio.wait({reading}, timeout=_SILENT)
        if not reading.done() and self._wanted == session_id:
            self._room.setEnabled(False)
            self._toast.tell(_WORDS, seconds=0)
        try:
            saved = await reading
        except KinetError as exc:
            if self._wanted == session_id:
                self._leave()
                self._toast.tell(exc.sentence(), seconds=0)
                self._sidebar.select(self._desk.current.session_id)
            return
        if self._wanted != session_id:
            return
        self._leave()
        if self._desk.open(session_id, saved).session_id == session_id and then is not None:
            then()

    def _leave(self) -> None:
        """Nothing is waited for any more."""
        self._wanted = ""
        self._room.setEnabled(True)
        if self._toast.text() == _WORDS:
            self._toast.hide()

    def _deleted(self, session_id: str) -> None:
        if session_id == self._wanted:
            self._leave()
