"""Signs people in to servers and out again: one attempt for a server at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any

from kinet.core.errors import ToolError
from kinet.mcp.account import account_key
from kinet.mcp.accounts import Accounts
from kinet.mcp.background import Background
from kinet.mcp.definition import ServerDefinition
from kinet.mcp.filling import Filling
from kinet.mcp.sign_in import SignIn, Visit
from kinet.tools.web.web_transport import Reach


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Where a person signed in, and where that is kept: "keychain" or "session"."""

    host: str
    place: str


@dataclass(frozen=True, slots=True)
class Signing:
    """How an attempt goes: what it does, where the person has to go, or why it ended."""

    doing: str = ""
    visit: Visit | None = None
    problem: str = ""
    hint: str = ""

    @property
    def is_over(self) -> bool:
        """True if it came to nothing and is only told of."""
        return bool(self.problem)


class SignIns:
    """Any thread may ask; what is shown comes on the loop that asked."""

    def __init__(
        self,
        background: Background,
        accounts: Accounts,
        filling: Filling,
        reach: Callable[[], Reach],
        signed: Callable[[ServerDefinition], None],
        changed: Callable[[], None],
    ) -> None:
        """`signed` is called after each sign-in and sign-out."""
        self._background, self._accounts, self._filling = background, accounts, filling
        self._reach, self._signed, self._changed = reach, signed, changed
        self._running: set[str] = set()
        # Of the newest attempt for a server: its mark, and how it goes.
        self._attempts: dict[str, tuple[object, Signing]] = {}
        self._futures: dict[str, Future[None]] = {}

    def known(self, server: ServerDefinition) -> tuple[str, str]:
        """(host that signed the person in, where that is kept), ("", "") as long as none is."""
        return self._accounts.known(server)

    def signing(self, server: ServerDefinition) -> Signing | None:
        """How the attempt goes that `begin` began; None for none, and after one that went well."""
        found = self._attempts.get(_key(server))
        return found[1] if found is not None else None

    def begin(self, server: ServerDefinition) -> None:
        """Begins an attempt that goes on whoever looks; one that is going on stays as it is."""
        before = self.signing(server)
        if before is None or before.is_over:
            mark, key = object(), _key(server)
            self._attempts[key] = mark, Signing("Asking how to sign in")
            self._futures[key] = self._background.run(self._attempt(server, mark))
            self._changed()

    def give_up(self, server: ServerDefinition) -> None:
        """Ends an attempt, or takes away what is told of one that failed."""
        self._give_up(_key(server))

    def forget(self, names: Collection[str]) -> None:
        """Ends what goes on for servers of these names: they are defined otherwise by now."""
        for key in [key for key in tuple(self._attempts) if key.partition("\0")[0] in names]:
            self._give_up(key)

    def _give_up(self, key: str) -> None:
        if self._attempts.pop(key, None) is not None:
            if (future := self._futures.pop(key, None)) is not None:
                future.cancel()
            self._changed()

    async def sign_in(
        self,
        server: ServerDefinition,
        show: Callable[[Visit], None],
        does: Callable[[str], None] = lambda words: None,
    ) -> SignedIn | None:
        """Signs a person in; `show` is told where. None if the server asks for no sign-in.

        ToolError says what failed. A cancellation ends it. No browser is opened from here.
        """
        loop = asyncio.get_running_loop()

        def shown(visit: Visit) -> None:
            def take(address: str) -> bool:
                async def taken() -> bool:
                    return visit.take(address)

                return self._background.run(taken()).result()

            loop.call_soon_threadsafe(show, replace(visit, take=take))

        def told(words: str) -> None:
            loop.call_soon_threadsafe(does, words)

        return await asyncio.wrap_future(self._background.run(self._sign_in(server, shown, told)))

    async def sign_out(self, server: ServerDefinition) -> bool:
        """Forgets the sign-in; True if the authorization server ended it too."""
        return await asyncio.wrap_future(self._background.run(self._sign_out(server)))

    async def look(self, server: ServerDefinition) -> None:
        """Looks up whether there is a sign-in, for `known`."""
        await asyncio.wrap_future(self._background.run(self._look(server)))

    async def _attempt(self, server: ServerDefinition, mark: object) -> None:
        def tell(**values: Any) -> None:
            now = self._attempts.get(_key(server))
            if now is not None and now[0] is mark:
                self._attempts[_key(server)] = mark, replace(now[1], **values)
                self._changed()

        try:
            signed = await self._sign_in(
                server, lambda visit: tell(visit=visit), lambda words: tell(doing=words)
            )
        except ToolError as exc:
            tell(visit=None, problem=exc.message, hint=exc.hint)
            return
        if signed is None:
            tell(visit=None, problem=f"{server.name} asks for no sign-in.")
            return
        now = self._attempts.get(_key(server))
        if now is not None and now[0] is mark:
            self._attempts.pop(_key(server), None)
            self._changed()

    async def _sign_in(
        self, server: ServerDefinition, show: Callable[[Visit], None], does: Callable[[str], None]
    ) -> SignedIn | None:
        if not server.takes_sign_in:
            why = "is a program here" if server.kind == "stdio" else "is sent its key in headers"
            raise ToolError(f"{server.name} {why}; there is nothing to sign in to.")
        key = _key(server)
        if key in self._running:
            raise ToolError(f"A sign-in to {server.name} is going on already.")
        self._running.add(key)
        try:
            filled = await asyncio.to_thread(self._filled, server)
            account = self._accounts.of(server, filled.url)
            found = await SignIn(filled, account, self._reach(), show, does).run()
            place = await account.keep(found) if found is not None else ""
        finally:
            self._running.discard(key)
        self._signed(server)
        self._changed()
        return SignedIn(found.host, place) if found is not None else None

    async def _sign_out(self, server: ServerDefinition) -> bool:
        filled = await asyncio.to_thread(self._filling.filled, server)
        ended = await self._accounts.of(server, filled.url).sign_out()
        self._signed(server)
        self._changed()
        return ended

    async def _look(self, server: ServerDefinition) -> None:
        filled = await asyncio.to_thread(self._filling.filled, server)
        await self._accounts.of(server, filled.url).load()

    def _filled(self, server: ServerDefinition) -> ServerDefinition:
        oauth = self._filling.filled_oauth(server)
        return replace(self._filling.filled(server), oauth=oauth)


def _key(server: ServerDefinition) -> str:
    return f"{server.name}\0{account_key(server)}"
