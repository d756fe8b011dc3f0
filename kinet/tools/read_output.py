"""The tool that reads on in an earlier call's output, where the model got only its ends."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from kinet.core.approval import ApprovalRequest
from kinet.core.errors import ToolError
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput
from kinet.tools.processes.whole_output import Page, lines, page, place_of

_PAGE = 8_000
_MOST_HITS = 50
_SHOWN_CHARACTERS = 300


class ReadOutputArguments(Arguments):
    """Whose output, and which part."""

    call_id: str
    offset: int = Field(0, ge=0, description="character to begin at")
    pattern: str | None = Field(None, description="only lines that hold this text")


class ReadOutput:
    """Pages through a kept output, or finds lines in it."""

    name: ClassVar[str] = "read_output"
    description: ClassVar[str] = (
        "Reads the part of an earlier tool output that was cut: from a character on, or the lines "
        "that hold a text."
    )
    access: ClassVar[Access] = Access.READ
    arguments: ClassVar[type[Arguments]] = ReadOutputArguments

    def question(
        self, arguments: ReadOutputArguments, context: ToolContext
    ) -> ApprovalRequest | None:
        """Never asks: the output is this session's own."""
        return None

    async def run(self, arguments: ReadOutputArguments, context: ToolContext) -> ToolOutput:
        """The part. ToolError for an unknown call or an offset past its end."""
        file = place_of(context.data_dir, context.session_id, arguments.call_id)
        if file is not None and file.is_file():
            return await asyncio.to_thread(_of_file, file, arguments)
        if context.outputs is None:
            raise ToolError("No outputs are kept in this run.", kind="unavailable")
        whole = context.outputs.load(arguments.call_id)
        if whole is None:
            raise _unknown(arguments.call_id)
        if arguments.pattern:
            return _found(_positions(whole), arguments.pattern)
        text = whole[arguments.offset : arguments.offset + _PAGE]
        return _paged(Page(text, arguments.offset, len(whole)))


def _of_file(file: Path, arguments: ReadOutputArguments) -> ToolOutput:
    """A part of an output that is too long for memory."""
    if arguments.pattern:
        try:
            return _found(lines(file), arguments.pattern)
        except OSError as exc:
            raise _unknown(arguments.call_id) from exc
    read = page(file, arguments.offset, _PAGE)
    if read is None:
        raise _unknown(arguments.call_id)
    return _paged(read)


def _unknown(call_id: str) -> ToolError:
    return ToolError(
        f"There is no kept output of a call {call_id!r} in this session.",
        hint="Use the id that stands in the note of the cut result.",
        kind="not-found",
    )


def _paged(read: Page) -> ToolOutput:
    if not read.text and read.offset:
        raise ToolError(
            f"The output has {read.total:,} characters; there is none at {read.offset:,}.",
            kind="past-end",
        )
    end = read.offset + len(read.text)
    note = ""
    if end < read.total:
        note = (
            f"\n[characters {read.offset:,} to {end:,} of {read.total:,}; go on with offset={end}]"
        )
    details = {"characters": read.total, "truncated": end < read.total}
    text = read.text + note
    return ToolOutput(text, f"{len(read.text):,} characters", details, model_content=text)


def _positions(whole: str) -> Iterator[tuple[int, str]]:
    position = 0
    for line in whole.split("\n"):
        yield position, line
        position += len(line) + 1


def _found(numbered: Iterator[tuple[int, str]], pattern: str) -> ToolOutput:
    """Plain text, not an expression: those can run for ever on a long line."""
    wanted = pattern.casefold()
    found: list[str] = []
    count = 0
    for number, (position, line) in enumerate(numbered, 1):
        at = line.casefold().find(wanted)
        if at != -1:
            count += 1
            if len(found) < _MOST_HITS:
                begin = max(0, at - _SHOWN_CHARACTERS // 2)
                shown = line[begin : begin + _SHOWN_CHARACTERS]
                found.append(f"{number} (character {position + begin}): {shown}")
    hits = found or ["[no line holds that text]"]
    if count > len(found):
        hits.append(f"[{len(found)} of {count:,} lines]")
    text = "\n".join(hits)
    preview = f"{count:,} line{'' if count == 1 else 's'}"
    return ToolOutput(text, preview, {"total": count}, model_content=text)
