"""Builds the services a face needs, without a window: the one list of what is plugged into what."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kinet.core.errors import SettingsError, StoreError
from kinet.paths import data_dir, ensure_private_dir
from kinet.settings.options import Options

if TYPE_CHECKING:
    from kinet.core.profile import ModelProfile
    from kinet.engine.direct import DirectEngine
    from kinet.memory.facts import FactBook
    from kinet.policy.rules import RuleBook
    from kinet.session.manager import SessionManager
    from kinet.session.parts import Rules
    from kinet.session.session import Session
    from kinet.settings.services import Services
    from kinet.settings.store import SettingsStore
    from kinet.store.database import Database

CALIBRATION_FILE = "calibration.json"
FACTS_FILE = "facts.json"
TOUR_FOLDER = "tour"


def create_runtime(
    home: Path | str | None = None,
    *,
    base_url: str | None = None,
    protocol: str | None = None,
    model: str | None = None,
    api_key_env: str | None = None,
    profile: str | None = None,
    cwd: Path | str | None = None,
    approve: str | None = None,
    theme: str | None = None,
    trust: bool | None = None,
    options: Options | None = None,
) -> Runtime:
    """A runtime over the data folder `home`; cheap: nothing heavy is imported or opened yet.

    The names and meanings are those of `kinet run`'s options; `theme` is light, dark or system.
    Whatever is left out, or None, comes from the settings in `home`. `options` gives all at once.
    """
    chosen = options or Options(
        base_url=base_url or "",
        protocol=protocol or "",
        model=model or "",
        api_key_env=api_key_env or "",
        profile=profile or "",
        cwd=None if cwd is None else Path(cwd).expanduser().absolute(),
        approve=approve or "",
        theme=theme or "",
        trust=trust,
    )
    return Runtime(data_dir() if home is None else Path(home).expanduser().absolute(), chosen)


class Runtime:
    """All services without a window. Parts are built on first use, or by `build`."""

    def __init__(self, home: Path, options: Options) -> None:
        self.home = home
        self.options = options
        self._built: _Built | None = None

    def preload(self) -> None:
        """Imports the heavy modules; may run in a thread. Touches no file and no loop."""
        import kinet.engine.direct
        import kinet.engine.presets
        import kinet.memory.facts
        import kinet.memory.recall
        import kinet.policy.rules
        import kinet.providers.catalog
        import kinet.session.manager
        import kinet.session.session
        import kinet.session.turn
        import kinet.settings.model_choice
        import kinet.settings.secrets
        import kinet.settings.services
        import kinet.settings.turn_choices
        import kinet.store.drafts
        import kinet.store.notes
        import kinet.store.search
        import kinet.store.trash
        import kinet.store.usage
        import kinet.tools.catalog  # noqa: F401
        from kinet.settings.schema import Settings

        # The first use of the models builds them, which takes longer than their import.
        Settings()

    def build(self) -> None:
        """Opens settings and store. StoreError or SettingsError says what is wrong."""
        self._parts().sessions.tidy()

    @property
    def folder(self) -> Path | None:
        """The folder new sessions work on; None where none is chosen."""
        if self.options.cwd is not None:
            return self.options.cwd
        if self.options.headless:
            return Path.cwd()
        if self._built is None:
            return None
        chosen = self._built.settings.values.general.folder
        return Path(chosen) if chosen else None

    @property
    def theme(self) -> str:
        """light, dark or system, known without heavy imports."""
        from kinet.settings import first_frame

        return self.options.theme or first_frame.load(self.home).theme

    @property
    def settings(self) -> SettingsStore:
        """The settings of this data folder."""
        return self._parts().settings

    @property
    def sessions(self) -> SessionManager:
        """All sessions of this data folder."""
        return self._parts().sessions

    @property
    def services(self) -> Services:
        """Models, prices, facts, spending and the tour, for a face."""
        return self._parts().services

    @property
    def problems(self) -> list[str]:
        """What was found damaged and set aside, each a sentence for the person."""
        return self._parts().problems()

    def open_session(self, session_id: str | None = None) -> Session:
        """The session `session_id`, or a new one on `folder`. StoreError if there is none such."""
        if session_id is not None:
            return self.sessions.open(session_id)
        folder = self.folder
        if folder is not None:
            check_folder(folder)
        return self.sessions.create(folder=folder, profile=self.options.profile)

    def profile(self, name: str = "") -> ModelProfile | None:
        """The model that a session with this profile asks, "" for new ones; None for none."""
        with suppress(SettingsError):
            return self._parts().models.profile(name)
        return None

    def window(self, profile: ModelProfile) -> int:
        """The context window of a profile's model in tokens, 0 where it is not known."""
        from kinet.providers.catalog import with_window
        from kinet.providers.pricing import known_window

        return with_window(profile).window or known_window(profile.model)

    def use_folder(self, folder: Path) -> None:
        """New sessions work on `folder` from now on. SettingsError if it cannot be used."""
        check_folder(folder)
        self.options = replace(self.options, cwd=None)
        self.settings.set("general.folder", str(folder))

    def newest_session_id(self) -> str:
        """The newest session on `folder`, else the newest of all; "" if there is none."""
        return self.sessions.newest(self.folder) or self.sessions.newest()

    async def close(self) -> None:
        """Ends all turns, closes connections and the store. A second call does nothing."""
        built, self._built = self._built, None
        if built is not None:
            await built.close()

    def _parts(self) -> _Built:
        if self._built is None:
            self._built = _Built(self.home, self.options)
        return self._built


def check_folder(folder: Path) -> None:
    """SettingsError if a session cannot work on this folder."""
    try:
        with suppress(StopIteration):
            next(folder.iterdir())
    except OSError as exc:
        raise SettingsError(
            f"The folder {folder} cannot be used: {exc.strerror or exc}.",
            hint="Choose a folder that you can read.",
        ) from exc


class _Built:
    """The parts, made once: here concrete classes meet."""

    def __init__(self, home: Path, options: Options) -> None:
        from kinet.memory.facts import FactBook
        from kinet.policy.rules import RuleBook
        from kinet.settings.model_choice import ModelChoice
        from kinet.settings.secrets import Keychain
        from kinet.settings.services import Services
        from kinet.settings.store import SettingsStore
        from kinet.settings.turn_choices import TurnChoices
        from kinet.store.usage import UsageLog

        self.home = home
        self.options = options
        self.settings: SettingsStore = SettingsStore(home)
        keychain = Keychain()
        self.models = ModelChoice(self.settings, keychain, options)
        self.choices = TurnChoices(self.settings, options)
        self.models.check()
        self.choices.check()
        self.facts: FactBook = FactBook(home / FACTS_FILE)
        self.rule_book: RuleBook = RuleBook(home)
        self.engine: DirectEngine = _engine(home)
        self.database = _open_database(home, save=options.save)
        try:
            self.sessions: SessionManager = self._session_manager()
        except BaseException:
            self.database.close()
            raise
        self.services: Services = Services(
            self.settings,
            keychain,
            self.models.client,
            facts=self.facts,
            usage=UsageLog(self.database),
            tour=self.start_tour,
            memory_changed=self.sessions.refresh_memory,
        )

    def _session_manager(self) -> SessionManager:
        from kinet.memory.recall import Recall
        from kinet.session.manager import SessionManager
        from kinet.session.parts import SessionParts
        from kinet.store.sessions import SessionStore
        from kinet.workspace.journal import Journal

        models, choices = self.models, self.choices
        parts = SessionParts(
            store=SessionStore(self.database),
            engine=lambda: self.engine,
            profile=models.profile,
            provider=models.provider,
            toolbox=choices.toolbox,
            price=choices.price,
            rules=self.rules,
            memory_text=self.memory_text,
            limits=choices.limits,
            mode=choices.mode,
            effort=choices.effort,
            remembered=self.rule_book.for_session,
            memory=Recall(self.facts) if self.options.memory else None,
            day_limit=choices.day_limit,
            session_limit=choices.session_limit,
            trash_days=lambda: self.settings.values.data.trash_days,
            data_dir=self.home,
            unsandboxed=self.options.unsandboxed,
            journal=Journal(self.home) if self.options.save else None,
        )
        return SessionManager(parts)

    def problems(self) -> list[str]:
        """What was set aside, from all parts that keep files."""
        return [*self.settings.problems, *self.database.problems, *self.facts.problems]

    def rules(self, folder: Path | None) -> Rules:
        """The rules of a folder; none where they were refused for this run."""
        from kinet.session.parts import Rules
        from kinet.workspace.rules import load_rules

        if not self.options.rules or self.options.trust is False:
            return Rules()
        found = load_rules(folder)
        return Rules(found.sections, found.warnings)

    def memory_text(self, folder: Path | None) -> str:
        """The memory block for a session on this folder; "" for none."""
        from kinet.memory.recall import block_text

        chosen = self.settings.values.memory
        if not self.options.memory or not chosen.use:
            return ""
        return block_text(self.facts.list(folder), folder, chosen.characters)

    async def start_tour(self, folder: Path | None) -> str:
        """A new session on the tour, in `folder` or in the sample folder; its id."""
        import asyncio

        from kinet.local.tour_folder import FOLDER_NAME, make_sample

        profile = await asyncio.to_thread(self.models.tour_profile)
        if folder is None:
            # Beside the data folder, not in it: no tool may touch what is inside.
            folder = self.home.with_name(f"{self.home.name}-{TOUR_FOLDER}") / FOLDER_NAME
            try:
                await asyncio.to_thread(make_sample, folder)
            except OSError as exc:
                raise StoreError(
                    f"The sample folder {folder} cannot be made: {exc.strerror or exc}.",
                    hint="Choose a folder of your own for the tour.",
                ) from exc
        return self.sessions.create(folder=folder, profile=profile.name).id

    async def close(self) -> None:
        """Ends everything in the order of its use."""
        import asyncio

        await self.sessions.close()
        await self.engine.close()
        await self.models.close()
        if self.options.save:
            _keep_calibration(self.home, self.engine.calibration.to_dict())
        await asyncio.to_thread(self.database.close)


def _open_database(home: Path, *, save: bool) -> Database:
    from kinet.store.database import FILE_NAME, Database

    if not save:
        return Database(None)
    try:
        ensure_private_dir(home)
    except OSError as exc:
        raise StoreError(
            f"The data folder {home} cannot be used: {exc.strerror or exc}.",
            hint="Give yourself write access to it, or name another folder in KINET_HOME.",
        ) from exc
    return Database(home / FILE_NAME)


def _engine(home: Path) -> DirectEngine:
    from kinet.engine.direct import DirectEngine
    from kinet.engine.tokens import Calibration

    try:
        kept = json.loads((home / CALIBRATION_FILE).read_bytes())
        return DirectEngine(Calibration({str(k): float(v) for k, v in kept.items()}))
    except (OSError, ValueError, TypeError, AttributeError):
        # It is only an estimate, learnt anew from the next reply.
        return DirectEngine()


def _keep_calibration(home: Path, learnt: dict[str, float]) -> None:
    from kinet.core import atomic_write

    if learnt:
        with suppress(OSError):
            atomic_write.write_bytes(home / CALIBRATION_FILE, json.dumps(learnt).encode())
