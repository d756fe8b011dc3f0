"""Servers for tests of the window: a list that is changed by hand, and trials that are scripted."""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kinet.core.errors import SettingsError


@dataclass(frozen=True)
class Tool:
    """A tool as the list shows it."""

    name: str
    description: str = ""
    tokens: int = 120
    on: bool = True
    call_name: str = ""
    title: str = ""
    read_only: bool = False
    destructive: bool = False
    problem: str = ""


@dataclass(frozen=True)
class Server:
    """A server as the list shows it."""

    name: str
    line: str = "npx -y some-server"
    state: str = "idle"
    place: str = "own"
    kind: str = "stdio"
    enabled: bool = True
    reason: str = ""
    hint: str = ""
    stderr: str = ""
    exit_code: int | None = None
    title: str = ""
    tools: tuple[Tool, ...] = ()
    tokens: int = 0
    notes: tuple[str, ...] = ()
    folder: str = ""
    signed_in: str = ""
    kept: str = ""
    wants: str = ""
    signing: Any = None
    takes_sign_in: bool = False
    prompts: tuple[Any, ...] = ()


@dataclass
class FakeSignIns:
    """Notes what was asked of it."""

    done: list[tuple[Any, ...]]
    ended: bool = True
    refusal: str = ""

    async def begin(self, name: str, folder: Path | None) -> None:
        self.done.append(("begin", name, folder))

    async def give_up(self, name: str, folder: Path | None) -> None:
        self.done.append(("give_up", name, folder))

    async def sign_out(self, name: str, folder: Path | None) -> bool:
        if self.refusal:
            raise SettingsError(self.refusal)
        self.done.append(("sign_out", name, folder))
        return self.ended


@dataclass
class FakePrompts:
    """Says `said`."""

    done: list[tuple[Any, ...]]
    said: str = "Review all."
    refusal: str = ""

    async def text(self, server: str, prompt: str, words: str, folder: Path | None) -> str:
        self.done.append(("prompt", server, prompt, words))
        await asyncio.sleep(0)
        if self.refusal:
            raise SettingsError(self.refusal)
        return self.said


@dataclass(frozen=True)
class Tried:
    """How a trial went."""

    ok: bool = True
    reason: str = ""
    hint: str = ""
    stderr: str = ""
    exit_code: int | None = None
    title: str = "docs 1.2"
    tools: tuple[Tool, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.4


async def works(progress: Callable[[str], None]) -> Tried:
    """A trial that goes well at once."""
    progress("Starting the program")
    return Tried(tools=(Tool("search"), Tool("fetch")))


@dataclass
class FakeServers:
    """Keeps `servers` and `entries`, and `done`, what was asked of it."""

    servers: list[Server] = field(default_factory=list)
    entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    done: list[tuple[Any, ...]] = field(default_factory=list)
    trial: Callable[[Callable[[str], None]], Awaitable[Tried]] = works
    refusal: str = ""
    secrets: dict[str, set[str]] = field(default_factory=dict)
    place: str = "keychain"
    _callbacks: list[Callable[[], None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.sign_ins, self.prompts = FakeSignIns(self.done), FakePrompts(self.done)

    async def rows(self, folder: Path | None) -> Sequence[Server]:
        await asyncio.sleep(0)
        return [row for row in self.servers if row.place == "own" or folder is not None]

    def on_change(self, callback: Callable[[], None]) -> Callable[[], None]:
        self._callbacks.append(callback)
        return lambda: self._callbacks.remove(callback)

    @property
    def listeners(self) -> int:
        """How many listen."""
        return len(self._callbacks)

    def change(self, name: str, **values: Any) -> None:
        """Something happened to a server."""
        self.servers = [replace(row, **values) if row.name == name else row for row in self.servers]
        for callback in list(self._callbacks):
            callback()

    def entry(self, name: str) -> Mapping[str, Any]:
        return self.entries.get(name, {})

    def check(self, name: str, entry: Mapping[str, Any], *, old_name: str = "") -> str:
        if not name.replace("-", "").replace("_", "").isalnum():
            return f"“{name}” cannot be the name of a server."
        return (
            "There is a server of this name." if name != old_name and name in self.entries else ""
        )

    def parse(self, text: str) -> Mapping[str, Mapping[str, Any]]:
        try:
            raw = json.loads(text)
        except ValueError as exc:
            raise SettingsError(f"Line {getattr(exc, 'lineno', 1)}: a comma is missing.") from exc
        if "command" in raw or "url" in raw:
            return {"": raw}
        read: Mapping[str, Mapping[str, Any]] = raw.get("mcpServers", raw)
        return read

    def line_of(self, entry: Mapping[str, Any]) -> str:
        if "url" in entry:
            return str(entry["url"])
        sets = f"  (sets {', '.join(entry['env'])})" if entry.get("env") else ""
        return shlex.join([str(entry.get("command")), *entry.get("args", ())]) + sets

    def is_secret(self, kind: str, name: str, value: str) -> bool:
        return "token" in name.lower() or name == "Authorization"

    async def save(
        self,
        name: str,
        entry: Mapping[str, Any],
        *,
        old_name: str = "",
        secrets: Collection[str] = (),
    ) -> str:
        self._refuse()
        self.entries.pop(old_name, None)
        self.entries[name] = dict(entry)
        self.secrets[name] = set(secrets)
        self.servers = [row for row in self.servers if row.name not in (name, old_name)]
        self.servers.append(Server(name, self.line_of(entry)))
        return self.place

    async def remove(self, name: str) -> None:
        self._refuse()
        self.done.append(("remove", name))
        self.entries.pop(name, None)
        self.servers = [row for row in self.servers if row.name != name]

    async def put_back(self, name: str, entry: Mapping[str, Any], before: str = "") -> None:
        self.entries[name] = dict(entry)
        names = [row.name for row in self.servers]
        place = names.index(before) if before in names else len(names)
        self.servers.insert(place, Server(name, self.line_of(entry)))
        self.done.append(("put_back", name, before))

    async def forget_removed(self) -> None:
        self.done.append(("forget_removed",))

    async def switch(self, name: str, on: bool, *, folder: Path | None = None) -> None:
        self._refuse()
        self.done.append(("switch", name, on, folder))
        self.change(name, enabled=on, state="idle" if on else "off")

    async def switch_tool(
        self, name: str, tool: str, on: bool, *, folder: Path | None = None
    ) -> None:
        self.done.append(("switch_tool", name, tool, on, folder))
        self._turn(name, lambda item: on if item.name == tool else item.on)

    async def switch_tools(
        self, name: str, off: Collection[str], *, folder: Path | None = None
    ) -> None:
        self.done.append(("switch_tools", name, tuple(off), folder))
        self._turn(name, lambda item: item.name not in off)

    def wake(self, session_id: str, folder: Path | None) -> None:
        self.done.append(("wake", session_id, folder))

    def leave(self, session_id: str) -> None:
        self.done.append(("leave", session_id))

    async def restart(self, name: str, folder: Path | None) -> None:
        self.done.append(("restart", name, folder))
        self.change(name, state="starting", reason="", stderr="", exit_code=None)

    async def try_out(
        self,
        name: str,
        entry: Mapping[str, Any],
        folder: Path | None,
        *,
        progress: Callable[[str], None],
    ) -> Tried:
        self.done.append(("try_out", name, dict(entry), folder))
        return await self.trial(progress)

    def _turn(self, name: str, on: Callable[[Tool], bool]) -> None:
        (row,) = (row for row in self.servers if row.name == name)
        self.change(name, tools=tuple(replace(tool, on=on(tool)) for tool in row.tools))

    def _refuse(self) -> None:
        if self.refusal:
            raise SettingsError(self.refusal)
