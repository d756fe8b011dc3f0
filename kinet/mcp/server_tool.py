"""A tool of a server, as the engine knows tools."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from pydantic import ConfigDict

from kinet.core.approval import ApprovalRequest
from kinet.core.errors import ToolError
from kinet.mcp.background import Background
from kinet.mcp.connection import Connection
from kinet.mcp.described_before import DescribedBefore
from kinet.mcp.offered import OfferedTool
from kinet.mcp.results import output_of
from kinet.policy.gate import grant_for
from kinet.policy.visible import visible
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput
from kinet.tools.questions import build_question

_LONGEST_CLAIM = 600
_SAID_EVERY = 0.1
_LONGEST_PROGRESS = 500
_MOST_PROGRESS = 64 * 1024


class ServerArguments(Arguments):
    """Any names: the server's own schema says which."""

    model_config = ConfigDict(extra="allow", defer_build=True)


class ServerTool:
    """Calls one tool of one server. What the server says of it grants nothing."""

    # Whatever it claims, it may do anything: so what it changes is noted for undo.
    access: ClassVar[Access] = Access.EXECUTE
    arguments: ClassVar[type[Arguments]] = ServerArguments

    def __init__(
        self,
        connection: Connection,
        offered: OfferedTool,
        background: Background,
        described: DescribedBefore,
    ) -> None:
        self._connection, self._offered, self._background = connection, offered, background
        self._described = described
        self.name = offered.call_name
        self.description = offered.description
        self.parameters: Mapping[str, Any] = offered.parameters
        self.definition = offered.definition
        self.claims_read = offered.read_only
        # About how much it weighs in each request.
        self.tokens = offered.tokens

    def question(self, arguments: ServerArguments, context: ToolContext) -> ApprovalRequest:
        """The question with the whole arguments. Reads a file: for a thread."""
        server, offered = self._connection.server, self._offered
        says = [offered.description[:_LONGEST_CLAIM]]
        says += ["It says that it only reads."] if offered.read_only else []
        says += ["It says that it may destroy things."] if offered.destructive else []
        body = json.dumps(arguments.model_dump(), ensure_ascii=False, indent=2, default=str)
        question = build_question(
            self.name,
            arguments,
            context,
            kind="other",
            question=f"Let the server {server.name} do {offered.name}?",
            body=visible(body),
            targets=(server.line,),
        )
        changes = self._described.changes(server, offered)
        return replace(question, claim=" ".join(says), changes=changes)

    async def run(self, arguments: ServerArguments, context: ToolContext) -> ToolOutput:
        """The server's answer. ToolError says what failed; a cancellation is told to the server."""
        values = arguments.model_dump()
        if context.grant != grant_for(self.name, values, (self.definition,)):
            raise ToolError("Not run: this very call was not approved.", kind="refused")
        server = self._connection.server
        await asyncio.to_thread(self._described.note, server, self._offered)
        call = self._connection.call(
            self._offered.name, values, _Told(context).take, self.definition
        )
        try:
            working = self._background.run(call)
        except RuntimeError as exc:
            raise ToolError(f"{server.name} was ended.") from exc
        answer = await asyncio.wrap_future(working)
        details = {"server": server.name, "tool": self._offered.name}
        if self._offered.title:
            details["title"] = self._offered.title
        return await asyncio.to_thread(output_of, answer, details)


class _Told:
    """Hands a call's progress to the thread of the turn, not faster than can be read."""

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self._loop = asyncio.get_running_loop()
        self._last, self._size = -1.0, 0

    async def take(self, done: float, total: float | None, message: str | None) -> None:
        """In the servers' thread."""
        now = asyncio.get_running_loop().time()
        if now - self._last < _SAID_EVERY or self._size > _MOST_PROGRESS:
            return
        self._last = now
        words = visible(str(message)[:_LONGEST_PROGRESS]) if message else ""
        count = f"{done:g} of {total:g}" if total else f"{done:g}"
        text = f"{count}: {words}\n" if words else f"{count}\n"
        self._size += len(text)
        self._loop.call_soon_threadsafe(self._context.progress, text)
