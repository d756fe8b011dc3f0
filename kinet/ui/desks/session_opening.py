"""Opens the session that was chosen: it is read in a thread, and the window turns meanwhile.

Of a long session the end is shown first.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from kinet.core.errors import KinetError
from kinet.core.events import Event
from kinet.core.wanted import IsWanted, NotWantedError, empty, while_wanted
from kinet.ui.desks.session_desk import SessionDesk
from kinet.ui.kit.letting_go import let_go
from kinet.ui.kit.tasks import in_thread, spawn
from kinet.ui.kit.toast import Toast
from kinet.ui.program import Program
from kinet.ui.sessions.sidebar import Sidebar
from kinet.ui.steps import StepBook

if TYPE_CHECKING:
    from kinet.ui.desks.session_preview import SavedEnd, SessionPreview

# The name of the task that opens a session.
OPENING = "opening a session"
# Seconds; what is read sooner needs no word.
_SILENT = 0.2
_WORDS = "Opening the session…"
_LATER = "The session is still being read; try again in a moment"
# Messages; an open session of so few is read again within a few milliseconds.
_FEW = 500


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
        # What it takes to show a conversation, if anything: awaited before it is read.
        self.prepare: Callable[[], Awaitable[None]] | None = None
        # The session that is read and has still to be shown, "" for none.
        self._wanted = ""
        # Its end, where it is a long one.
        self._preview: SessionPreview | None = None
        desk.wanted.connect(lambda session_id: self.choose(session_id))
        desk.panel_shown.connect(lambda _panel: self._leave())
        sidebar.delete_requested.connect(self._deleted)

    def choose(self, session_id: str, then: Callable[[], None] | None = None) -> None:
        """Shows a session: at once where that is quick, else as soon as it is read.

        `then` is called when it is on screen, if it comes there.
        """
        if not self._is_at_hand(session_id):
            self._end_preview()
            spawn(self.fetch(session_id, then), OPENING)
        elif self._desk.open(session_id).session_id == session_id and then is not None:
            then()

    async def fetch(self, session_id: str, then: Callable[[], None] | None = None) -> None:
        """Returns when the session is on screen; or a line says why it is not, or something else
        was chosen meanwhile."""
        import asyncio

        self._end_preview()
        self._wanted = session_id
        self._sidebar.select(session_id)
        reading = asyncio.ensure_future(self._reading(session_id))
        try:
            await asyncio.wait({reading}, timeout=_SILENT)
            if not reading.done() and self._wanted == session_id:
                self._room.setEnabled(False)
                if self._preview is None:
                    self._toast.tell(_WORDS, seconds=0)
            saved, steps = await reading
        except asyncio.CancelledError:
            reading.cancel()
            raise
        except KinetError as exc:
            if self._wanted == session_id:
                self._leave()
                self._toast.tell(exc.sentence(), seconds=0)
                self._sidebar.select(self._desk.current.session_id)
            return
        if self._wanted != session_id:
            _let_go(saved)
            return
        preview, self._preview = self._preview, None
        self._leave()
        panel = self._desk.open(session_id, saved, steps)
        shown = panel.session_id == session_id
        if preview is not None:
            if shown:
                preview.hand_over(panel.transcript)
            preview.leave()
        if shown and then is not None:
            then()

    def _is_at_hand(self, session_id: str) -> bool:
        """True where nothing has to be read, or so little that nobody notices."""
        if self._desk.has(session_id):
            return True
        if not self._program.sessions.is_open(session_id):
            return False
        try:
            session = self._program.open_session(session_id)
        except KinetError:
            # Whoever shows it says why it cannot be shown.
            return True
        return len(session.conversation.messages) < _FEW

    async def _reading(self, session_id: str) -> tuple[Any, StepBook]:
        """Reads a session until another one is chosen or the window is closed: then the thread,
        which nobody could end, has to end by itself."""
        ended: list[bool] = []
        try:
            return await self._read(session_id, lambda: not ended and self._wanted == session_id)
        finally:
            ended.append(True)

    async def _read(self, session_id: str, is_wanted: IsWanted) -> tuple[Any, StepBook]:
        """What is saved, None for a session that is open, and its steps. The end is shown first."""
        sessions = self._program.sessions
        if self.prepare is not None:
            await self.prepare()
        end = await in_thread(lambda: sessions.read_end(session_id))
        if end is not None and self._wanted == session_id:
            self._show_end(end)
        if sessions.is_open(session_id):
            session = self._program.open_session(session_id)
            digest = partial(_steps_of, is_wanted)
            return None, await session.prepare(digest, is_wanted)

        def read() -> tuple[Any, StepBook]:
            saved = sessions.read(session_id, is_wanted)
            return saved, _steps_of(is_wanted, saved.events, saved.conversation.messages)

        found: tuple[Any, StepBook] = await in_thread(read)
        return found

    def _show_end(self, end: SavedEnd) -> None:
        from kinet.ui.desks.session_preview import SessionPreview

        self._end_preview()
        panel = self._desk.current
        foot = panel.height() - panel.body.geometry().bottom() - 1
        self._preview = SessionPreview(end, self._room, foot)
        self._preview.refused.connect(lambda: self._toast.tell(_LATER, seconds=3.0))

    def _end_preview(self) -> None:
        preview, self._preview = self._preview, None
        if preview is not None:
            preview.leave()

    def _leave(self) -> None:
        """Nothing is waited for any more."""
        self._wanted = ""
        self._end_preview()
        self._room.setEnabled(True)
        if self._toast.text() == _WORDS:
            self._toast.hide()

    def _deleted(self, session_id: str) -> None:
        if session_id == self._wanted:
            self._leave()


def _steps_of(is_wanted: IsWanted, events: list[Event], *beside: list[Any]) -> StepBook:
    """The steps of what was read; goes, with what is `beside`, where nobody wants it."""
    try:
        return StepBook(while_wanted(events, is_wanted))
    except NotWantedError:
        for things in (events, *beside):
            empty(things)
        raise


def _let_go(saved: Any) -> None:
    """What was read and is not shown goes bit by bit."""
    if saved is not None:
        let_go(saved.events)
        let_go(saved.conversation.messages)
