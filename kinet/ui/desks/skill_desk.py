"""Skills in the window: offered after a slash, shown as chips, opened as a page."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt

from kinet.core.events import Event, StepStarted
from kinet.ui.chat.chat_panel import ChatPanel
from kinet.ui.desks.slash_commands import SlashCommand
from kinet.ui.kit.tasks import in_thread, spawn
from kinet.ui.program import Program

if TYPE_CHECKING:
    from kinet.skills.skill import Skill

# Seconds after which the skills are read anew when the next "/" is typed.
_FRESH = 3.0


class SkillDesk(QObject):
    """Serves all panels; what is offered belongs to the folder of the one on screen."""

    def __init__(self, program: Program, parent: QObject) -> None:
        super().__init__(parent)
        self._program = program
        self._panel: ChatPanel | None = None
        self._folder: Path | None = None
        self._skills: tuple[Skill, ...] = ()
        self._read_at = -_FRESH
        self._started = False

    def start(self) -> None:
        """From here on settings can be read. Nothing is read before somebody asks for a skill."""
        self._started = True

    def serve(self, panel: ChatPanel) -> None:
        """Connects a new panel; going to another branch may bring or take a skill."""
        panel.composer.edit.textChanged.connect(lambda: self._typed(panel))
        panel.composer.skills.removed.connect(lambda name: self._remove(panel, name))
        panel.event_shown.connect(lambda event: self._event(panel, event))
        panel.runner.running_changed.connect(lambda running: self._show_chips(panel))
        panel.branches.moved.connect(lambda: self._show_chips(panel))

    def follow(self, panel: ChatPanel) -> None:
        """The panel on screen from now on."""
        self._panel = panel
        self._show_chips(panel)

    def refresh(self) -> None:
        """Reads the skills anew; the menu knows them when that is done."""
        if self._started and self._panel is not None:
            self._read_at = time.monotonic()
            spawn(self._read(self._panel.folder), "skills of the folder")

    def trusted(self) -> None:
        """The folder on screen was answered for: its skills may be other ones now."""
        if self._panel is not None and self._panel.session is not None:
            self._panel.session.refresh_skills()
        self.refresh()

    def commands(self) -> list[SlashCommand]:
        """A word for each skill that the person may call."""
        panel = self._panel
        if panel is None or panel.folder != self._folder:
            return []
        return [
            SlashCommand(skill.name, _detail(skill), "skill", written=True)
            for skill in self._skills
            if skill.by_person
        ]

    def call(self, name: str) -> None:
        """Writes the call of a skill into the composer on screen; arguments may follow."""
        if self._panel is not None:
            edit = self._panel.composer.edit
            edit.set_text(f"/{name} ")
            edit.setFocus(Qt.FocusReason.OtherFocusReason)

    async def read_now(self) -> Sequence[tuple[str, str]]:
        """Reads the skills: name and line of those that may be called."""
        if self._started and self._panel is not None:
            await self._read(self._panel.folder)
        return [(command.name, command.detail) for command in self.commands()]

    async def _read(self, folder: Path | None) -> None:
        catalog = await in_thread(lambda: self._program.services.skills.catalog(folder))
        if self._panel is not None and self._panel.folder == folder:
            self._folder, self._skills = folder, catalog.used
            if self._panel.composer.edit.text().startswith("/"):
                # Whoever typed first sees the list as soon as it is known.
                self._panel.composer.edit.cursorPositionChanged.emit()

    def _typed(self, panel: ChatPanel) -> None:
        stale = time.monotonic() - self._read_at > _FRESH or panel.folder != self._folder
        if panel is self._panel and panel.composer.edit.text()[:1] == "/" and stale:
            self.refresh()

    def _event(self, panel: ChatPanel, event: Event) -> None:
        if isinstance(event, StepStarted):
            self._show_chips(panel)

    def _show_chips(self, panel: ChatPanel) -> None:
        session = panel.session
        panel.composer.skills.set_skills(session.active_skills if session is not None else ())

    def _remove(self, panel: ChatPanel, name: str) -> None:
        if panel.session is not None:
            panel.session.remove_skill(name)
            self._show_chips(panel)
            panel.composer.edit.setFocus(Qt.FocusReason.OtherFocusReason)


def _detail(skill: Skill) -> str:
    return f"{skill.hint}  {skill.description}" if skill.hint else skill.description
