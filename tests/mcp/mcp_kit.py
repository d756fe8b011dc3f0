"""Servers of all kinds, started as a session starts them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from kinet.mcp.definition import ServerDefinition, read_definition
from kinet.mcp.server_tool import ServerTool
from kinet.mcp.servers import Servers, Standing
from kinet.policy.gate import grant_for
from kinet.tools.base import ToolContext, ToolOutput

ODD = Path(__file__).with_name("odd_server.py")
SESSION = "session"


def odd(mode: str = "good", *notes: Path, **fields: Any) -> dict[str, Any]:
    """The entry of the server that behaves as `mode` says."""
    return {"command": sys.executable, "args": [str(ODD), mode, *map(str, notes)], **fields}


def is_alive(pid: int) -> bool:
    """True while a process runs; one that only waits to be fetched does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Kit:
    """Starts servers for one session, and ends them with the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.entries: dict[str, Mapping[str, Any]] = {}
        self.timing: dict[str, Any] = {"restarts": (0.0, 0.0), "start_seconds": 20.0}
        self.fields: dict[str, Any] = {}
        self._made: Servers | None = None

    @property
    def servers(self) -> Servers:
        if self._made is None:
            self._made = Servers(self._definitions, **self.fields, **self.timing)
        return self._made

    def _definitions(self, folder: Path | None) -> list[ServerDefinition]:
        return [read_definition(name, entry) for name, entry in self.entries.items()]

    def definition(self, name: str) -> ServerDefinition:
        return read_definition(name, self.entries[name])

    async def start(self, **entries: Mapping[str, Any]) -> Standing:
        """How they stand when none of them starts any more."""
        self.entries |= entries
        await asyncio.to_thread(self.servers.wake, SESSION, self.folder)
        await self.servers.settled(SESSION, 30.0)
        return self.servers.standing(SESSION)

    async def tool(self, name: str) -> ServerTool:
        """The tool the model would call so."""
        standing = self.servers.standing(SESSION)
        found = [it for it in standing.tools if it.name == name]
        assert found, (name, standing)
        return found[0]

    async def call(
        self, name: str, progress: Callable[[str], None] = lambda text: None, **values: Any
    ) -> ToolOutput:
        """Calls a tool as if it had been approved."""
        tool = await self.tool(name)
        arguments = tool.arguments.model_validate(values)
        grant = grant_for(tool.name, arguments.model_dump(), (tool.definition,))
        context = ToolContext(self.folder, grant=grant, progress=progress)
        return await tool.run(arguments, context)

    async def until(self, is_so: Callable[[], object], seconds: float = 20.0) -> None:
        """Waits for something the server does in its own time."""
        async with asyncio.timeout(seconds):
            while not is_so():  # noqa: ASYNC110 - another process has no event to wait for
                await asyncio.sleep(0.02)

    async def end(self) -> None:
        if self._made is not None:
            await asyncio.to_thread(self._made.close)
