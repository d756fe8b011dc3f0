"""What a compaction gives back at once: the todo list, and the files read last as they are now."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kinet.core.errors import ToolError
from kinet.core.messages import Message, ToolCall
from kinet.engine.base import TurnRequest
from kinet.engine.context.tokens import size_of_text
from kinet.engine.context.truncation import NOTE_WEIGHT, fitted
from kinet.policy.gate import gather, judge
from kinet.tools.base import Arguments, Tool, ToolContext

MARK = "## Put back after the older part was left out"
MAX_FILES = 5
_READER = "read_file"
_TODO = "todo"
_TODO_HEAD, _AS_NOW = "### Todo list", ", as it is now"
_FILE_HEAD = re.compile(rf"^### (.+){re.escape(_AS_NOW)}$", re.MULTILINE)
# The todo list takes at most this much, and at most this share of the room.
_TODO_WEIGHT, _TODO_SHARE = 4_000, 0.3


async def put_back(
    turn: TurnRequest,
    dropped: Sequence[Message],
    kept: Sequence[Message],
    weight: float,
    for_file: float,
    files: int = MAX_FILES,
) -> str:
    """The section for the end of a summary, "" if there is nothing.

    It weighs at most `weight` Latin letters in all, a file in it `for_file`. Files are read anew,
    and only where that needs no question; what cannot be read is left out. What an earlier summary
    had put back counts as dropped with it.
    """
    before = _put_back_before(dropped)
    parts, room = [], weight - size_of_text(MARK).characters
    todo = _newest_todo(dropped) or before.todo
    if todo and not _newest_todo(kept):
        shown = fitted(todo, min(_TODO_WEIGHT, _TODO_SHARE * room) - NOTE_WEIGHT)
        parts.append(f"{_TODO_HEAD}\n{shown}")
        room -= size_of_text(parts[-1]).characters
    still_there = set(_paths(kept))
    paths = dict.fromkeys((*_paths(dropped), *before.paths))
    wanted = [path for path in paths if path not in still_there][:files]
    for left, path in zip(range(len(wanted), 0, -1), wanted, strict=True):
        head = f"### {path}{_AS_NOW}\n"
        each = min(for_file, room / left) - size_of_text(head).characters - NOTE_WEIGHT
        text = await _read(turn, path) if each > NOTE_WEIGHT else ""
        if text:
            parts.append(head + fitted(text, each))
            room -= size_of_text(parts[-1]).characters
    return "\n\n".join([MARK, *parts]) if parts else ""


def without_put_back(summary: str) -> str:
    """The summary alone."""
    return summary.partition(MARK)[0].rstrip()


@dataclass(frozen=True, slots=True)
class _Before:
    """What an earlier compaction had put back."""

    todo: str = ""
    paths: tuple[str, ...] = ()


def _put_back_before(dropped: Sequence[Message]) -> _Before:
    if not dropped or dropped[0].kind != "summary":
        return _Before()
    section = dropped[0].text.partition(MARK)[2].strip()
    paths = tuple(_FILE_HEAD.findall(section))
    todo = ""
    if section.startswith(_TODO_HEAD):
        todo = section.removeprefix(_TODO_HEAD).partition("\n\n### ")[0].strip()
    return _Before(todo, paths)


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
