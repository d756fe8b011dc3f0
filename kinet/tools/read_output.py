"""The tool that reads on in an earlier call's output, where the model got only its ends."""

from __future__ import annotations

import asyncio
import bisect
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from kinet.core.approval import ApprovalRequest
from kinet.core.characters import border_before
from kinet.core.errors import ToolError
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput
from kinet.tools.processes.whole_output import Page, Piece, lines, page, place_of

_PAGE = 8_000
# What is read beyond a page, to see where a character ends.
_MORE = 64
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
            return _found(_numbered(whole), arguments.pattern)
        text = whole[arguments.offset : arguments.offset + _PAGE + _MORE]
        return _paged(Page(text, arguments.offset, len(whole)))


def _of_file(file: Path, arguments: ReadOutputArguments) -> ToolOutput:
    """A part of an output that is too long for memory."""
    if arguments.pattern:
        try:
            return _found(lines(file), arguments.pattern)
        except OSError as exc:
            raise _unknown(arguments.call_id) from exc
    read = page(file, arguments.offset, _PAGE + _MORE)
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
    text = read.text[: border_before(read.text, _PAGE)]
    end = read.offset + len(text)
    note = ""
    if end < read.total:
        note = (
            f"\n[characters {read.offset:,} to {end:,} of {read.total:,}; go on with offset={end}]"
        )
    details = {"characters": read.total, "truncated": end < read.total}
    preview = f"{len(text):,} characters"
    return ToolOutput(text + note, preview, details, model_content=text + note)


def _numbered(whole: str) -> Iterator[Piece]:
    position = 0
    for number, line in enumerate(whole.split("\n"), 1):
        yield Piece(number, position, line)
        position += len(line) + 1


def _found(pieces: Iterator[Piece], pattern: str) -> ToolOutput:
    """Plain text, not an expression: those can run for ever on a long line."""
    wanted = pattern.casefold()
    found: list[str] = []
    count = newest = 0
    for piece in pieces:
        at = _place(piece.text, wanted)
        # A line may come in several pieces; it is one hit all the same.
        if at != -1 and piece.number != newest:
            count, newest = count + 1, piece.number
            if len(found) < _MOST_HITS:
                text = piece.text
                begin = border_before(text, at - _SHOWN_CHARACTERS // 2)
                shown = text[begin : border_before(text, begin + _SHOWN_CHARACTERS)]
                found.append(f"{piece.number} (character {piece.position + begin}): {shown}")
    hits = found or ["[no line holds that text]"]
    if count > len(found):
        hits.append(f"[{len(found)} of {count:,} lines]")
    text = "\n".join(hits)
    preview = f"{count:,} line{'' if count == 1 else 's'}"
    return ToolOutput(text, preview, {"total": count}, model_content=text)


def _place(text: str, wanted: str) -> int:
    """Where `wanted`, which is folded, stands in `text`; -1 for nowhere."""
    folded = text.casefold()
    at = folded.find(wanted)
    if at == -1 or len(folded) == len(text):
        return at
    # Some characters are two when folded.
    places = range(len(text) + 1)
    return bisect.bisect_left(places, at, key=lambda place: len(text[:place].casefold()))
