"""The window: sidebar, the session on screen, the step panel; it opens empty and fills up later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QStackedWidget

from kinet.core.errors import KinetError
from kinet.ui.chat_panel import ChatPanel
from kinet.ui.file_desk import FileDesk
from kinet.ui.look import Look
from kinet.ui.model_desk import ModelDesk
from kinet.ui.program import OpenSession, Program
from kinet.ui.session_changes import SessionChanges
from kinet.ui.session_desk import SessionDesk
from kinet.ui.settings_link import SettingsLink
from kinet.ui.sidebar import Sidebar
from kinet.ui.status_row import cost_words
from kinet.ui.step_desk import StepDesk, StepPanel
from kinet.ui.tasks import breathe, in_thread, new_event, spawn
from kinet.ui.theme import Theme, window_icon
from kinet.ui.toast import Toast
from kinet.ui.window_frame import WindowFrame
from kinet.ui.window_geometry import MINIMUM_SIZE, restore
from kinet.ui.window_keys import WindowKeys
from kinet.ui.window_parts import WindowParts

if TYPE_CHECKING:
    import asyncio


class MainWindow(QMainWindow):
    """Shows sessions of one data folder. `begin` has to be called once, inside the loop."""

    closed = Signal()

    def __init__(self, program: Program, look: Look | None = None, geometry: str = "") -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        self.setMinimumSize(*MINIMUM_SIZE)
        self.setWindowIcon(window_icon())
        self.program = program
        self.problem = ""
        self._may_close = False
        self._ready: asyncio.Event | None = None
        self.look = look or Look(_application(), program.theme)
        self.sidebar = Sidebar()
        self._stack = QStackedWidget()
        self._room = StepPanel()
        self.frame = WindowFrame(self.sidebar, self._stack, self._room)
        self.setCentralWidget(self.frame)
        self.toast = Toast(self.frame)
        self.desk = SessionDesk(program, self.sidebar, self._stack, self.toast)
        self.changes = SessionChanges(program, self.sidebar, self.desk, self.toast)
        self.steps = StepDesk(self.frame, self._room)
        self.models = ModelDesk(program, self)
        self.files = FileDesk(program, self)
        parts = WindowParts(
            self,
            self.frame,
            self.sidebar,
            self.desk,
            self.steps,
            self.models,
            self.files,
            self.look,
            self.toast,
        )
        self.link = SettingsLink(program, parts)
        self.keys = WindowKeys(parts)
        self.keys.escape_stops = lambda: self.link.escape_stops
        self._connect()
        restore(geometry, self, self.frame)
        self.desk.start()
        self.desk.current.composer.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def begin(self, session_id: str | None = None) -> None:
        """Starts filling the window: settings, store, the list, the transcript."""
        if self._ready is None:
            self._ready = new_event()
            spawn(self._fill(session_id), "fill the window")

    async def ready(self) -> None:
        """Returns when a message can be sent. KinetError's sentence is in `problem` if not."""
        self.begin()
        assert self._ready is not None
        await self._ready.wait()

    @property
    def panel(self) -> ChatPanel:
        """The panel on screen."""
        return self.desk.current

    @property
    def current_session(self) -> OpenSession | None:
        """The session on screen; opened if it does not exist yet."""
        return self.panel.open_session()

    def open_session(self, session_id: str) -> OpenSession | None:
        """Shows the session of this id and gives it back."""
        return self.desk.open(session_id).session

    async def show_month(self) -> None:
        """Shows what was spent this month."""
        total = await self.program.services.month_total()
        if total.cost <= 0 and total.known:
            self.sidebar.set_month("Nothing spent yet")
        else:
            self.sidebar.set_month(f"This month {cost_words(total.cost, total.known)}")

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self._may_close and any(panel.runner.running for panel in self.desk.panels):
            event.ignore()
            self._ask_to_close()
            return
        self.desk.save_drafts()
        event.accept()
        self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.keys.escape()
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.toast.place()

    def _connect(self) -> None:
        self.desk.panel_made.connect(self._serve)
        self.desk.panel_shown.connect(self._follow)
        self.models.problem.connect(self.toast.tell)
        self.files.problem.connect(self.toast.tell)
        self.files.folder_changed.connect(lambda: self._follow(self.desk.new()))
        self.models.session_wanted.connect(self.desk.open)
        self.sidebar.hide_requested.connect(lambda: self.frame.show_sidebar(False))
        self.sidebar.settings_requested.connect(lambda: self.models.open_settings())
        self.sidebar.memory_requested.connect(lambda: self.models.open_settings("memory"))
        self.sidebar.keys_requested.connect(self.keys.show_keys)
        self.frame.layout_changed.connect(self._arranged)
        self.look.changed.connect(self._restyle)

    def _serve(self, panel: ChatPanel) -> None:
        self.models.serve(panel)
        self.files.serve(panel)
        panel.header.panel_toggled.connect(lambda _checked: self.steps.toggle())
        panel.header.sidebar_requested.connect(lambda: self.frame.show_sidebar(True))
        panel.state_changed.connect(self._retitle)
        panel.link_chosen.connect(_open_link)
        panel.runner.running_changed.connect(
            lambda running: None if running else spawn(self.show_month(), "month total")
        )
        if self._ready is not None and self._ready.is_set() and not self.problem:
            self.link.serve()

    def _follow(self, panel: ChatPanel) -> None:
        if self._ready is not None and self._ready.is_set():
            panel.build_transcript()
        self.steps.follow(panel)
        self.models.follow(panel)
        self.files.follow(panel)
        self._arranged()
        self._retitle()

    def _retitle(self) -> None:
        waiting = sum(bool(panel.approvals.cards()) for panel in self.desk.panels)
        title = self.panel.title if self.panel.session is not None else ""
        words = f"{title} — Kinet" if title else "Kinet"
        self.setWindowTitle(f"({waiting}) {words}" if waiting else words)

    def _arranged(self) -> None:
        for panel in self.desk.panels:
            panel.header.show_sidebar_button(not self.frame.sidebar_shown)
        self.toast.place()

    def _restyle(self, theme: Theme) -> None:
        for panel in self.desk.panels:
            panel.set_theme(theme)
        self.steps.set_theme(theme)
        self.models.set_theme(theme)

    async def _fill(self, session_id: str | None) -> None:
        assert self._ready is not None
        try:
            await in_thread(self.program.preload)
            self.program.build()
        except KinetError as exc:
            self.problem = exc.sentence()
            self.toast.tell(self.problem, seconds=0)
            return
        finally:
            self._ready.set()
        self.look.load_other_fonts()
        await breathe()
        self.desk.current.build_transcript()
        await breathe()
        self.desk.load_list()
        self.models.start()
        self.link.start()
        for sentence in self.program.problems:
            self.toast.tell(sentence, seconds=0)
        if session_id:
            self.desk.open(session_id)
        await self.show_month()

    def _ask_to_close(self) -> None:
        from kinet.ui.close_question import CloseQuestion

        question = CloseQuestion(self)
        question.confirmed.connect(self._close_anyway)
        question.open()

    def _close_anyway(self) -> None:
        self._may_close = True
        for panel in self.desk.panels:
            panel.stop()
        self.close()


def _application() -> QApplication:
    app = QApplication.instance()
    assert isinstance(app, QApplication), "a window needs a QApplication"
    return app


def _open_link(url: str) -> None:
    from PySide6.QtCore import QUrl
    from PySide6.QtGui import QDesktopServices

    QDesktopServices.openUrl(QUrl(url))
