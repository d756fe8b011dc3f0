"""The tool that reads on in an earlier call's output, where the model got only its ends."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from kinet.core.approval import ApprovalRequest
from kinet.core.errors import ToolError
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput

_PAGE = 8_000
_MOST_HITS = 50
_SHOWN_CHARACTERS = 300


class ReadOutputArguments(Arguments):
    """Whose output, and which part."""

    call_id: str = Field(description="id of the earlier call")
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
        if context.outputs is None:
            raise ToolError("No outputs are kept in this run.", kind="unavailable")
        whole = context.outputs.load(arguments.call_id)
        if whole is None:
            raise ToolError(
                f"There is no kept output of a call {arguments.call_id!r} in this session.",
                hint="Use the id that stands in the note of the cut result.",
                kind="not-found",
            )
        if arguments.pattern:
            return _lines(whole, arguments.pattern)
        page = whole[arguments.offset : arguments.offset + _PAGE]
        if not page and arguments.offset:
            raise ToolError(
                f"The output has {len(whole):,} characters; there is none at {arguments.offset:,}.",
                kind="past-end",
            )
        end = arguments.offset + len(page)
        note = ""
        if end < len(whole):
            note = (
                f"\n[characters {arguments.offset:,} to {end:,} of {len(whole):,}; go on with "
                f"offset={end}]"
            )
        details = {"characters": len(whole), "truncated": end < len(whole)}
        text = page + note
        return ToolOutput(text, f"{len(page):,} characters", details, model_content=text)


def _lines(whole: str, pattern: str) -> ToolOutput:
    """Plain text, not an expression: those can run for ever on a long line."""
    wanted = pattern.casefold()
    found: list[str] = []
    count = position = 0
    for number, line in enumerate(whole.split("\n"), 1):
        at = line.casefold().find(wanted)
        if at != -1:
            count += 1
            if len(found) < _MOST_HITS:
                begin = max(0, at - _SHOWN_CHARACTERS // 2)
                shown = line[begin : begin + _SHOWN_CHARACTERS]
                found.append(f"{number} (character {position + begin}): {shown}")
        position += len(line) + 1
    lines = found or ["[no line holds that text]"]
    if count > len(found):
        lines.append(f"[{len(found)} of {count:,} lines]")
    text = "\n".join(lines)
    preview = f"{count:,} line{'' if count == 1 else 's'}"
    return ToolOutput(text, preview, {"total": count}, model_content=text)
