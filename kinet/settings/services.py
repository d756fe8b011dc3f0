"""All that a face is handed beside sessions and settings: models, facts, money, the tour."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from kinet.settings.command_services import CommandServices
from kinet.settings.model_services import ClientFactory, ModelServices

if TYPE_CHECKING:
    from kinet.settings.kept_things import KeptThings
    from kinet.settings.memory_services import MemoryServices
    from kinet.settings.rule_services import RuleServices
    from kinet.settings.secrets import Keychain
    from kinet.settings.server_services import ServerServices
    from kinet.settings.skill_services import SkillServices
    from kinet.settings.store import SettingsStore
    from kinet.store.usage import Spent, UsageLog
    from kinet.workspace.rules_files import RulesFiles
    from kinet.workspace.starters import Starters

StartTour = Callable[[Path | None], Awaitable[str]]
FindStarters = Callable[[Path | None], "Starters"]


class Services(ModelServices):
    """What the window shows of memory, rules, skills and money, and the door to the tour."""

    def __init__(
        self,
        settings: SettingsStore,
        keychain: Keychain,
        client: ClientFactory,
        *,
        memory: MemoryServices,
        trash: object,
        usage: UsageLog,
        tour: StartTour,
        starters: FindStarters,
        approvals: RuleServices,
        skills: SkillServices,
        rules_files: RulesFiles,
        kept: KeptThings,
        servers: ServerServices,
    ) -> None:
        super().__init__(settings, keychain, client)
        self.approvals = approvals
        self.skills = skills
        self.rules_files = rules_files
        self.memory = memory
        # The deleted sessions; what keeps them stands beside this room.
        self.trash = trash
        self.kept = kept
        self.servers = servers
        self.commands = CommandServices(settings, keychain)
        self._usage = usage
        self._tour = tour
        self._starters = starters

    async def month_total(self) -> Spent:
        """What was spent this month."""
        return await asyncio.to_thread(self._usage.month)

    def starters(self, folder: Path | None) -> Starters:
        """First tasks that fit the folder of a new session. Blocking file I/O."""
        return self._starters(folder)

    async def start_tour(self, folder: Path | None = None) -> str:
        """Starts the guided tour on `folder` or a sample folder; gives the id of its session."""
        return await self._tour(folder)
