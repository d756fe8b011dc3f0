"""All that a face is handed beside sessions and settings: models, facts, money, the tour."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kinet.settings.model_services import ClientFactory, ModelServices

if TYPE_CHECKING:
    from kinet.memory.facts import Fact, FactBook
    from kinet.settings.rule_services import RuleServices
    from kinet.settings.secrets import Keychain
    from kinet.settings.store import SettingsStore
    from kinet.store.usage import Spent, UsageLog

StartTour = Callable[[Path | None], Awaitable[str]]


class Services(ModelServices):
    """What the window shows of memory and money, and the door to the tour."""

    def __init__(
        self,
        settings: SettingsStore,
        keychain: Keychain,
        client: ClientFactory,
        *,
        facts: FactBook,
        usage: UsageLog,
        tour: StartTour,
        memory_changed: Callable[[], None],
        approvals: RuleServices,
    ) -> None:
        super().__init__(settings, keychain, client)
        self.approvals = approvals
        self._facts = facts
        self._usage = usage
        self._tour = tour
        self._memory_changed = memory_changed

    def facts(self) -> Sequence[Fact]:
        """The facts kept, oldest first."""
        return self._facts.list()

    def add_fact(self, text: str, folder: str = "") -> Fact:
        """Keeps a fact of the person, or of the project in `folder`. May raise StoreError."""
        fact = self._facts.add(text, Path(folder) if folder else None)
        self._memory_changed()
        return fact

    def delete_fact(self, fact_id: str) -> None:
        """Removes it. May raise StoreError."""
        self._facts.delete(fact_id)
        self._memory_changed()

    async def month_total(self) -> Spent:
        """What was spent this month."""
        return await asyncio.to_thread(self._usage.month)

    async def start_tour(self, folder: Path | None = None) -> str:
        """Starts the guided tour on `folder` or a sample folder; gives the id of its session."""
        return await self._tour(folder)
