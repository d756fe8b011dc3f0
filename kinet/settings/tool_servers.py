"""The tool servers of a run as the settings and the folders' trust have them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kinet.core.errors import SettingsError
from kinet.settings.server_accounts import KeychainAccounts
from kinet.settings.server_entries import kept_value
from kinet.settings.web_reach import web_reach

if TYPE_CHECKING:
    from kinet.mcp.connection import Snapshot
    from kinet.mcp.definition import ServerDefinition
    from kinet.mcp.servers import Servers, Standing
    from kinet.mcp.sign_ins import Signing
    from kinet.settings.secrets import Keychain
    from kinet.settings.store import SettingsStore
    from kinet.tools.web.web_transport import Reach

# Seconds that a run without a next turn waits for its servers.
LONGEST_START = 30.0
# The text of a folder's list of servers, "" for none; and whether it may be used. May read files.
FolderList = Callable[[Path | None], tuple[str, bool]]


class ToolServerBook:
    """Starts servers for sessions. Nothing of them is imported before there is one to start."""

    def __init__(
        self,
        settings: SettingsStore,
        keychain: Keychain,
        folder_list: FolderList,
        *,
        wait_seconds: float = 0.0,
        accounts: KeychainAccounts | None = None,
    ) -> None:
        """`wait_seconds` is how long a turn waits for its servers: where there is no next one.

        `accounts` are sign-ins shared with another book of the same program.
        """
        self._settings, self._keychain, self._folder_list = settings, keychain, folder_list
        self.wait_seconds = wait_seconds
        self.accounts = accounts or KeychainAccounts(keychain, settings.path.parent)
        self._guard = threading.Lock()
        self._servers: Servers | None = None
        self._listeners: list[Callable[[], None]] = []
        self._closed = False

    def own(self) -> tuple[ServerDefinition, ...]:
        """The person's own servers, in their order."""
        entries = self._settings.values.mcp.servers
        if not entries:
            return ()
        from kinet.mcp.definition import read_definition

        return tuple(read_definition(name, entry) for name, entry in entries.items())

    def servers_for(self, folder: Path | None) -> Sequence[ServerDefinition]:
        """Those a session on this folder may use, also switched-off ones. Reads files."""
        text, trusted = self._folder_list(folder)
        if not text or not trusted:
            return self.own()
        from kinet.mcp.folder_servers import folder_servers
        from kinet.mcp.servers import merged

        off = self._settings.values.mcp.folder_off
        return merged(self.own(), folder_servers(text, str(folder), off).servers)

    async def named(self, name: str, folder: Path | None) -> ServerDefinition:
        """The server of this name that counts for a folder. SettingsError if there is none."""
        found = await asyncio.to_thread(self.servers_for, folder)
        for server in found:
            if server.name == name:
                return server
        known = ", ".join(server.name for server in found)
        raise SettingsError(
            f"There is no server {name}.", hint=f"There are: {known}." if known else ""
        )

    def folder_text(self, folder: Path | None) -> tuple[str, bool]:
        """The text of a folder's list, and whether it may be used. Reads files."""
        return self._folder_list(folder)

    def wake(self, session_id: str, folder: Path | None, only: str = "") -> None:
        """Starts what a session may use, and ends what it may not any more. For a thread.

        With `only` no server of another name counts.
        """
        with self._guard:
            begun = self._servers is not None
        if begun or any(server.enabled for server in self.servers_for(folder)):
            self.servers.wake(session_id, folder, only)

    def standing(self, session_id: str) -> Standing | None:
        """How the servers of a session stand; None while there are none."""
        servers = self._servers
        return servers.standing(session_id) if servers is not None else None

    async def settled(self, session_id: str) -> None:
        """Waits for the servers of a session where a turn does wait for them."""
        if self.wait_seconds and self._servers is not None:
            await self._servers.settled(session_id, self.wait_seconds)

    def snapshot(self, server: ServerDefinition, folder: Path | None) -> Snapshot | None:
        """How a server stands for a folder; None while none was started."""
        return self._servers.snapshot(server, folder) if self._servers is not None else None

    def signed_in(self, server: ServerDefinition) -> tuple[str, str]:
        """(host that signed the person in, where that is kept) as far as it was needed yet."""
        return self._servers.sign_ins.known(server) if self._servers is not None else ("", "")

    def signing(self, server: ServerDefinition) -> Signing | None:
        """How an attempt to sign in goes, None for none."""
        return self._servers.sign_ins.signing(server) if self._servers is not None else None

    def forget(self, names: Sequence[str]) -> None:
        """Ends the running servers of these names; they start anew with the next turn."""
        if self._servers is not None:
            self._servers.forget(names)

    def leave(self, session_id: str) -> None:
        """The session is closed."""
        if self._servers is not None:
            self._servers.leave(session_id)

    @property
    def servers(self) -> Servers:
        """The servers, made with the first one that is needed."""
        from kinet.mcp.described_before import FILE, DescribedBefore
        from kinet.mcp.filling import Filling
        from kinet.mcp.servers import Servers

        with self._guard:
            if self._servers is None:
                filling = Filling(lambda *of: kept_value(self._keychain, *of))
                self._servers = Servers(
                    self.servers_for,
                    filling=filling,
                    reach=self._reach,
                    accounts=self.accounts,
                    described=DescribedBefore(self._settings.path.parent / FILE),
                    changed=self.changed,
                )
                if self._closed:
                    self._servers.close()
            return self._servers

    def on_change(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Calls back, in any thread, when a server stands otherwise. Returns what ends that."""
        self._listeners.append(callback)
        return lambda: self._listeners.remove(callback)

    def changed(self) -> None:
        """Tells all who listen."""
        for callback in tuple(self._listeners):
            callback()

    def close(self) -> None:
        """Ends all servers with what they started. Blocks for some seconds at most."""
        with self._guard:
            self._closed = True
        if self._servers is not None:
            self._servers.close()

    def _reach(self) -> Reach:
        from dataclasses import replace

        network = self._settings.values.network
        return replace(web_reach(network), local_permits=frozenset(network.local_permits))
