"""Which model answers and what it may do unasked: the menus, the welcome page, the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QMainWindow

from kinet.core.errors import KinetError
from kinet.core.profile import ModelProfile
from kinet.ui.chat.chat_panel import ChatPanel, begins_anew
from kinet.ui.desks.settings_desk import SettingsDesk
from kinet.ui.desks.turn_choosing import TurnChoosing
from kinet.ui.kit.tasks import in_thread, spawn
from kinet.ui.look.theme import Theme
from kinet.ui.program import Program

if TYPE_CHECKING:
    from kinet.ui.welcome.welcome import WelcomePage

_NO_MODEL = "There is no model to send this to. Add one; what you typed is kept."
_NO_MODEL_ABOVE = "Choose above how to reach a model; what you typed is kept."


class ModelDesk(TurnChoosing):
    """Serves the panel on screen. Nothing here waits: dialogs are opened and answer by signal."""

    session_wanted = Signal(str)  # the tour's session

    def __init__(self, program: Program, window: QMainWindow) -> None:
        super().__init__(program, window)
        self._window = window
        self._welcome: WelcomePage | None = None
        self.settings = SettingsDesk(program, window)
        self.settings.profiles_changed.connect(self.refresh)
        self.settings.closed.connect(self._settings_closed)
        self._skipped = False

    def prepare(self) -> None:
        """Makes the welcome page where one is needed; from here on settings can be read."""
        self._ready = True
        if self._program.profile() is None:
            self._welcome = self._make_welcome()

    def start(self) -> None:
        """Shows model, mode and, where there is no model, the welcome page."""
        self.refresh()

    def serve(self, panel: ChatPanel) -> None:
        """Connects a new panel's menus."""
        panel.composer.menus.model_chosen.connect(self.choose_model)
        panel.composer.menus.mode_chosen.connect(self.choose_mode)
        panel.composer.menus.preset_chosen.connect(self.choose_preset)
        panel.composer.menus.models_requested.connect(lambda: self.open_settings("models"))
        panel.desk.model_needed.connect(self._model_needed)
        panel.session_started.connect(lambda _: self.refresh())
        panel.runner.running_changed.connect(lambda _: self._show_first_page(panel))
        # Another branch may have been asked of another model.
        panel.branches.moved.connect(self.refresh)
        panel.branches.models = lambda: self._models_of(panel)

    def follow(self, panel: ChatPanel) -> None:
        """The panel on screen from now on."""
        self._panel = panel
        self.refresh()

    def refresh(self) -> None:
        """Shows model, mode and, where there is no model, the welcome page."""
        panel = self._panel
        if panel is None or not self._ready:
            return
        profile = self._profile(panel)
        panel.composer.menus.set_model(profile.name if profile else "", self.choices())
        mode, session = self._mode(panel), panel.session
        unsandboxed = mode == "all" and session is not None and session.unsandboxed
        panel.composer.menus.set_mode(mode, unsandboxed=unsandboxed)
        panel.composer.menus.set_preset(self._preset(panel), self.presets())
        window = self._window_of(profile) if profile is not None else 0
        panel.set_model(profile is not None, window)
        self._show_first_page(panel)
        self.refreshed.emit()

    def open_settings(self, page: str = "", *, server: str = "") -> None:
        """Opens the settings dialog, on a page of it, or with this server unfolded."""
        if self._ready:
            # Also the folder of a session which begins with the next message.
            folder = self._panel.folder if self._panel is not None else None
            self.settings.open(str(folder or ""), page, server)

    def find_facts(self, words: str) -> None:
        """Opens the memory page with what these words find."""
        self.open_settings("memory")
        if self.settings.dialog is not None:
            self.settings.dialog.parts.find_facts(words)

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        if self._welcome is not None:
            self._welcome.set_theme(theme)

    def start_tour(self) -> None:
        """Starts the guided tour in a session of its own."""
        spawn(self._tour(), "guided tour")

    def _models_of(self, panel: ChatPanel) -> tuple[list[str], str]:
        """All names, and that of the model in use, which need not be a saved one."""
        profile = self._profile(panel)
        current = profile.name if profile is not None else ""
        names = [name for name, _ in self.choices()]
        return (names if current in names or not current else [current, *names]), current

    def _window_of(self, profile: ModelProfile) -> int:
        """The model's window; 0 until it is looked up, which shows all anew."""
        window = self._program.window(profile)
        if window is None:
            spawn(self._look_up(profile), "window of the model")
        return window or 0

    async def _look_up(self, profile: ModelProfile) -> None:
        await in_thread(lambda: self._program.services.window_of(profile))
        self.refresh()

    async def _tour(self) -> None:
        try:
            session_id = await self._program.services.start_tour()
        except KinetError as exc:
            self.problem.emit(exc.sentence())
            return
        self.session_wanted.emit(session_id)

    def _show_first_page(self, panel: ChatPanel) -> None:
        """The welcome page where there is no model; a command needs none, and what it prints is
        shown in its place."""
        if panel is not self._panel or not self._ready:
            return
        # A model that was just saved does not end the page before it has told where its key is.
        tells = self._welcome is not None and self._welcome.saving
        chosen = self._profile(panel) is not None and not tells
        if self._skipped or chosen or not begins_anew(panel):
            panel.body.show_page(None)
            return
        self._welcome = self._welcome or self._make_welcome()
        panel.header.set_title("Welcome")
        panel.body.show_page(self._welcome)

    def _make_welcome(self) -> WelcomePage:
        from kinet.ui.welcome.welcome import WelcomePage

        page = WelcomePage(self._program.services)
        page.profile_chosen.connect(self._profile_chosen)
        page.tour_requested.connect(self.start_tour)
        page.skipped.connect(self._skip)
        page.settings_requested.connect(self.open_settings)
        return page

    def _profile_chosen(self, profile: ModelProfile) -> None:
        self.choose_model(profile.name)
        if self._panel is not None:
            self._panel.refresh()
            self._panel.composer.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _skip(self) -> None:
        self._skipped = True
        self.refresh()
        if self._panel is not None:
            self._panel.refresh()
            self._panel.composer.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _model_needed(self) -> None:
        """Something was to be sent: where a model is chosen is shown, and why nothing went."""
        self._skipped = False
        self.refresh()
        if self._panel is None or begins_anew(self._panel):
            self.problem.emit(_NO_MODEL_ABOVE)
        else:
            # The conversation stays on screen.
            self.problem.emit(_NO_MODEL)
            self.open_settings("models")

    def _settings_closed(self) -> None:
        self.refresh()
        if self._panel is not None:
            self._panel.refresh()
            self._window.activateWindow()
            self._panel.composer.edit.setFocus(Qt.FocusReason.OtherFocusReason)
