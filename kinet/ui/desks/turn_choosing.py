"""Which model answers, how long it thinks, what it may do and how far it goes, as chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from kinet.core.errors import KinetError
from kinet.core.profile import ModelProfile
from kinet.ui.chat.chat_panel import ChatPanel
from kinet.ui.desks.unsandboxed_question import UnsandboxedQuestion
from kinet.ui.kit.tasks import spawn
from kinet.ui.kit.when_kept import when_kept
from kinet.ui.program import Program
from kinet.ui.writing.composer_menus import MODES, PresetChoice

if TYPE_CHECKING:
    from kinet.settings.fields import SettingField

_PRESET = "limits.preset"


class TurnChoosing(QObject):
    """A choice holds in the session on screen and in new ones."""

    problem = Signal(str)
    refreshed = Signal()
    told = Signal(str)  # what was changed, where nothing else shows it

    def __init__(self, program: Program, parent: QObject) -> None:
        super().__init__(parent)
        self._program = program
        self._panel: ChatPanel | None = None
        self._ready = False

    def refresh(self) -> None:
        """Shows what is chosen."""
        raise NotImplementedError

    def choices(self) -> list[tuple[str, str]]:
        """All profiles: name, and what they reach."""
        profiles = self._program.settings.profiles() if self._ready else ()
        return [(item.name, f"{item.model}, {item.base_url}") for item in profiles]

    def setting_fields(self) -> Sequence[SettingField]:
        """Every setting, in the order of the pages; none before the settings can be read."""
        return tuple(self._program.settings.fields()) if self._ready else ()

    def choose_model(self, name: str) -> None:
        """Uses the profile of this name in the session on screen and in new ones."""
        panel = self._panel
        if panel is None:
            return
        try:
            if panel.session is not None:
                panel.session.use_profile(name)
            self._keep("models.default_profile", name)
        except KinetError as exc:
            self.problem.emit(exc.sentence())
        self.refresh()
        panel.refresh()

    def choose_mode(self, mode: str) -> None:
        """Uses this approval mode in the session on screen and in new ones."""
        panel = self._panel
        if panel is None:
            return
        try:
            if panel.session is not None:
                panel.session.set_mode(mode)
                panel.session.set_unsandboxed(False)
            self._keep("approvals.mode", mode)
        except KinetError as exc:
            self.problem.emit(exc.sentence())
        self.refresh()
        if mode == "all":
            spawn(self._ask_for_unsandboxed(panel), "look for a sandbox")

    async def _ask_for_unsandboxed(self, panel: ChatPanel) -> None:
        """Where commands have no sandbox, they ask until the person says otherwise."""
        session = panel.open_session()
        if session is None:
            return
        problem = await session.sandbox_problem()
        if not problem or session.unsandboxed or session.mode != "all":
            return
        question = UnsandboxedQuestion(problem, panel)

        def confirmed() -> None:
            session.set_unsandboxed(True)
            self.refresh()

        question.accepted.connect(confirmed)
        question.open()

    def choose_effort(self, effort: str) -> None:
        """Lets the model think so long in the session on screen, or, before it, in new ones."""
        panel = self._panel
        if panel is None:
            return
        try:
            if panel.session is not None:
                panel.session.set_effort(effort)
            else:
                self._keep("models.effort", effort)
        except KinetError as exc:
            self.problem.emit(exc.sentence())
            return
        self.told.emit(f"Effort: {effort}")

    def presets(self) -> list[PresetChoice]:
        """All presets: name, word, and what they hold a turn to."""
        found = next((item for item in self.setting_fields() if item.key == _PRESET), None)
        choices = found.choices if found is not None else ()
        return [(item.value, item.label, item.help) for item in choices]

    def choose_preset(self, name: str) -> None:
        """Uses this preset in the session on screen from its next turn on; others keep theirs."""
        panel = self._panel
        if panel is None:
            return
        if self._profile(panel) is None:
            self.problem.emit("Choose a model first, then how far a turn goes.")
            return
        session = panel.open_session()
        if session is None:
            return
        try:
            session.set_preset(name)
        except KinetError as exc:
            self.problem.emit(exc.sentence())
            return
        self.refresh()
        words = next((f"{word}. {more}" for key, word, more in self.presets() if key == name), name)
        self.told.emit(f"Preset: {words}")

    def next_mode(self) -> None:
        """The approval mode after the present one."""
        if self._panel is not None:
            order = list(MODES)
            mode = self._mode(self._panel)
            place = order.index(mode) if mode in order else -1
            self.choose_mode(order[(place + 1) % len(order)])

    def _keep(self, key: str, value: str) -> None:
        when_kept(self, self._program.settings.keep(key, value), self.problem.emit)

    def _profile(self, panel: ChatPanel) -> ModelProfile | None:
        return self._program.profile(panel.session.profile if panel.session is not None else "")

    def _preset(self, panel: ChatPanel) -> str:
        """The preset in use; one that is gone is named, so that another can be chosen."""
        if panel.session is None:
            return str(self._program.settings.get(_PRESET))
        try:
            return panel.session.preset
        except KinetError:
            return "Unknown preset"

    def _mode(self, panel: ChatPanel) -> str:
        if panel.session is not None:
            return panel.session.mode
        return str(self._program.settings.get("approvals.mode"))
