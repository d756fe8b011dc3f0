"""What joins the parts of a window: who serves a new session, what follows the one on screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QMainWindow, QStackedWidget
from shiboken6 import isValid

from kinet.ui.chat.chat_panel import ChatPanel
from kinet.ui.chat.job_shelf import JobDesk
from kinet.ui.desks.banner_desk import BannerDesk
from kinet.ui.desks.changes_desk import ChangesDesk
from kinet.ui.desks.commands_served import serve_commands
from kinet.ui.desks.completion_desk import CompletionDesk
from kinet.ui.desks.drop_files import DropFiles
from kinet.ui.desks.file_desk import FileDesk
from kinet.ui.desks.inbox import Inbox
from kinet.ui.desks.memory_desk import MemoryDesk
from kinet.ui.desks.model_desk import ModelDesk
from kinet.ui.desks.rules_desk import RulesDesk
from kinet.ui.desks.server_desk import ServerDesk
from kinet.ui.desks.session_changes import SessionChanges
from kinet.ui.desks.session_desk import SessionDesk
from kinet.ui.desks.session_opening import SessionOpening
from kinet.ui.desks.session_search import SessionSearch
from kinet.ui.desks.settings_link import SettingsLink
from kinet.ui.desks.skill_desk import SkillDesk
from kinet.ui.desks.slash_commands import SlashCommand, slash_commands
from kinet.ui.desks.starter_desk import StarterDesk
from kinet.ui.desks.step_desk import StepDesk, StepPanel
from kinet.ui.desks.transcript_desk import TranscriptDesk
from kinet.ui.desks.trust_desk import TrustDesk
from kinet.ui.desks.window_parts import WindowParts
from kinet.ui.frame.window_frame import WindowFrame
from kinet.ui.frame.window_geometry import Geometry
from kinet.ui.kit.figures import cost_words
from kinet.ui.kit.tasks import spawn
from kinet.ui.kit.toast import Toast
from kinet.ui.kit.warm_up import WarmUp
from kinet.ui.look.look import Look
from kinet.ui.look.theme import Theme
from kinet.ui.palette.palette_entries import server_entries, skill_entries
from kinet.ui.program import Program
from kinet.ui.sessions.sidebar import MONTH, Sidebar
from kinet.ui.window.window_keys import WindowKeys

if TYPE_CHECKING:
    from kinet.ui.palette.palette import Palette

# What a conversation is shown with, the lowest first.
_OF_A_CONVERSATION = (
    "kinet.ui.transcript.blocks.documents",
    "kinet.ui.transcript.entries.text_entry",
    "kinet.ui.transcript.stage.stage",
    "kinet.ui.transcript.view",
    "kinet.ui.transcript.presenter",
    "kinet.ui.panel.step_detail",
    "kinet.ui.asking.approval_card",
)


class WindowCore(QObject):
    """Builds the parts, step by step, and wires them. `filled` says that sessions can be read."""

    parts: WindowParts
    opening: SessionOpening
    changes: SessionChanges
    search: SessionSearch
    inbox: Inbox
    trust: TrustDesk
    servers: ServerDesk
    link: SettingsLink
    keys: WindowKeys

    def __init__(self, window: QMainWindow, program: Program, look: Look) -> None:
        super().__init__(window)
        self._window, self._program, self._look = window, program, look
        self.filled = False
        self.warm_up = WarmUp(lambda: _warm_up(program), self, _OF_A_CONVERSATION)
        self.warm_up.done.connect(lambda: self.parts.desk.current.reading.build())

    def build(self, geometry: Geometry) -> Iterator[None]:
        """Builds everything; each step is short, so that the loop can turn between them."""
        window, program = self._window, self._program
        self._look.apply()
        yield
        sidebar = Sidebar()
        yield
        stack, room = QStackedWidget(), StepPanel()
        frame = WindowFrame(sidebar, stack, room)
        frame.set_widths(geometry.sidebar, geometry.panel)
        frame.resize(window.size())
        if not geometry.sidebar_shown:
            frame.show_sidebar(False)
        yield
        toast = Toast(frame, stack)
        desk = SessionDesk(program, sidebar, stack, toast)
        steps, models = StepDesk(frame, room), ModelDesk(program, window)
        files = FileDesk(program, window)
        self.parts = WindowParts(
            window, frame, sidebar, desk, steps, models, files, self._look, toast
        )
        self.inbox = Inbox(window, lambda: desk.panels, lambda: desk.current)
        self.inbox.session_wanted.connect(desk.wanted)
        self.trust = TrustDesk(program, self)
        self.trust.problem.connect(toast.tell)
        self.trust.folder_requested.connect(files.choose_folder)
        self.skills = SkillDesk(program, self)
        self.trust.answered.connect(self.skills.trusted)
        self.starters = StarterDesk(program, self)
        self.starters.folder_requested.connect(files.choose_folder)
        self.trust.answered.connect(self.starters.look)
        self.servers = ServerDesk(program, self)
        self.servers.server_wanted.connect(lambda name: models.open_settings("mcp", server=name))
        models.settings.trust_wanted.connect(self.trust.ask_again)
        self.rules = RulesDesk(program, window)
        self.rules.told.connect(lambda text: toast.tell(text, seconds=3.0))
        self.rules.saved.connect(lambda: self.trust.follow(desk.current))
        self.changes = SessionChanges(program, sidebar, desk, toast)
        self.opening = SessionOpening(program, sidebar, desk, stack, toast)
        self.opening.prepare = self.warm_up.wait
        self.search = SessionSearch(program, sidebar, desk, self.opening)
        self.undo = ChangesDesk(steps, toast, window)
        self.link = SettingsLink(program, self.parts)
        self._connect()
        yield
        desk.start()
        yield
        self.keys = WindowKeys(self.parts)
        self.keys.rules_wanted.connect(self.rules.open)
        self.keys.palette_opened.connect(
            lambda palette: spawn(self._offer_more(palette), "more for the palette")
        )
        self.keys.escape_stops = lambda: self.link.escape_stops
        sidebar.keys_requested.connect(self.keys.show_keys)
        yield
        window.setCentralWidget(frame)
        desk.current.composer.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def fill(self) -> Iterator[None]:
        """Shows what settings and store hold; step by step too."""
        parts, program = self.parts, self._program
        self.filled = True
        self._look.load_other_fonts()
        yield
        parts.desk.load_list()
        yield
        parts.models.prepare()
        yield
        parts.models.start()
        self.trust.start()
        self.skills.start()
        self.starters.start()
        self.servers.start()
        yield
        self.link.start()
        for sentence in program.problems:
            parts.toast.tell(sentence, seconds=0)
        spawn(self.show_month(), "month total")
        spent = lambda: spawn(self.show_month(), "month total")  # noqa: E731
        spawn(serve_commands(program, self._window, parts.desk, spent), "serving commands")
        self.warm_up.watch(self._window)
        if parts.desk.current.composer.text():
            # Typed meanwhile, or before the last end: it is about to be sent.
            self.warm_up.begin()

    async def show_month(self) -> None:
        """Shows what was spent this month."""
        total = await self._program.services.month_total()
        if total.cost <= 0 and total.known:
            self.parts.sidebar.set_month("Nothing spent")
        else:
            self.parts.sidebar.set_month(MONTH + cost_words(total.cost, total.known))

    def _connect(self) -> None:
        parts = self.parts
        parts.desk.panel_made.connect(self._serve)
        parts.desk.panel_shown.connect(self._follow)
        parts.models.problem.connect(parts.toast.tell)
        parts.models.told.connect(lambda text: parts.toast.tell(text, seconds=3.0))
        parts.files.problem.connect(parts.toast.tell)
        parts.files.folder_changed.connect(lambda: self._follow(parts.desk.new()))
        parts.models.session_wanted.connect(self._show_to_write)
        parts.models.settings.session_wanted.connect(self._show_to_write)
        parts.models.settings.sessions_changed.connect(parts.desk.load_list)
        parts.sidebar.hide_requested.connect(lambda: self.keys.show_sidebar(False))
        parts.sidebar.settings_requested.connect(lambda: parts.models.open_settings())
        parts.sidebar.facts_requested.connect(parts.models.find_facts)
        parts.sidebar.memory_requested.connect(lambda: parts.models.open_settings("memory"))
        parts.frame.layout_changed.connect(self._arranged)
        parts.look.changing.connect(parts.desk.shelf.put_away)
        parts.look.changing.connect(parts.models.settings.put_away)
        parts.look.changing.connect(lambda: parts.steps.put_away(parts.desk.shelf.room))
        parts.look.changed.connect(self._restyle)

    def _serve(self, panel: ChatPanel) -> None:
        parts = self.parts
        panel.runner.prepare = lambda: self._warmed(panel)
        parts.models.serve(panel)
        parts.files.serve(panel)
        BannerDesk(self._program, panel, parts.models, self.trust)
        DropFiles(panel)
        CompletionDesk(panel, lambda: self._words())
        panel.header.panel_toggled.connect(lambda _checked: parts.steps.toggle())
        panel.header.more_requested.connect(lambda: self.keys.open_more(panel.header))
        panel.header.sidebar_requested.connect(lambda: self.keys.show_sidebar(True))
        panel.state_changed.connect(self._retitle)
        self.inbox.watch(panel)
        self.trust.serve(panel)
        self.skills.serve(panel)
        self.starters.serve(panel)
        self.servers.serve(panel)
        self.undo.serve(panel)
        JobDesk(panel)
        TranscriptDesk(panel, parts)
        MemoryDesk(self._program, panel, parts)
        panel.runner.running_changed.connect(
            lambda running: None if running else spawn(self.show_month(), "month total")
        )
        if self.filled:
            self.link.serve()

    def _show_to_write(self, session_id: str) -> None:
        """Shows a session, and the next words go into its composer."""
        desk = self.parts.desk
        self.opening.choose(session_id, lambda: desk.current.composer.edit.setFocus())

    async def _warmed(self, panel: ChatPanel) -> None:
        """Returns when a turn can begin without a stall, with a transcript to show it in."""
        await self.warm_up.wait()
        panel.reading.build()

    async def _offer_more(self, palette: Palette) -> None:
        """Adds skills and servers to a palette, if it is still open when they are read."""
        if not isValid(palette):
            # Closed before this began.
            return
        closed: list[bool] = []
        palette.closed.connect(lambda: closed.append(True))
        known = await self.skills.read_now()
        if not closed:
            palette.add(skill_entries(known, self.skills.call))
        rows = await self.servers.read_now()
        if rows and not closed:
            palette.add(server_entries(rows, self.servers.server_wanted.emit))

    def _words(self) -> list[SlashCommand]:
        """What a slash can do: the window's commands, the skills, the prompts of servers."""
        own = slash_commands(self.parts, self.keys.actions)
        return [*own, *self.skills.commands(), *self.servers.prompts()]

    def _follow(self, panel: ChatPanel) -> None:
        if self.warm_up.is_done or (self.filled and panel.session is not None):
            panel.reading.build()
        self.parts.steps.follow(panel)
        self.parts.models.follow(panel)
        self.parts.files.follow(panel)
        self.trust.follow(panel)
        self.skills.follow(panel)
        self.starters.follow(panel)
        self.servers.follow(panel)
        self.rules.follow(panel)
        self.parts.toast.stand_on(panel.body)
        self._arranged()
        self._retitle()

    def _retitle(self) -> None:
        desk = self.parts.desk
        waiting = self.inbox.waiting()
        title = desk.current.title if desk.current.session is not None else ""
        words = f"{title} — Kinet" if title else "Kinet"
        self._window.setWindowTitle(f"({waiting}) {words}" if waiting else words)

    def _arranged(self) -> None:
        for panel in self.parts.desk.panels:
            panel.header.show_sidebar_button(not self.parts.frame.sidebar_shown)
        self.parts.toast.place()

    def _restyle(self, theme: Theme) -> None:
        self.parts.desk.shelf.set_theme(theme)
        self.parts.steps.set_theme(theme)
        self.parts.models.set_theme(theme)
        self.trust.set_theme(theme)
        self.starters.restyle()
        self.undo.set_theme(theme)


def _warm_up(program: Program) -> None:
    """In a thread: what reads Markdown, and what the first message needs. Nothing of Qt."""
    import kinet.markup.blocks
    import kinet.markup.folding
    import kinet.markup.highlight
    import kinet.markup.render  # noqa: F401

    program.warm_up()
