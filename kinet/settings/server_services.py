"""Tool servers as a face lists, tries, adds, changes, switches and removes them."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinet.core.errors import SettingsError, ToolError
from kinet.settings.fields import OFF_KEY
from kinet.settings.server_entries import (
    entry_trouble,
    forget_values,
    without_secrets,
)
from kinet.settings.server_prompts import ServerPrompts
from kinet.settings.server_rows import (
    ServerRow,
    ServerState,
    ToolRow,
    Tried,
    rows_for,
    tool_rows,
)
from kinet.settings.server_saving import change_servers, forget_account, forget_unused, keep_servers
from kinet.settings.server_sign_ins import ServerSignIns

if TYPE_CHECKING:
    from concurrent.futures import Future

    from kinet.settings.secrets import Keychain, KeyPlace
    from kinet.settings.store import SettingsStore
    from kinet.settings.tool_servers import ToolServerBook

_SIGN_IN_LATER = "Save it; its row has a button for that then."
__all__ = ["ServerRow", "ServerServices", "ServerState", "ToolRow", "Tried"]


class ServerServices:
    """What the window shows of tool servers. Coroutines do their work in threads."""

    def __init__(self, settings: SettingsStore, keychain: Keychain, book: ToolServerBook) -> None:
        self._settings, self._keychain, self._book = settings, keychain, book
        self.sign_ins, self.prompts = ServerSignIns(book), ServerPrompts(book)
        # Entries that were removed and may come back.
        self._removed: dict[str, Mapping[str, Any]] = {}

    async def rows(self, folder: Path | None) -> Sequence[ServerRow]:
        """The person's own servers in their order, then those of the folder. Starts nothing."""
        off = self._settings.values.mcp.folder_off
        return await asyncio.to_thread(rows_for, self._book, folder, off)

    def wake(self, session_id: str, folder: Path | None) -> None:
        """Starts the servers of a session whose first message is being written. For a thread."""
        self._book.wake(session_id, folder)

    def leave(self, session_id: str) -> None:
        """A session that `wake` was told of needs none of them any more. Returns at once."""
        self._book.leave(session_id)

    def on_change(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Calls back on the running loop after a change, once for many. Returns what ends that."""
        loop = asyncio.get_running_loop()
        waiting = False

        def tell() -> None:
            nonlocal waiting
            waiting = False
            callback()

        def heard(key: str = "") -> None:
            nonlocal waiting
            if not waiting and not loop.is_closed():
                waiting = True
                loop.call_soon_threadsafe(tell)

        ends = (
            self._book.on_change(heard),
            self._settings.on_change(lambda key: heard() if key.startswith("mcp") else None),
        )

        def end() -> None:
            for stop in ends:
                stop()

        return end

    def entry(self, name: str) -> Mapping[str, Any]:
        """The entry as it is stored; {} if there is none."""
        return dict(self._settings.values.mcp.servers.get(name, {}))

    def check(self, name: str, entry: Mapping[str, Any], *, old_name: str = "") -> str:
        """What `save` would complain about, "" for nothing."""
        trouble = entry_trouble(name, entry)
        if trouble and not trouble.startswith("in plain text"):
            return f"{trouble}."
        known = {key.casefold() for key in self._settings.values.mcp.servers if key != old_name}
        return f"There is a server {name} already." if name.casefold() in known else ""

    def parse(self, text: str) -> Mapping[str, Mapping[str, Any]]:
        """The entries in a pasted text, in any of the usual forms; name "" for a bare one.

        SettingsError says what is wrong.
        """
        try:
            raw = json.loads(text)
        except json.JSONDecodeError as exc:
            raise SettingsError(
                f"Line {exc.lineno}: this is not JSON ({exc.msg}, column {exc.colno}).",
                hint="Paste the whole text.",
            ) from exc
        except RecursionError as exc:
            raise SettingsError("This is nested too deeply.") from exc
        if not isinstance(raw, dict):
            raise SettingsError("A server is described by names and values in braces.")
        for key in ("mcpServers", "servers"):
            if isinstance(raw.get(key), dict):
                raw = raw[key]
                break
        if "command" in raw or "url" in raw:
            raw = {"": raw}
        if not raw or not all(isinstance(entry, dict) for entry in raw.values()):
            raise SettingsError(
                "No server is described here.", hint='Such as {"name": {"command": "…"}}.'
            )
        return {str(name): dict(entry) for name, entry in raw.items()}

    def line_of(self, entry: Mapping[str, Any]) -> str:
        """The command line or address of an entry that is not kept yet; "" if it has none."""
        from kinet.mcp.definition import read_definition

        try:
            return read_definition("server", entry).line
        except ValueError:
            return ""

    def is_secret(self, kind: str, name: str, value: str) -> bool:
        """True if `save` would put this value into the keychain by itself."""
        from kinet.mcp.secret_values import is_secret

        return is_secret(name, value)

    async def save(
        self,
        name: str,
        entry: Mapping[str, Any],
        *,
        old_name: str = "",
        secrets: Collection[str] = (),
    ) -> KeyPlace:
        """Adds or replaces a server; says where its secrets are kept. SettingsError."""
        if trouble := self.check(name, entry, old_name=old_name or name):
            raise SettingsError(trouble, hint="Nothing was changed.")
        return await asyncio.to_thread(self._save, name, dict(entry), old_name, secrets)

    async def remove(self, name: str) -> None:
        """Removes a server. What the keychain holds for it goes with `forget_removed`."""
        self._removed[name] = self.entry(name)
        await _kept(keep_servers(self._settings, lambda servers: servers.pop(name, None)))
        self._book.forget((name,))

    async def put_back(self, name: str, entry: Mapping[str, Any], before: str = "") -> None:
        """Takes a removal back. Servers stand in the order of their names, so `before` is known."""
        back = dict(entry)
        await _kept(keep_servers(self._settings, lambda servers: servers.setdefault(name, back)))
        self._removed.pop(name, None)

    async def forget_removed(self) -> None:
        """What the keychain holds for servers that were removed, and are not back, goes."""
        gone, self._removed = self._removed, {}
        for name, entry in gone.items():
            if not self.entry(name):
                await asyncio.to_thread(forget_values, name, entry, self._keychain)
                await asyncio.to_thread(forget_account, self._book.accounts, name, entry)

    async def switch(self, name: str, on: bool, *, folder: Path | None = None) -> None:
        """Uses a server, or does not; with `folder` one that the folder brings along."""
        if folder is not None:
            from kinet.mcp.folder_servers import off_key

            off = _off_without(self._settings, folder, name, tools=False)
            off = off if on else [*off, off_key(str(folder), name)]
            await _kept(self._settings.keep(OFF_KEY, off))
            if not on:
                self._book.forget((name,))
            return

        def change(servers: dict[str, Any]) -> None:
            if isinstance(entry := servers.get(name), dict):
                entry.pop("disabled", None)
                entry["enabled"] = on

        await _kept(keep_servers(self._settings, change))
        if not on:
            self._book.forget((name,))

    async def switch_tool(
        self, name: str, tool: str, on: bool, *, folder: Path | None = None
    ) -> None:
        """Offers one tool of a server, or does not, from the next turn on."""
        off = await asyncio.to_thread(_tools_off, self._book, name, folder)
        await self.switch_tools(name, off - {tool} if on else off | {tool}, folder=folder)

    async def switch_tools(
        self, name: str, off: Collection[str], *, folder: Path | None = None
    ) -> None:
        """Says which tools of a server are not offered; all others are."""
        listed = sorted(set(off))
        if folder is not None:
            from kinet.mcp.folder_servers import off_key

            kept = _off_without(self._settings, folder, name, tools=True)
            keys = [off_key(str(folder), name, tool) for tool in listed]
            await _kept(self._settings.keep(OFF_KEY, [*kept, *keys]))
            return

        def change(servers: dict[str, Any]) -> None:
            if isinstance(entry := servers.get(name), dict):
                entry["tools_off"] = listed

        await _kept(keep_servers(self._settings, change))

    async def restart(self, name: str, folder: Path | None) -> None:
        """Starts a server anew, or for the first time; returns at once."""
        found = await asyncio.to_thread(self._book.servers_for, folder)
        for server in found:
            if server.name == name:
                self._book.servers.restart(server, folder)

    async def try_out(
        self,
        name: str,
        entry: Mapping[str, Any],
        folder: Path | None,
        *,
        progress: Callable[[str], None] = lambda words: None,
    ) -> Tried:
        """Starts a server apart, lists its tools and ends it. A cancellation ends it too.

        Values may be plain text still, or "${keychain}" for what is kept under this name.
        `progress` is told what goes on.
        """
        from kinet.mcp.definition import read_definition

        began = time.monotonic()
        trouble = entry_trouble(name or "server", entry)
        if trouble and not trouble.startswith("in plain text"):
            return Tried(False, f"{trouble}.")
        server = read_definition(name or "server", entry)
        try:
            told = await self._book.servers.try_out(server, folder, progress)
        except ToolError as exc:
            return Tried(False, exc.message, exc.hint)
        return Tried(
            told.state == "ready",
            told.reason,
            _SIGN_IN_LATER if told.state == "sign_in" else told.hint,
            told.stderr,
            told.exit_code,
            told.title,
            tool_rows(server, told),
            told.offer.notes,
            time.monotonic() - began,
        )

    def _save(
        self, name: str, entry: dict[str, Any], old_name: str, marked: Collection[str]
    ) -> KeyPlace:
        before = self.entry(old_name or name)
        written, place = without_secrets(
            name, entry, self._keychain, old_name=old_name, marked=marked
        )

        def change(servers: dict[str, Any]) -> None:
            if old_name and old_name != name and old_name in servers:
                # It keeps its place.
                listed = [(name if key == old_name else key, servers[key]) for key in servers]
                servers.clear()
                servers.update(listed)
            servers[name] = written

        change_servers(self._settings, change)
        self._book.forget((name, old_name))
        forget_account(self._book.accounts, old_name or name, before, name, written)
        if old_name and old_name != name:
            forget_values(old_name, before, self._keychain)
        else:
            forget_unused(self._keychain, name, before, written)
        return place


async def _kept(future: Future[None]) -> None:
    """Returns when it is on the disk. To stop waiting does not take it back."""
    await asyncio.shield(asyncio.wrap_future(future))


def _tools_off(book: ToolServerBook, name: str, folder: Path | None) -> frozenset[str]:
    for server in book.servers_for(folder):
        if server.name == name:
            return server.tools_off
    return frozenset()


def _off_without(settings: SettingsStore, folder: Path, name: str, *, tools: bool) -> list[str]:
    """What is off of folders' servers but for this server, or with `tools` but for its tools."""
    from kinet.mcp.folder_servers import off_key

    head = off_key(str(folder), name)
    off = settings.values.mcp.folder_off
    return [key for key in off if not (key.startswith(f"{head}/") if tools else key == head)]
