"""Makes the services of one data folder: the one list of what is plugged into what."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from kinet.settings.options import Options

if TYPE_CHECKING:
    from kinet.core.keeping import Keeper
    from kinet.engine.direct import DirectEngine
    from kinet.memory.facts import FactBook
    from kinet.policy.rules import RuleBook
    from kinet.session.manager import SessionManager
    from kinet.session.parts import Rules
    from kinet.settings.kept_things import KeptThings
    from kinet.settings.secrets import Keychain
    from kinet.settings.services import Services
    from kinet.settings.store import SettingsStore
    from kinet.store.database import Database
    from kinet.workspace.starters import Starters

CALIBRATION_FILE = "calibration.json"
FACTS_FILE = "facts.json"


class Assembly:
    """The parts, made once: here concrete classes meet. A guest shares its host's kept things."""

    def __init__(
        self,
        home: Path,
        options: Options,
        host: Assembly | None = None,
        keychain: Keychain | None = None,
        keeper: Keeper | None = None,
    ) -> None:
        from kinet.memory.facts import FactBook
        from kinet.policy.rules import RuleBook
        from kinet.settings.kept_things import KeptThings
        from kinet.settings.model_choice import ModelChoice
        from kinet.settings.secrets import Keychain
        from kinet.settings.skill_services import skill_library
        from kinet.settings.store import SettingsStore
        from kinet.settings.tool_servers import LONGEST_START, ToolServerBook
        from kinet.settings.turn_choices import TurnChoices
        from kinet.skills.brought import brought_skills
        from kinet.store.at_home import open_database
        from kinet.workspace.rules_files import RulesFiles
        from kinet.workspace.trust import FolderTrust

        self.home, self.options, self._host = home, options, host
        self._engine: DirectEngine | None = None
        self._making = threading.Lock()
        self.trust = FolderTrust(home, brought_skills, options.trust)
        self.rules_files = RulesFiles(home, self.trust.edited)
        self.settings: SettingsStore = SettingsStore(home, keeper)
        keychain = keychain or Keychain()
        self.models = ModelChoice(self.settings, keychain, options)
        self.choices = TurnChoices(self.settings, options, keychain)
        self.models.check()
        self.choices.check()
        self.facts: FactBook = host.facts if host else FactBook(home / FACTS_FILE)
        self.rule_book: RuleBook = host.rule_book if host else RuleBook(home)
        self.skills = skill_library(self.settings, self.trust.trusts, home)
        self.tool_servers: ToolServerBook = ToolServerBook(
            self.settings,
            keychain,
            self.trust.server_list,
            # A run has no next turn in which a late server could join.
            wait_seconds=LONGEST_START if options.headless else 0.0,
            # Where there is no keychain the window alone knows where people are signed in.
            accounts=host.tool_servers.accounts if host else None,
        )
        self.kept: KeptThings = host.kept if host else KeptThings(home, self.settings)
        self.database: Database = host.database if host else open_database(home, save=options.save)
        try:
            self.sessions: SessionManager = self._session_manager()
        except BaseException:
            if host is None:
                self.database.close()
            raise
        self.services = self._services(keychain)

    @property
    def engine(self) -> DirectEngine:
        """Asks and acts. Made when it is first asked for: a window that nobody uses has none."""
        from kinet.engine.context.kept_calibration import load_calibration
        from kinet.engine.direct import DirectEngine

        with self._making:
            if self._engine is None:
                self._engine = DirectEngine(load_calibration(self.home / CALIBRATION_FILE))
            return self._engine

    def _services(self, keychain: Keychain) -> Services:
        from kinet.settings.memory_services import MemoryServices
        from kinet.settings.rule_services import RuleServices
        from kinet.settings.server_services import ServerServices
        from kinet.settings.services import Services
        from kinet.settings.skill_services import SkillServices
        from kinet.store.fact_uses import FactUses
        from kinet.store.usage import UsageLog

        memory = MemoryServices(self.facts, FactUses(self.database), self.sessions.refresh_memory)
        return Services(
            self.settings,
            keychain,
            self.models.client,
            memory=memory,
            trash=self.sessions,
            usage=UsageLog(self.database),
            tour=self.start_tour,
            starters=self.starters,
            approvals=RuleServices(self.rule_book, self.choices.mode, self.home),
            skills=SkillServices(self.settings, self.skills, self.home),
            rules_files=self.rules_files,
            kept=self.kept,
            servers=ServerServices(self.settings, keychain, self.tool_servers),
        )

    def _session_manager(self) -> SessionManager:
        from kinet.session.manager import SessionManager
        from kinet.session.parts import SessionParts
        from kinet.settings.session_memory import SessionMemory
        from kinet.store.sessions import SessionStore

        models, choices = self.models, self.choices
        store = SessionStore(self.database)
        memory = SessionMemory(self.facts, store, self.settings, models, self.options)
        parts = SessionParts(
            store=store,
            engine=lambda: self.engine,
            profile=models.profile,
            provider=models.provider,
            toolbox=choices.toolbox,
            servers=self.tool_servers,
            price=choices.price,
            rules=self.rules,
            written=self.trust.written,
            memory_text=memory.block,
            skills=self.skills,
            preset=choices.preset,
            limits=choices.limits,
            mode=choices.mode,
            effort=choices.effort,
            remembered=self.rule_book.for_session,
            memory=memory.recall,
            noticing=memory.noticing,
            memory_told=memory.told,
            leaving=memory.leaving,
            day_limit=choices.day_limit,
            session_limit=choices.session_limit,
            branch_summary=choices.branch_summary,
            trash_days=lambda: self.settings.values.data.trash_days,
            data_dir=self.home,
            unsandboxed=self.options.unsandboxed,
            sandbox=choices.no_sandbox,
            local_permits=choices.local_permits,
            journal=self.kept.journal if self.options.save else None,
            make_room=self.kept.make_room_soon,
        )
        return SessionManager(parts)

    def problems(self) -> list[str]:
        """What was set aside, from all parts that keep files."""
        kept = [*self.settings.problems, *self.database.problems, *self.facts.problems]
        return kept + [text for text in (self.rule_book.problem, self.trust.book.problem) if text]

    def rules(self, folder: Path | None) -> Rules:
        """The rules of a folder; none where they were refused for this run."""
        from kinet.session.parts import Rules

        if not self.options.rules:
            return Rules()
        own, told = self.rules_files.personal()
        sections, warnings = self.trust.rules(folder)
        return Rules(sections, (*told, *warnings), own)

    def starters(self, folder: Path | None) -> Starters:
        """First tasks that fit the folder of a new session. Blocking file I/O."""
        from kinet.local.tour_folder import is_sample, starter_prompts
        from kinet.workspace.starters import Starters, starters

        if folder is not None and is_sample(folder, self.home):
            return Starters("A few ways to begin with the sample folder", starter_prompts())
        return starters(folder, trusted=folder is None or self.trust.trusts(folder))

    async def start_tour(self, folder: Path | None) -> str:
        """A new session on the tour, in `folder` or in the sample folder; its id."""
        import asyncio

        from kinet.local.tour_folder import sample_beside

        profile = await asyncio.to_thread(self.models.tour_profile)
        if folder is None:
            folder = await asyncio.to_thread(sample_beside, self.home)
        return self.sessions.create(folder=folder, profile=profile.name).id

    async def close(self) -> None:
        """Ends everything in the order of its use."""
        import asyncio

        await self.sessions.close()
        await asyncio.to_thread(self.tool_servers.close)
        if self._engine is not None:
            await self._engine.close()
        await self.models.close()
        if self._host is not None:
            return
        if self._engine is not None and self.options.save:
            from kinet.engine.context.kept_calibration import keep_calibration

            place, learnt = self.home / CALIBRATION_FILE, self._engine.calibration
            await asyncio.to_thread(keep_calibration, place, learnt)
        await asyncio.to_thread(self.database.close)
