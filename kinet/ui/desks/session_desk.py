"""Opens, creates, renames and deletes sessions for the window, and keeps the list up to date."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget

from kinet.core.errors import KinetError
from kinet.core.events import Event, MessageCompleted
from kinet.session import unsent
from kinet.ui.chat.chat_panel import ChatPanel, begins_anew
from kinet.ui.desks.panel_shelf import PanelShelf
from kinet.ui.desks.watched_panels import WatchedPanels
from kinet.ui.kit.letting_go import let_go
from kinet.ui.kit.toast import Toast
from kinet.ui.program import Program, SessionRow
from kinet.ui.sessions.session_list import SessionItem
from kinet.ui.sessions.sidebar import Sidebar
from kinet.ui.steps import StepBook, is_own_command
from kinet.ui.writing.drafts import DraftBook

# Panels that are neither shown nor at work: more are let go, the longest unseen first.
KEPT_PANELS = 4
_LISTED_STATES = ("failed", "interrupted", "stopped")


class SessionDesk(QObject):
    """One panel per open session; a turn goes on in a panel that is not shown."""

    panel_made = Signal(object)  # ChatPanel
    panel_shown = Signal(object)  # ChatPanel
    panel_dropped = Signal()
    wanted = Signal(str)  # a session is to be shown, see SessionOpening

    def __init__(
        self,
        program: Program,
        sidebar: Sidebar,
        stack: QStackedWidget,
        toast: Toast,
    ) -> None:
        super().__init__(stack)
        self.drafts = DraftBook(program.home / unsent.DRAFTS, program.keeper)
        self._program, self._sidebar, self._stack, self._toast = program, sidebar, stack, toast
        self._panels: list[ChatPanel] = []
        self.shelf = PanelShelf(stack, lambda: self._panels)
        self._unread: set[str] = set()
        self._watched = WatchedPanels(self)
        self._watched.left.connect(
            lambda panel: (
                self.wanted.emit(panel.session_id) if panel is self.current else self._drop(panel)
            )
        )
        sidebar.session_chosen.connect(self.wanted)
        sidebar.new_requested.connect(self.new)

    @property
    def current(self) -> ChatPanel:
        """The panel on screen."""
        panel = self._stack.currentWidget()
        assert isinstance(panel, ChatPanel)
        return panel

    @property
    def panels(self) -> tuple[ChatPanel, ...]:
        """All panels that are open."""
        return tuple(self._panels)

    def start(self) -> None:
        """The panel of the first frame: a session that does not exist yet."""
        self._show(self._make(None))

    def load_list(self) -> None:
        """Reads the list of sessions anew."""
        try:
            rows = self._program.sessions.list()
        except KinetError as exc:
            self._toast.tell(exc.sentence(), seconds=0)
            return
        shown = [self._item(row) for row in rows if row.message_count or self._panel(row.id)]
        self._sidebar.set_sessions(shown, self.current.session_id)

    def new(self) -> ChatPanel:
        """Shows a panel for a session that begins with its first message.

        One that was opened for a choice or a message that was refused is still such: the list
        does not have it, so that no other way leads to it.
        """
        empty = next(filter(begins_anew, self._panels), None)
        panel = empty or self._make(None)
        if not panel.composer.text().strip() and not panel.composer.attachments():
            # Nothing holds it to what was chosen for it: it begins with the settings.
            panel.session = None
            panel.refresh()
        self._show(panel)
        return panel

    def has(self, session_id: str) -> bool:
        """True if there is a panel for this session."""
        return self._panel(session_id) is not None

    def open(self, session_id: str, saved: Any = None, steps: StepBook | None = None) -> ChatPanel:
        """Shows a session. Where it cannot be opened a line says why and nothing changes.

        `saved` and `steps` are what was read of it in a thread; without them it is read here and
        now.
        """
        panel = self._panel(session_id)
        if panel is None:
            try:
                watched = self._program.watch_session(session_id, saved)
                panel = self._make(watched or self._program.open_session(session_id, saved))
                panel.runner.prepared = steps
            except KinetError as exc:
                self._toast.tell(exc.sentence(), seconds=0)
                self._sidebar.select(self.current.session_id)
                return self.current
            if watched is not None:
                self._watched.begin(panel)
        self._show(panel)
        self._watched.take_over(panel, self._drop)
        return panel

    def step(self, places: int) -> None:
        """Shows the session so many rows below (or, if negative, above) the present one."""
        ids = self._sidebar.model.shown_ids()
        if not ids:
            return
        current = self.current.session_id
        place = ids.index(current) + places if current in ids else 0
        self.wanted.emit(ids[place % len(ids)])

    def forget(self, session_id: str) -> None:
        """Lets go of a session that goes to the trash, with what is typed there kept for its
        return; its turn is stopped, and nothing is kept of what it says after that."""
        panel = self._panel(session_id)
        if panel is None:
            return
        self.save_drafts()
        panel.stop()
        if panel is self.current:
            self.new()
        if panel.runner.running:
            self._panels.remove(panel)
            panel.runner.running_changed.connect(lambda _: self._drop(panel))
        else:
            self._drop(panel)

    def save_drafts(self) -> None:
        """Keeps what is typed in all panels."""
        for panel in self._panels:
            panel.desk.save_draft()
            panel.edits.save()

    def _make(self, session: Any) -> ChatPanel:
        panel = ChatPanel(self._program, self.drafts, session, self._stack)
        panel.event_shown.connect(lambda event: self._event_came(panel, event))
        panel.state_changed.connect(lambda: self._state_changed(panel))
        panel.problem.connect(self._toast.tell)
        self._panels.append(panel)
        self._stack.addWidget(panel)
        self.panel_made.emit(panel)
        return panel

    def _show(self, panel: ChatPanel) -> None:
        if self._stack.currentWidget() is not panel:
            self.save_drafts()
        self.shelf.take_out(panel)
        # The newest at the end: those at the front are let go first.
        self._panels.remove(panel)
        self._panels.append(panel)
        self._stack.setCurrentWidget(panel)
        self._unread.discard(panel.session_id)
        self._sidebar.select(panel.session_id)
        self.panel_shown.emit(panel)
        self._state_changed(panel)
        self._let_go()

    def _let_go(self) -> None:
        idle = [
            panel
            for panel in self._panels
            if panel is not self.current and not panel.runner.running
        ]
        for panel in idle[: max(0, len(idle) - KEPT_PANELS)]:
            self._drop(panel)

    def _drop(self, panel: ChatPanel) -> None:
        if panel in self._panels:
            self._panels.remove(panel)
        self._watched.forget(panel)
        self.shelf.forget(panel)
        self._stack.removeWidget(panel)
        panel.edits.let_go()
        panel.reading.let_go()
        panel.runner.restore(())
        for gone in self._program.sessions.resting.leave(panel.session_id):
            let_go(gone)
        panel.deleteLater()
        self.panel_dropped.emit()

    def _state_changed(self, panel: ChatPanel) -> None:
        item = self._sidebar.model.item(panel.session_id)
        if item is None:
            return
        state = panel.state
        if panel is self.current:
            state = "" if state in _LISTED_STATES else state
        elif item.state in ("running", "waiting") and not panel.runner.running:
            self._unread.add(panel.session_id)
        state = state or self._quiet_state(panel.session_id)
        updated = time.time() if state != item.state else item.updated
        changed = replace(item, title=panel.title, state=state, updated=updated)
        if changed != item:
            self._sidebar.update_session(changed)

    def _event_came(self, panel: ChatPanel, event: Event) -> None:
        """A session is in the list from its first message or command on."""
        known = self._sidebar.model.item(panel.session_id) is not None
        if not known and (isinstance(event, MessageCompleted) or is_own_command(event)):
            self.load_list()

    def _item(self, row: SessionRow) -> SessionItem:
        panel = self._panel(row.id)
        state = panel.state if panel is not None else row.state
        if state not in ("running", "waiting", *_LISTED_STATES):
            state = ""
        if panel is not None and panel is self.current and state in _LISTED_STATES:
            state = ""
        folder = str(row.folder or "")
        return SessionItem(
            row.id, row.title, folder, row.updated, state or self._quiet_state(row.id)
        )

    def _quiet_state(self, session_id: str) -> str:
        if session_id in self._unread:
            return "unread"
        shown = session_id == self.current.session_id
        return "draft" if session_id in self.drafts.ids() and not shown else ""

    def _panel(self, session_id: str) -> ChatPanel | None:
        mine = (item for item in self._panels if not self._watched.is_over(item))
        return next((item for item in mine if item.session_id == session_id), None)
