"""All servers of a run: which ones a session may use, how each stands, what they offer."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kinet.core.errors import ToolError
from kinet.mcp.account import AccountStore, account_key
from kinet.mcp.accounts import Accounts
from kinet.mcp.background import Background
from kinet.mcp.connection import Connection, Snapshot
from kinet.mcp.definition import ServerDefinition
from kinet.mcp.described_before import DescribedBefore
from kinet.mcp.filling import Filling
from kinet.mcp.offered import MOST_TOOLS, OfferedTool
from kinet.mcp.server_tool import ServerTool
from kinet.mcp.sign_ins import SignIns
from kinet.tools.web.web_transport import Reach

# The servers that count for a folder, read anew at each look. May read files: for a thread.
ServersFor = Callable[[Path | None], Sequence[ServerDefinition]]
_Key = tuple[str, str]
_SIGN_IN_WAYS = "Settings, Servers has a button for it; in a terminal: kinet servers sign-in {}"


@dataclass(frozen=True, slots=True)
class Standing:
    """How the servers of a session stand when a turn begins."""

    tools: tuple[ServerTool, ...] = ()
    # Names of servers that are still starting, and of those that failed with the reason.
    starting: tuple[str, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    left_out: int = 0


@dataclass(slots=True)
class _Slot:
    connection: Connection
    sessions: set[str] = field(default_factory=set)


class Servers:
    """One server of a folder runs once, for all sessions on that folder. Any thread may ask."""

    def __init__(
        self,
        servers_for: ServersFor,
        *,
        filling: Filling | None = None,
        reach: Callable[[], Reach] = Reach,
        accounts: AccountStore | None = None,
        described: DescribedBefore | None = None,
        changed: Callable[[], None] = lambda: None,
        **timing: Any,
    ) -> None:
        """`changed` is called in a thread of its own whenever a server stands otherwise."""
        self._servers_for = servers_for
        self._filling, self._reach, self._changed = filling or Filling(), reach, changed
        self._timing = timing
        self._background = Background()
        self._described = described or DescribedBefore()
        self._accounts = Accounts(accounts, reach)
        self.sign_ins = SignIns(
            self._background, self._accounts, self._filling, reach, self._signed, self._heard
        )
        self._guard = threading.RLock()
        self._slots: dict[_Key, _Slot] = {}
        self._waiting: list[Callable[[], None]] = []
        self._closed = False

    def wake(self, session_id: str, folder: Path | None, only: str = "") -> None:
        """Starts what a session may use and is not running; returns when it has begun.

        With `only` no server of another name counts. Reads files: call it in a thread.
        """
        found = [server for server in self._servers_for(folder) if server.enabled]
        wanted = [server for server in found if only in ("", server.name)]
        with self._guard:
            if self._closed:
                return
            self._let_go_but(session_id, folder, wanted)
            for server in wanted:
                slot = self._slot(server, folder)
                slot.sessions.add(session_id)
                slot.connection.start()

    def standing(self, session_id: str) -> Standing:
        """How those stand that `wake` started for this session."""
        with self._guard:
            mine = [slot.connection for slot in self._slots.values() if session_id in slot.sessions]
        starting: list[str] = []
        failed: list[tuple[str, str]] = []
        tools: list[ServerTool] = []
        for connection in mine:
            told, name = connection.snapshot, connection.server.name
            if told.state == "ready":
                tools += [self._tool(connection, it) for it in usable(connection.server, told)]
            elif told.state == "failed":
                failed.append((name, told.reason))
            elif told.state == "sign_in":
                failed.append((name, f"{told.reason} {_SIGN_IN_WAYS.format(name)}"))
            else:
                starting.append(name)
        kept = tools[:MOST_TOOLS]
        return Standing(tuple(kept), tuple(starting), tuple(failed), len(tools) - len(kept))

    async def settled(self, session_id: str, seconds: float) -> None:
        """Returns when no server of the session starts any more, or after `seconds`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._until(lambda: not self.standing(session_id).starting)

    def snapshot(self, server: ServerDefinition, folder: Path | None) -> Snapshot:
        """How a server stands for a folder; idle if it was not started as it is defined."""
        with self._guard:
            slot = self._slots.get(_key(server, folder))
        return slot.connection.snapshot if slot is not None else Snapshot()

    async def prompt(
        self, server: ServerDefinition, folder: Path | None, name: str, words: str
    ) -> str:
        """The text of a server's prompt for what was typed after it. ToolError."""
        with self._guard:
            slot = self._slots.get(_key(server, folder))
        if slot is None:
            raise ToolError(f"{server.name} is not running yet.", hint="Try again in a moment.")
        return await asyncio.wrap_future(self._background.run(slot.connection.prompt(name, words)))

    def restart(self, server: ServerDefinition, folder: Path | None) -> None:
        """Starts a server anew, or for the first time; returns at once."""
        with self._guard:
            if self._closed:
                return
            old = self._slots.pop(_key(server, folder), None)
            slot = self._slot(server, folder)
            if old is not None:
                slot.sessions |= old.sessions
            self._end(old)
            slot.connection.start()

    def forget(self, names: Iterable[str]) -> None:
        """Ends the running servers of these names: they are defined otherwise by now."""
        gone = set(names)
        self._accounts.forget(gone)
        self.sign_ins.forget(gone)
        with self._guard:
            for key, slot in list(self._slots.items()):
                if slot.connection.server.name in gone:
                    self._end(self._slots.pop(key))

    def _signed(self, server: ServerDefinition) -> None:
        """A person signed in or out: its connections begin anew, for the sessions they have."""
        with self._guard:
            for slot in list(self._slots.values()):
                mine = slot.connection.server
                if account_key(mine) == account_key(server) and mine.name == server.name:
                    self.restart(mine, slot.connection.folder)

    def leave(self, session_id: str) -> None:
        """A session is closed: servers that nobody else uses end. Returns at once."""
        with self._guard:
            for key, slot in list(self._slots.items()):
                if session_id in slot.sessions:
                    slot.sessions.discard(session_id)
                    if not slot.sessions:
                        self._end(self._slots.pop(key))

    async def try_out(
        self,
        server: ServerDefinition,
        folder: Path | None,
        progress: Callable[[str], None] = lambda words: None,
    ) -> Snapshot:
        """Starts a server apart from all others, and ends it: how it stood. May be cancelled.

        `progress` is told each word in its order, however late this thread gets to it.
        """
        doings: deque[str] = deque()

        def changed() -> None:
            doings.append(connection.snapshot.doing)
            self._heard()

        connection = self._made(server, folder, changed, restarts=())
        last = ""

        def is_over() -> bool:
            nonlocal last
            # Asked first: what is said before the end is in `doings` by then.
            over = connection.snapshot.state in ("ready", "failed", "sign_in")
            while doings:
                if (doing := doings.popleft()) and doing != last:
                    last = doing
                    progress(doing)
            return over

        connection.start()
        try:
            await self._until(is_over)
            return connection.snapshot
        finally:
            await asyncio.shield(asyncio.wrap_future(self._background.run(connection.end())))

    def close(self) -> None:
        """Ends all servers and all that they started. Blocks for some seconds at most."""
        with self._guard:
            slots, self._closed = list(self._slots.values()), True
            self._slots.clear()
        self._background.close(_end_all([slot.connection for slot in slots]))

    async def _until(self, is_so: Callable[[], bool]) -> None:
        """Waits until `is_so`, which is asked after each change."""
        loop, changed = asyncio.get_running_loop(), asyncio.Event()

        def heard() -> None:
            with suppress(RuntimeError):  # The loop may be gone by now.
                loop.call_soon_threadsafe(changed.set)

        self._waiting.append(heard)
        try:
            while not is_so():
                await changed.wait()
                changed.clear()
        finally:
            self._waiting.remove(heard)

    def _heard(self) -> None:
        for heard in tuple(self._waiting):
            heard()
        self._changed()

    def _slot(self, server: ServerDefinition, folder: Path | None) -> _Slot:
        key = _key(server, folder)
        slot = self._slots.get(key)
        if slot is None:
            slot = self._slots[key] = _Slot(self._made(server, folder, **self._timing))
        # Switches do not need another connection.
        slot.connection.server = server
        return slot

    def _made(
        self,
        server: ServerDefinition,
        folder: Path | None,
        changed: Callable[[], None] | None = None,
        **timing: Any,
    ) -> Connection:
        return Connection(
            server,
            folder,
            self._background,
            filling=self._filling,
            reach=self._reach,
            accounts=self._accounts,
            changed=changed or self._heard,
            **timing,
        )

    def _let_go_but(
        self, session_id: str, folder: Path | None, wanted: Sequence[ServerDefinition]
    ) -> None:
        """Ends what the session used and may not any more, or is defined otherwise by now."""
        keys = {_key(server, folder) for server in wanted}
        for key, slot in list(self._slots.items()):
            if session_id in slot.sessions and key not in keys:
                slot.sessions.discard(session_id)
                if not slot.sessions:
                    self._end(self._slots.pop(key))

    def _end(self, slot: _Slot | None) -> None:
        if slot is not None:
            self._background.run(slot.connection.end())

    def _tool(self, connection: Connection, offered: OfferedTool) -> ServerTool:
        return ServerTool(connection, offered, self._background, self._described)


def usable(server: ServerDefinition, told: Snapshot) -> list[OfferedTool]:
    """The tools that are on and can be offered, in the order of their names."""
    return [it for it in told.offer.tools if not it.problem and it.name not in server.tools_off]


def merged(
    own: Sequence[ServerDefinition], brought: Sequence[ServerDefinition]
) -> tuple[ServerDefinition, ...]:
    """The person's own servers, and those of a folder whose names are free."""
    names = {server.name.casefold() for server in own}
    return (*own, *(server for server in brought if server.name.casefold() not in names))


def _key(server: ServerDefinition, folder: Path | None) -> _Key:
    return f"{server.name}\0{server.digest}", str(folder or "")


async def _end_all(connections: Sequence[Connection]) -> None:
    await asyncio.gather(*(connection.end() for connection in connections))
