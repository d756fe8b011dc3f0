"""What the holder of a data folder does for commands that find it in use."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from kinet.core.approval import ApprovalRequest, Decision
from kinet.core.errors import StoreError
from kinet.core.events import Event, to_json
from kinet.session.watched import WatchedSession

if TYPE_CHECKING:
    from kinet.local.handover import Exchange, Message
    from kinet.memory.facts import FactBook
    from kinet.session.manager import SessionManager
    from kinet.session.session import Session
    from kinet.store.sessions import SessionStore


# What a start of the window is told that may take the data folder itself.
GIVEN_UP = "given up"
_LOOK_SECONDS = 0.1


class Guest(Protocol):
    """A runtime for one turn with the options of a command."""

    def open_session(self, session_id: str | None = None) -> Session:
        """The session of this id, or a new one."""
        ...

    def newest_session_id(self) -> str:
        """The newest session on the command's folder, else of all; "" for none."""
        ...

    def warm_up(self) -> None:
        """Imports what a turn needs; for a thread, since a window turns meanwhile."""
        ...

    async def close(self) -> None:
        """Ends the turn, and all that only it needed."""
        ...


class OwnerWork:
    """`show` brings the window forward with a session ("" for none); `changed` shows the list anew.

    `serve` does what a client of `kinet serve` asks, until that has gone. Sessions a command works
    on are in `elsewhere` meanwhile and are not opened a second time, but can be watched. `leave`
    is for an owner without a window: where one is to be opened, it gives the data folder up, or
    says no.
    """

    def __init__(
        self,
        sessions: SessionManager,
        facts: FactBook,
        guest: Callable[[Mapping[str, Any]], Guest],
        show: Callable[[str], object],
        changed: Callable[[], object],
        serve: ServeGuest,
        leave: Callable[[], bool] | None = None,
    ) -> None:
        self._sessions, self._facts, self._guest = sessions, facts, guest
        self._show, self.changed, self._serve = show, changed, serve
        self._leave = leave
        # The folder was given up, for a window.
        self.is_leaving = False
        self._turns = 0
        self._guests: set[GuestClaims] = set()
        # By id; None as long as one is being opened.
        self.elsewhere: dict[str, Session | None] = {}
        sessions.elsewhere = self.elsewhere.keys()
        self._watched: dict[str, list[WatchedSession]] = {}

    @property
    def is_busy(self) -> bool:
        """True while something is done for a command or a client."""
        return self._turns > 0 or any(guest.is_busy for guest in self._guests)

    async def quiet(self) -> None:
        """Returns when nothing is done for others any more."""
        while True:
            # Turns end in many places; nobody is told of each.
            if not self.is_busy:
                return
            await asyncio.sleep(_LOOK_SECONDS)

    async def do(self, exchange: Exchange, message: Message) -> None:
        """Does one piece of work and tells how it went. KinetError where it cannot be done."""
        match message.get("verb"):
            case "show":
                done = self._given_up()
                if not done:
                    self._show(str(message.get("session", "")))
                await exchange.tell({"done": done})
            case "run":
                self._turns += 1
                try:
                    await self._run(exchange, message)
                finally:
                    self._turns -= 1
            case "serve":
                claims = GuestClaims(self)
                self._guests.add(claims)
                try:
                    await self._serve(message, exchange, claims)
                finally:
                    self._guests.discard(claims)
                    claims.end()
            case "memory":
                done = self._memory(message)
                self._sessions.refresh_memory()
                await exchange.tell({"done": done})
            case "sessions":
                done = await asyncio.to_thread(self._stored, message)
                self.changed()
                await exchange.tell({"done": done})
            case other:
                raise StoreError(
                    f"The open window does not know how to do {other!r}.",
                    hint="It may be an older Kinet: close it and start it again.",
                )

    def _given_up(self) -> str:
        """GIVEN_UP for an owner that goes away for a window; "" if there is a window here."""
        if self._leave is None:
            return ""
        if self.is_busy or not self._leave():
            raise StoreError(
                f"kinet serve (process {os.getpid()}) is at work for an editor or a script.",
                hint="Open the window when its turn has ended.",
            )
        self.is_leaving = True
        return GIVEN_UP

    async def _run(self, exchange: Exchange, message: Message) -> None:
        guest = self._guest(message)
        session: Session | None = None
        try:
            wanted = str(message.get("session", ""))
            if not wanted and message.get("resume"):
                wanted = guest.newest_session_id()
            self.check_free(wanted)
            session = guest.open_session(wanted or None)
            self.elsewhere[session.id] = session
            await asyncio.to_thread(guest.warm_up)
            await self._turn(exchange, session, message)
        finally:
            await guest.close()
            if session is not None:
                self.free(session.id)
            self.changed()

    async def _turn(self, exchange: Exchange, session: Session, message: Message) -> None:
        approver = _Caller(exchange)
        listening = asyncio.ensure_future(approver.listen(session.stop))
        files = [Path(name) for name in message.get("attachments", ())]
        listed = False
        try:
            sending = session.send(str(message.get("text", "")), approver, files)
            async with aclosing(sending) as events:
                async for event in events:
                    if not listening.done():
                        # A command that was ended stops its turn; the turn still ends in order.
                        await exchange.tell({"event": to_json(event)})
                    if not listed and type(event).__name__ == "MessageCompleted":
                        listed = True
                        self.changed()
        finally:
            listening.cancel()

    def check_free(self, session_id: str) -> None:
        """StoreError if a session is open somewhere, "" never is."""
        if session_id in self.elsewhere or self._sessions.is_open(session_id):
            raise StoreError(
                "This session is open in another Kinet.",
                hint="Go on there, or begin another one.",
            )

    def watch(self, session_id: str, loaded: list[Event]) -> WatchedSession | None:
        """A session that somebody works on, to be read; None for any other."""
        session = self.elsewhere.get(session_id)
        if session is None:
            return None
        watched = WatchedSession(session, loaded)
        self._watched.setdefault(session_id, []).append(watched)
        return watched

    def free(self, session_id: str) -> None:
        """Nobody works on it any more: who reads it may open it."""
        self.elsewhere.pop(session_id, None)
        for watched in self._watched.pop(session_id, ()):
            watched.left()

    def _memory(self, message: Message) -> Any:
        text = str(message.get("text", ""))
        match message.get("act"):
            case "add":
                folder = message.get("folder")
                fact = self._facts.add(text, Path(folder) if folder else None)
                return fact.to_dict()
            case "delete":
                return self._facts.delete(text)
            case _:
                return self._facts.import_text(text)

    def _stored(self, message: Message) -> Any:
        session_id, store = str(message.get("id", "")), self._sessions.parts.store
        if message.get("act") != "import" and store.row(session_id) is None:
            raise StoreError(
                f"There is no session {session_id!r}.", hint="kinet sessions list shows them."
            )
        match message.get("act"):
            case "delete":
                self.check_free(session_id)
                self._sessions.delete(session_id)
            case "restore":
                self._sessions.restore(session_id)
            case _:
                return self._imported(message, store)
        return session_id

    def _imported(self, message: Message, store: SessionStore) -> Any:
        from kinet.session.archive import import_from, text_source

        name, before = str(message.get("file", "")), self._facts.list()
        try:
            with open(name, "rb") if name else text_source(str(message.get("text"))) as source:
                report = import_from(source, store, self._facts)
        except OSError as exc:
            raise StoreError(f"{name} cannot be read: {exc.strerror or exc}.") from exc
        if self._facts.list() != before:
            self._sessions.refresh_memory()
        return asdict(report)


class GuestClaims:
    """The sessions that one client of `kinet serve` has open."""

    def __init__(self, work: OwnerWork) -> None:
        self._work = work
        self._claimed: set[str] = set()
        self.server: Any = None

    @property
    def is_busy(self) -> bool:
        """True while something is done for this client."""
        return self.server is not None and self.server.is_busy

    @property
    def is_leaving(self) -> bool:
        """True if the owner gives the folder to a window that is about to open."""
        return self._work.is_leaving

    def claim(self, session_id: str) -> None:
        """Takes a session. StoreError if it is open elsewhere."""
        self._work.check_free(session_id)
        self._work.elsewhere[session_id] = None
        self._claimed.add(session_id)

    def opened(self, session: Session) -> None:
        """It can be watched from now on."""
        self._work.elsewhere[session.id] = session

    def release(self, session_id: str) -> None:
        """Gives it back."""
        self._claimed.discard(session_id)
        self._work.free(session_id)

    def changed(self) -> None:
        """The list of sessions is another one."""
        self._work.changed()

    def end(self) -> None:
        """Gives all of them back."""
        for session_id in list(self._claimed):
            self.release(session_id)
        self.changed()


ServeGuest = Callable[["Message", "Exchange", GuestClaims], Awaitable[None]]


class _Caller:
    """Asks whoever started the command; when that one is gone, the turn is stopped."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._answers: dict[str, asyncio.Future[Decision]] = {}

    async def ask(self, request: ApprovalRequest) -> Decision:
        """The decision that comes back over the line."""
        answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._answers[request.id] = answer
        await self._exchange.tell({"ask": request.to_dict()})
        try:
            return await answer
        finally:
            del self._answers[request.id]

    async def listen(self, stop: Callable[[], object]) -> None:
        """Takes answers and the word to stop, until the other side ends."""
        async for message in self._exchange.messages():
            if message.get("stop"):
                stop()
            waiting = self._answers.get(str(message.get("id", "")))
            if waiting is not None and not waiting.done():
                waiting.set_result(Decision.from_dict(message["answer"]))
        stop()
