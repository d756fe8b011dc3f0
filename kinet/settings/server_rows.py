"""Tool servers as a face lists them: how each stands, and its tools."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from kinet.mcp.connection import Snapshot
    from kinet.mcp.definition import ServerDefinition
    from kinet.mcp.offered import OfferedTool
    from kinet.mcp.prompts import OfferedPrompt
    from kinet.mcp.sign_ins import Signing
    from kinet.settings.tool_servers import ToolServerBook

ServerState = Literal["off", "idle", "starting", "ready", "failed", "sign_in", "trust", "hidden"]
_UNTRUSTED = "This folder's servers are not started before the folder is trusted as it is now."
_HIDDEN = "One of your own servers has this name; yours is used."


@dataclass(frozen=True, slots=True)
class ToolRow:
    """One tool of a server. `read_only` and `destructive` are what the server says of it.

    `problem` says why it is not offered, "" if it can be.
    """

    name: str
    call_name: str
    title: str
    description: str
    read_only: bool
    destructive: bool
    on: bool
    tokens: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ServerRow:
    """One server as it stands. `tokens` is what its tools that are on weigh in each request.

    `signed_in` is the host that signed the person in, `kept` where that is ("keychain" or
    "session"); `wants` says what they have to grant beyond that; `signing` how an attempt goes.
    `takes_sign_in` is True where one may be tried.
    """

    name: str
    place: Literal["own", "folder"]
    kind: Literal["stdio", "http", "sse"]
    enabled: bool
    state: ServerState
    line: str
    reason: str = ""
    hint: str = ""
    stderr: str = ""
    exit_code: int | None = None
    title: str = ""
    tools: tuple[ToolRow, ...] = ()
    tokens: int = 0
    notes: tuple[str, ...] = ()
    folder: str = ""
    signed_in: str = ""
    kept: str = ""
    wants: str = ""
    signing: Signing | None = None
    takes_sign_in: bool = False
    prompts: tuple[OfferedPrompt, ...] = ()


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of a trial."""

    ok: bool
    reason: str = ""
    hint: str = ""
    stderr: str = ""
    exit_code: int | None = None
    title: str = ""
    tools: tuple[ToolRow, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0


def rows_for(book: ToolServerBook, folder: Path | None, off: Collection[str]) -> list[ServerRow]:
    """The person's own servers, then those of the folder. Reads files, starts nothing."""
    own = book.own()
    rows = [_row(book, server, folder) for server in own]
    text, trusted = book.folder_text(folder)
    if not text:
        return rows
    from kinet.mcp.folder_servers import folder_servers

    names = {server.name.casefold() for server in own}
    for server in folder_servers(text, str(folder), off).servers:
        row = _row(book, server, folder)
        if server.name.casefold() in names:
            row = replace(row, state="hidden", reason=_HIDDEN)
        elif not trusted:
            row = replace(row, state="trust", reason=_UNTRUSTED)
        rows.append(row)
    return rows


def _row(book: ToolServerBook, server: ServerDefinition, folder: Path | None) -> ServerRow:
    told = book.snapshot(server, folder)
    tools = tool_rows(server, told) if told is not None else ()
    row = ServerRow(
        server.name,
        server.place,
        server.kind,
        server.enabled,
        "idle" if server.enabled else "off",
        server.line,
        tools=tools,
        tokens=sum(tool.tokens for tool in tools if tool.on and not tool.problem),
        folder=server.folder,
        takes_sign_in=server.takes_sign_in,
        signing=book.signing(server),
    )
    if told is None or not server.enabled:
        return row
    signed_in, kept = book.signed_in(server)
    return replace(
        row,
        state=told.state,
        reason=told.reason,
        hint=told.hint,
        stderr=told.stderr,
        exit_code=told.exit_code,
        title=told.title,
        notes=told.offer.notes,
        signed_in=signed_in,
        kept=kept,
        wants=told.wants,
        prompts=told.prompts,
    )


def tool_rows(server: ServerDefinition, told: Snapshot) -> tuple[ToolRow, ...]:
    """The tools of a server by name, those too that are off."""
    return tuple(_tool(server, offered) for offered in told.offer.tools)


def _tool(server: ServerDefinition, offered: OfferedTool) -> ToolRow:
    return ToolRow(
        offered.name,
        offered.call_name,
        offered.title,
        offered.description,
        offered.read_only,
        offered.destructive,
        offered.name not in server.tools_off,
        offered.tokens,
        offered.problem,
    )
