"""Lets a journal look before and after a call that may change files."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from kinet.core.events import Event, FilesChanged, Notice
from kinet.core.messages import ToolCall
from kinet.engine.base import Afterwards, CallChanges, FileJournal, JournalCall
from kinet.policy.visible import visible_line
from kinet.tools.base import Access, Tool, ToolOutput
from kinet.tools.processes.going_on import going_on, until_over

_CHANGING = (Access.WRITE, Access.EXECUTE)
# Nobody can tell what a program of hours changed from what others did meanwhile.
_MEANWHILE = (
    "{} changed while a command ran on in the background; what was changed by hand meanwhile may "
    "be among them."
)


class Journaled(Protocol):
    """What is known of the turn whose calls are noted."""

    @property
    def session_id(self) -> str:
        """The session."""
        ...

    @property
    def turn_id(self) -> str:
        """By it the turn is undone."""
        ...

    @property
    def folder(self) -> Path | None:
        """Where files change; None notes nothing."""
        ...

    @property
    def journal(self) -> FileJournal | None:
        """Where it is noted; None notes nothing."""
        ...

    @property
    def afterwards(self) -> Afterwards:
        """Where it is told what is found when the turn has ended."""
        ...


class Journaling:
    """For one turn; without a journal a tool's own word for what it changed counts."""

    def __init__(self, turn: Journaled, emit: Callable[[Event], None]) -> None:
        self._turn = turn
        self._emit = emit

    async def run(
        self,
        call: ToolCall,
        tool: Tool,
        arguments: dict[str, Any],
        work: Callable[[], Awaitable[ToolOutput]],
    ) -> ToolOutput:
        """The output of `work`; `details` tell what it changed, also where it failed."""
        turn = self._turn
        if turn.journal is None or turn.folder is None or tool.access not in _CHANGING:
            return await work()
        noted = JournalCall(
            turn.session_id, turn.turn_id, call.id, call.name, arguments, turn.folder
        )
        ticket = await turn.journal.before(noted)
        try:
            output = await work()
        except BaseException:
            # Stopped or failed half-way: what it did until then can be taken back all the same.
            self._tell(call.id, await self._after(call.id, turn.journal, ticket))
            raise
        changes = await self._after(call.id, turn.journal, ticket)
        if changes.problem:
            self._emit(Notice(changes.problem, "warning"))
        self._follow(call.id, turn.journal, ticket)
        return _with(output, changes)

    def _follow(self, call_id: str, journal: FileJournal, ticket: object) -> None:
        """What goes on of a call is followed to its end: then it is told what it changed."""
        running = going_on(self._turn.session_id, call_id)
        if running is None or ticket is None:
            return

        async def to_its_end() -> None:
            further = await journal.go_on(ticket)
            await until_over(running)
            changes = await journal.after(further)
            if changes.paths:
                self._emit(Notice(_MEANWHILE.format(_files(len(changes.paths)))))
            self._tell(call_id, changes)

        self._turn.afterwards.follow(to_its_end())

    async def _after(self, call_id: str, journal: FileJournal, ticket: object) -> CallChanges:
        """What the call changed. A stop meanwhile waits for that too, and it is told."""
        looking = asyncio.ensure_future(journal.after(ticket))
        stopped: asyncio.CancelledError | None = None
        while not looking.done():
            try:
                await asyncio.shield(looking)
            except asyncio.CancelledError as exc:
                stopped = exc
        if stopped is not None:
            self._tell(call_id, looking.result())
            raise stopped
        return looking.result()

    def _tell(self, call_id: str, changes: CallChanges) -> None:
        if changes.problem:
            self._emit(Notice(changes.problem, "warning"))
        if changes.paths:
            self._emit(FilesChanged(changes.paths, call_id, changes.added, changes.removed))

    def tell(self, call: ToolCall, tool: Tool, output: ToolOutput) -> None:
        """FilesChanged, if the call changed any."""
        paths = output.details.get("paths")
        if tool.access is Access.READ or not isinstance(paths, list | tuple) or not paths:
            return
        added, removed = output.details.get("added"), output.details.get("removed")
        counted = isinstance(added, int) and isinstance(removed, int)
        self._emit(
            FilesChanged(
                tuple(visible_line(str(path)) for path in paths),
                call.id,
                added if counted else None,
                removed if counted else None,
            )
        )


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count:,} files"


def _with(output: ToolOutput, changes: CallChanges) -> ToolOutput:
    """The output with what the journal found; a tool's own diff is the better one."""
    if not changes.paths:
        return output
    details: dict[str, Any] = {
        "paths": list(changes.paths),
        "added": changes.added,
        "removed": changes.removed,
    }
    if "diff" not in output.details and changes.diff:
        details["diff"] = changes.diff
    if output.details.get("paths"):
        return output
    return replace(output, details={**output.details, **details})
