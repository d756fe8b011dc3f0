"""The sessions one client has open, and what it may choose for them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakValueDictionary

from kinet.core.errors import KinetError, SettingsError
from kinet.policy.project import check_folder
from kinet.serve import params
from kinet.serve.asking import approver_for
from kinet.serve.messages import REFUSED, WRONG_PARAMS, RpcError
from kinet.serve.peer import Peer
from kinet.serve.session import ServedSession

if TYPE_CHECKING:
    from kinet.session.manager import SessionManager
    from kinet.session.saved import SavedSession
    from kinet.session.session import Session
    from kinet.settings.options import Options
    from kinet.settings.store import SettingsStore

# From the narrowest to the widest: a client may choose what stands before the given one.
MODES = ("deny", "plan", "ask", "edits", "all")
# Sessions one client may have open.
MOST_OPEN = 200

_log = logging.getLogger(__name__)


class Host(Protocol):
    """What is needed of a runtime."""

    @property
    def options(self) -> Options:
        """What the command line said."""
        ...

    @property
    def sessions(self) -> SessionManager:
        """All sessions."""
        ...

    @property
    def settings(self) -> SettingsStore:
        """What the person chose."""
        ...

    @property
    def folder(self) -> Path | None:
        """Where sessions work that name no folder."""
        ...

    @property
    def problems(self) -> list[str]:
        """What was found damaged."""
        ...

    def open_session(
        self, session_id: str | None = None, saved: SavedSession | None = None
    ) -> Session:
        """The session of this id. StoreError if there is none, or it is open elsewhere."""
        ...


class Claims(Protocol):
    """Whoever shares the data folder: a session is open in one place at a time."""

    def claim(self, session_id: str) -> None:
        """Takes it, "" for none yet. StoreError if it is open elsewhere."""
        ...

    def opened(self, session: Session) -> None:
        """It is open here."""
        ...

    def release(self, session_id: str) -> None:
        """Gives it back."""
        ...

    def changed(self) -> None:
        """The list of sessions is another one."""
        ...


class Desk:
    """`abilities` are those of the client. Messages narrow what the command line gave, never widen:
    no message names an address, a key, trust or a run without sandbox."""

    def __init__(self, host: Host, peer: Peer, claims: Claims) -> None:
        self.host, self.peer = host, peer
        self.abilities = params.Abilities()
        self._claims = claims
        self._open: dict[str, ServedSession] = {}
        self._closing: set[asyncio.Task[None]] = set()
        # Sessions that are being opened or closed: the next one waits for that.
        self._guards: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @property
    def widest_mode(self) -> str:
        """What the command line gave, else the settings: what sessions begin with."""
        return self.host.options.approve or self.host.settings.values.approvals.mode

    @property
    def modes(self) -> list[str]:
        """The modes that a client may choose."""
        return [*MODES[: MODES.index(self.widest_mode) + 1]]

    def find(self, session_id: str) -> ServedSession:
        """An open session; RpcError if it is not open."""
        found = self._open.get(session_id)
        if found is None:
            said = f"The session {session_id!r} is not open; session/open opens it."
            raise RpcError(REFUSED, said, {"kind": "not_open"})
        return found

    async def new(self, wanted: params.New) -> ServedSession:
        """A new session. SettingsError if it cannot be as it is wanted."""
        self._check_room()
        folder = _folder(wanted.cwd) or self.host.folder
        if folder is not None:
            await asyncio.to_thread(check_folder, folder)
        profile = wanted.profile or self.host.options.profile
        self._check(wanted)
        session = self.host.sessions.create(folder=folder, profile=profile)
        self._claims.claim(session.id)
        return self._served(session, wanted)

    async def open(self, wanted: params.Open) -> ServedSession:
        """The stored session, or the open one. StoreError if there is none, or it is in use."""
        session_id = wanted.session_id
        folder = _folder(wanted.cwd)
        if folder is not None:
            await asyncio.to_thread(check_folder, folder)
        self._check(wanted)
        async with self._guard(session_id):
            served = self._open.get(session_id)
            if served is None:
                self._check_room()
                self._claims.claim(session_id)
                try:
                    saved = await asyncio.to_thread(self.host.sessions.read, session_id)
                    served = self._served(self.host.open_session(session_id, saved))
                except BaseException:
                    self._claims.release(session_id)
                    raise
        if folder is not None and folder != served.session.folder:
            if served.is_busy:
                said = "A turn is running; the session can go to another folder when it has ended."
                raise RpcError(REFUSED, said, {"kind": "busy"})
            served.session.set_folder(folder)
        self._choose(served, wanted)
        return served

    def change(self, wanted: params.Change) -> ServedSession:
        """Other choices for an open session."""
        served = self.find(wanted.session_id)
        self._check(wanted)
        self._choose(served, wanted)
        return served

    async def close(self, session_id: str) -> None:
        """Stops its turn, stores all and gives it back; also where nobody waits for that."""
        closing = asyncio.create_task(self._close(session_id), name=f"closes {session_id}")
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
        await asyncio.shield(closing)

    async def _close(self, session_id: str) -> None:
        async with self._guard(session_id):
            served = self.find(session_id)
            served.stop()
            try:
                await self.host.sessions.let_go(session_id)
                await served.ended()
            finally:
                self._open.pop(session_id, None)
                self._claims.release(session_id)
                self._claims.changed()

    async def end(self) -> list[str]:
        """Closes all; what could not be stored comes back in words."""
        for served in self._open.values():
            served.stop()
        closing = (self.close(session_id) for session_id in list(self._open))
        problems = [
            result for result in await asyncio.gather(*closing, return_exceptions=True) if result
        ]
        for problem in problems:
            if not isinstance(problem, KinetError | RpcError):
                raise problem
        return [str(problem) for problem in problems]

    @property
    def is_busy(self) -> bool:
        """True while a turn runs."""
        return any(served.is_busy for served in self._open.values())

    def seats(self) -> list[dict[str, Any]]:
        """What is open, so that another desk can go on with it."""
        return [
            {**served.to_dict(), "is_new": served.session.is_new} for served in self._open.values()
        ]

    async def resume(self, seats: Sequence[Mapping[str, Any]]) -> None:
        """Opens what another desk had open. What cannot be opened is told in the log."""
        for seat in seats:
            try:
                await self._resume(seat)
            except (KinetError, RpcError) as exc:
                _log.warning("session %s is not open any more: %s", seat["session_id"], exc)

    async def _resume(self, seat: Mapping[str, Any]) -> None:
        session_id, mode = str(seat["session_id"]), seat["mode"]
        if not seat["is_new"]:
            wanted = params.Open(session_id=session_id)
            served = await self.open(wanted)
        else:
            folder = Path(seat["cwd"]) if seat["cwd"] else None
            session = self.host.sessions.create(
                folder, str(seat["profile"]), str(seat["title"]), session_id
            )
            session.set_preset(str(seat["preset"]))
            session.set_effort(seat["effort"])
            self._claims.claim(session_id)
            served = self._served(session)
        if mode in self.modes:
            served.use_mode(mode)

    def _served(self, session: Session, wanted: params.Choices | None = None) -> ServedSession:
        approver = approver_for(session.id, self.peer.ask, self.abilities)
        served = ServedSession(
            session,
            self.peer,
            approver,
            denies=self.widest_mode == "deny",
            changed=self._claims.changed,
        )
        if wanted is not None:
            self._choose(served, wanted)
        self._open[session.id] = served
        self._claims.opened(session)
        return served

    def _choose(self, served: ServedSession, wanted: params.Choices) -> None:
        session = served.session
        chosen: tuple[tuple[Any, Callable[[Any], object]], ...] = (
            (wanted.mode, served.use_mode),
            (wanted.profile, session.use_profile),
            (wanted.preset, session.set_preset),
            (wanted.effort, session.set_effort),
            (wanted.title, session.rename),
        )
        for value, use in chosen:
            if value is not None:
                use(value)

    def _check(self, wanted: params.Choices) -> None:
        """Everything is looked at before anything is changed."""
        options = self.host.options
        if wanted.mode is not None and wanted.mode not in self.modes:
            raise RpcError(
                WRONG_PARAMS,
                f"mode: {wanted.mode} allows more than kinet serve was given ({self.widest_mode}); "
                f"start it with --approve {wanted.mode}.",
            )
        if wanted.profile:
            if options.profile or options.base_url:
                raise RpcError(
                    WRONG_PARAMS, "profile: the command line of kinet serve names the model."
                )
            if self.host.settings.profile(wanted.profile) is None:
                names = ", ".join(item.name for item in self.host.settings.profiles()) or "none yet"
                raise RpcError(
                    WRONG_PARAMS,
                    f"profile: there is no profile {wanted.profile!r}. Profiles: {names}.",
                )
        if wanted.preset:
            try:
                self.host.sessions.parts.preset(wanted.preset)
            except SettingsError as exc:
                raise RpcError(WRONG_PARAMS, f"preset: {exc.sentence()}") from exc

    def _check_room(self) -> None:
        if len(self._open) >= MOST_OPEN:
            raise RpcError(REFUSED, f"{MOST_OPEN} sessions are open; close one first.")

    def _guard(self, session_id: str) -> asyncio.Lock:
        return self._guards.setdefault(session_id, asyncio.Lock())


def _folder(text: str | None) -> Path | None:
    """The folder that was named. RpcError if it is no absolute path, for ours is not theirs."""
    if text is None:
        return None
    folder = Path(text)
    if not folder.is_absolute() or "\0" in text:
        raise RpcError(WRONG_PARAMS, "cwd: it must be an absolute path.")
    return folder
