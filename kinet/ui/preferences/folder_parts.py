"""The parts of the settings window that belong to a project too: facts, rules, skills, servers."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from kinet.ui.preferences.memory_view import MemoryView
from kinet.ui.preferences.rules_view import RulesView
from kinet.ui.preferences.settings_page import SettingsPage
from kinet.ui.servers.servers_view import ServersView
from kinet.ui.services import Services
from kinet.ui.skills.skills_view import SkillsView


class FolderParts(QObject):
    """Each stands on its page, where there is one. `told` is for a toast."""

    told = Signal(str, object)
    session_wanted = Signal(str)
    # The question about the folder is to be seen.
    trust_wanted = Signal()

    def __init__(
        self, services: Services, pages: Mapping[str, SettingsPage], folder: str, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._parts: list[MemoryView | RulesView | SkillsView | ServersView] = []
        self.memory: MemoryView | None = None
        self.servers: ServersView | None = None
        if "approvals" in pages:
            rules = RulesView(services.approvals, parent, folder=folder)
            pages["approvals"].add_part(rules)
            self._parts.append(rules)
        if "skills" in pages:
            skills = SkillsView(services.skills, parent, folder=folder)
            pages["skills"].add_part(skills)
            self._parts.append(skills)
        if "mcp" in pages:
            self.servers = ServersView(services.servers, parent, folder=folder)
            self.servers.trust_wanted.connect(self.trust_wanted)
            pages["mcp"].add_part(self.servers, self.servers)
            self._parts.append(self.servers)
        if "memory" in pages:
            self.memory = MemoryView(services.memory, parent, folder=folder)
            self.memory.session_wanted.connect(self.session_wanted)
            pages["memory"].add_part(self.memory)
            self._parts.append(self.memory)
        for part in self._parts:
            part.told.connect(self.told)

    def refresh(self) -> None:
        """Reads everything again."""
        for part in self._parts:
            part.refresh()

    def set_folder(self, folder: str) -> None:
        """The project they show and add to; "" for none."""
        for part in self._parts:
            part.set_folder(folder)

    def find_facts(self, words: str) -> None:
        """Looks for words among the facts."""
        if self.memory is not None:
            self.memory.search.setText(words)

    def show_server(self, name: str) -> None:
        """Unfolds this server."""
        if self.servers is not None:
            self.servers.show_server(name)

    def forget_removed(self) -> None:
        """What was taken away for good leaves nothing behind."""
        if self.servers is not None:
            self.servers.acts.forget_removed()
