"""The tool that makes a file or replaces it whole."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import ClassVar

from kinet.core.approval import ApprovalRequest
from kinet.core.errors import ToolError
from kinet.policy.visible import named
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput
from kinet.tools.files.edit_match import replaced_whole
from kinet.tools.files.file_change import Change, ask_about, carry_out
from kinet.tools.files.text_form import UNKNOWN, TextForm, read_form


class WriteFileArguments(Arguments):
    """Which file, and its whole text."""

    path: str
    content: str


class WriteFile:
    """Writes a whole text; an existing file keeps its encoding, line ends and mode."""

    name: ClassVar[str] = "write_file"
    description: ClassVar[str] = (
        "Makes a text file, or replaces it whole; folders are made as needed. An existing file has "
        "to be read first. For a change in a file use edit_file."
    )
    access: ClassVar[Access] = Access.WRITE
    arguments: ClassVar[type[Arguments]] = WriteFileArguments

    def question(
        self, arguments: WriteFileArguments, context: ToolContext
    ) -> ApprovalRequest | None:
        """The question with the whole diff."""
        plan = _Plan(arguments.content)
        return ask_about(self.name, arguments, arguments.path, context, plan)

    async def run(self, arguments: WriteFileArguments, context: ToolContext) -> ToolOutput:
        """Writes at once or not at all. ToolError kinds read-only, stale, unread, encoding, io."""
        plan = _Plan(arguments.content)
        return await asyncio.to_thread(
            carry_out, self.name, arguments, arguments.path, context, plan, "Wrote"
        )


class _Plan:
    def __init__(self, content: str) -> None:
        self._content = content

    def __call__(self, path: Path, shown: str, before: bytes | None) -> Change:
        content = self._content
        bad = next((char for char in content if "\ud800" <= char <= "\udfff"), None)
        if bad is not None:
            raise ToolError(
                f"The content holds half a character ({named(bad)}), which no file can; nothing "
                "was written.",
                hint="Send the content again without it.",
                kind="encoding",
            )
        if before is None:
            return Change(path, shown, None, None, TextForm(content))
        old, note = _old_form(before, shown)
        return Change(path, shown, before, old.text, replaced_whole(old, content), note)


def _old_form(before: bytes, shown: str) -> tuple[TextForm, tuple[str, ...]]:
    """The form whose encoding and line ends the new text takes over."""
    try:
        form = read_form(before, path=shown)
    except ToolError as exc:
        if exc.kind != "binary":
            raise
        raise ToolError(
            f"{shown} is a binary file; it is not replaced by text.",
            hint="Write to another name, or remove it with a command first.",
            kind="binary",
        ) from exc
    if form.encoding == UNKNOWN:
        # No byte of the old text stays, so nothing can end up in two encodings.
        text = form.text
        return TextForm(text, "utf-8"), ("It was in an unknown encoding and is UTF-8 now.",)
    return form, ()
