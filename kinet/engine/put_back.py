"""What a compaction gives back at once: the todo list, and the files read last as they are now."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from kinet.core.errors import ToolError
from kinet.core.messages import Message, ToolCall
from kinet.engine.base import TurnRequest
from kinet.engine.truncation import head_and_tail
from kinet.policy.gate import gather, judge
from kinet.tools.base import Arguments, Tool, ToolContext

MARK = "## Put back after the older part was left out"
MAX_FILES = 5
_READER = "read_file"
_TODO = "todo"
_TODO_CHARACTERS = 4_000


async def put_back(
    turn: TurnRequest, dropped: Sequence[Message], kept: Sequence[Message], characters: int
) -> str:
    """The section for the end of a summary, "" if there is nothing; `characters` for one file.

    Files are read anew, and only where that needs no question; what cannot be read is left out.
    """
    parts = []
    todo = _newest_todo(dropped)
    if todo and not _newest_todo(kept):
        parts.append(f"### Todo list\n{head_and_tail(todo, _TODO_CHARACTERS)}")
    still_there = set(_paths(kept))
    wanted = [path for path in _paths(dropped) if path not in still_there][:MAX_FILES]
    for path in wanted:
        text = await _read(turn, path)
        if text:
            parts.append(f"### {path}, as it is now\n{head_and_tail(text, characters)}")
    return "\n\n".join([MARK, *parts]) if parts else ""


def without_put_back(summary: str) -> str:
    """The summary alone."""
    return summary.partition(MARK)[0].rstrip()


async def _read(turn: TurnRequest, path: str) -> str:
    try:
        tool, arguments = turn.toolbox.prepare(_READER, {"path": path})
        grant = await asyncio.to_thread(_grant, turn, tool, arguments)
        if grant is None:
            return ""
        context = ToolContext(
            turn.folder,
            session_id=turn.session_id,
            files=turn.files,
            grant=grant,
            readable=turn.readable,
        )
        output = await tool.run(arguments, context)
    except ToolError:
        # The file is gone, or cannot be read any more: then there is nothing to put back.
        return ""
    return output.content if output.model_content is None else output.model_content


def _grant(turn: TurnRequest, tool: Tool, arguments: Arguments) -> str | None:
    """The gate's token for this read, or None where it would have to be asked."""
    folder: Path | None = turn.folder
    values = arguments.model_dump()
    facts = gather(
        tool.name, tool.access.value, values, folder, data_dir=turn.data_dir, readable=turn.readable
    )
    return facts.grant if judge(facts, turn.mode).verdict == "allow" else None


def _paths(messages: Sequence[Message]) -> list[str]:
    """The paths that were read, the newest first."""
    found: dict[str, None] = {}
    for message in reversed(messages):
        for call in reversed(message.tool_calls):
            path = _argument(call, "path") if call.name == _READER else ""
            if path:
                found.setdefault(path)
    return list(found)


def _newest_todo(messages: Sequence[Message]) -> str:
    for message in reversed(messages):
        for call in reversed(message.tool_calls):
            if call.name == _TODO and not call.invalid:
                return call.arguments
    return ""


def _argument(call: ToolCall, name: str) -> str:
    try:
        value = call.parsed().get(name)
    except ValueError:
        return ""
    return value if isinstance(value, str) else ""
