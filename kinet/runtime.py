"""What a face holds of one data folder, without a window: its services, from opening to closing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinet.core.errors import SettingsError, StoreError
from kinet.core.keeping import Keeper
from kinet.paths import data_dir
from kinet.policy.project import check_folder
from kinet.settings.options import Options

if TYPE_CHECKING:
    from concurrent.futures import Future

    from kinet.assembly import Assembly
    from kinet.core.profile import ModelProfile
    from kinet.local.handover import Exchange, HandoverServer, Message
    from kinet.session.manager import SessionManager
    from kinet.session.owner import GuestClaims, OwnerWork, ServeGuest
    from kinet.session.saved import SavedSession
    from kinet.session.session import Session
    from kinet.session.watched import WatchedSession
    from kinet.settings.services import Services
    from kinet.settings.store import SettingsStore
    from kinet.workspace.trust import FolderTrust


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
        # Writes what a window keeps, beside it.
        self.keeper = Keeper()
        self._built: Assembly | None = None
        # A window asks from several threads at once; two stores on one folder shut each other out.
        self._building = threading.Lock()
        self._closed = False
        self._warm = False
        self._server: HandoverServer | None = None
        self._work: OwnerWork | None = None

    def preload(self) -> None:
        """Imports what `build` uses; may run in a thread. Touches no file and no loop."""
        from kinet.net.lean_httpx import leave_out_commands

        leave_out_commands()
        import kinet.assembly
        import kinet.engine.presets
        import kinet.memory.facts
        import kinet.memory.recall
        import kinet.policy.rules
        import kinet.session.manager
        import kinet.session.session
        import kinet.settings.model_choice
        import kinet.settings.secrets
        import kinet.settings.services
        import kinet.settings.turn_choices
        import kinet.store.drafts
        import kinet.store.notes
        import kinet.store.search
        import kinet.store.trash
        import kinet.store.usage
        import kinet.workspace.trust  # noqa: F401
        from kinet.settings.schema import Settings

        # The first use of the models builds them, which takes longer than their import.
        Settings()

    def warm_up(self) -> None:
        """Imports what the first message needs, which takes some 200 ms: for a thread.

        May be called again, which costs nothing. A window that nobody uses yet goes without.
        """
        if self._warm:
            return
        import kinet.core.own_command
        import kinet.net.client
        import kinet.providers.catalog
        import kinet.session.turn
        import kinet.tools.catalog

        kinet.tools.catalog.tell_all()
        _ = self._parts().engine
        self._warm = True

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
    def trust(self) -> FolderTrust:
        """Which folders may bring something along."""
        return self._parts().trust

    @property
    def services(self) -> Services:
        """Models, prices, facts, spending and the tour, for a face."""
        return self._parts().services

    @property
    def problems(self) -> list[str]:
        """What was found damaged and set aside, each a sentence for the person."""
        return self._parts().problems()

    def open_session(
        self, session_id: str | None = None, saved: SavedSession | None = None
    ) -> Session:
        """The session `session_id`, or a new one on `folder`. StoreError if there is none such."""
        if session_id is not None:
            if self._work is not None and session_id in self._work.elsewhere:
                raise StoreError(
                    "A command or an editor works on this session.",
                    hint="It can be opened when that has ended.",
                )
            return self.sessions.open(session_id, saved)
        if (folder := self.folder) is not None:
            check_folder(folder)
        return self.sessions.create(folder=folder, profile=self.options.profile)

    def watch_session(self, session_id: str, saved: SavedSession | None) -> WatchedSession | None:
        """A session that an editor or a command works on, to be read; None for any other.

        `saved` is what `sessions.read` gave.
        """
        if self._work is None or self._work.elsewhere.get(session_id) is None:
            return None
        loaded = saved or self.sessions.read(session_id)
        return self._work.watch(session_id, loaded.events)

    def profile(self, name: str = "") -> ModelProfile | None:
        """The model that a session with this profile asks, "" for new ones; None for none."""
        with suppress(SettingsError):
            return self._parts().models.profile(name)
        return None

    def window(self, profile: ModelProfile) -> int | None:
        """A model's window in tokens, 0 if not known, None until `services.window_of` looks."""
        from kinet.providers.asked_window import with_window
        from kinet.providers.pricing import window_at_hand

        return with_window(profile).window or window_at_hand(profile.model)

    def use_folder(self, folder: Path) -> Future[None]:
        """New sessions work on `folder` from now on; the future says when that is kept.

        SettingsError if it cannot be used.
        """
        check_folder(folder)
        self.options = replace(self.options, cwd=None)
        return self.settings.keep("general.folder", str(folder))

    def newest_session_id(self) -> str:
        """The newest session on `folder`, else the newest of all; "" if there is none."""
        return self.sessions.newest(self.folder) or self.sessions.newest()

    async def serve(
        self,
        show: Callable[[str], object],
        changed: Callable[[], object],
        leave: Callable[[], bool] | None = None,
    ) -> OwnerWork:
        """Does from now on what commands ask of the holder of the data folder.

        `show` brings the window forward, with a session or "" for none; `changed` shows the list
        anew; `leave` is for an owner without a window, which gives the folder up for one. OSError
        if nobody can be listened to.
        """
        from kinet.local.handover import HandoverServer
        from kinet.session.owner import OwnerWork

        parts = self._parts()
        guests = _guest_server(lambda message: _guest(self, message))
        work = OwnerWork(
            parts.sessions,
            parts.facts,
            lambda message: _guest(self, message),
            show,
            changed,
            guests,
            leave,
        )
        self._work = work
        self._server = HandoverServer(self.home, work.do)
        await self._server.start()
        return work

    async def close(self) -> None:
        """Ends all turns, closes connections and the store. A second call does nothing."""
        server, self._server = self._server, None
        if server is not None:
            await server.close()
        # The parts stay known: whoever asks late gets closed ones, not a second store.
        if self._built is not None and not self._closed:
            self._closed = True
            await self._built.close()
        import asyncio

        await asyncio.to_thread(self.keeper.close)

    def _parts(self) -> Assembly:
        from kinet.assembly import Assembly

        with self._building:
            if self._built is None:
                self._built = Assembly(self.home, self.options, keeper=self.keeper)
            return self._built


def _guest(owner: Runtime, message: Mapping[str, Any]) -> Runtime:
    """A runtime with a command's own options; `key` is what its environment holds."""
    from kinet.assembly import Assembly
    from kinet.net.secret import Secret
    from kinet.settings.handed_key import HandedKey

    said = dict(message["options"])
    options = Options(**{**said, "cwd": Path(said["cwd"]), "headless": True})
    key = str(message.get("key", ""))
    keychain = HandedKey(options.api_key_env, Secret(key)) if key else None
    guest = Runtime(owner.home, options)
    guest._built = Assembly(owner.home, options, owner._parts(), keychain)
    return guest


def _guest_server(guest: Callable[[Message], Runtime]) -> ServeGuest:
    """Serves clients of `kinet serve` that found the folder in use, with options of their own."""

    async def serve(message: Message, exchange: Exchange, claims: GuestClaims) -> None:
        import asyncio

        from kinet.serve.guest import serve_guest

        runtime = guest(message)
        try:
            # Beside the loop, which may be a window's.
            await asyncio.to_thread(runtime.warm_up)
            await serve_guest(runtime, exchange, claims, message.get("seat"))
        finally:
            await runtime.close()

    return serve
