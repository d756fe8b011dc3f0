"""The tool that changes a span of a file and leaves every other byte alone."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kinet.core.approval import ApprovalRequest
from kinet.core.errors import ToolError
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput
from kinet.tools.files.edit_match import Edit, apply_edits
from kinet.tools.files.file_change import Change, ask_about, carry_out
from kinet.tools.files.text_form import read_form


class OneEdit(BaseModel):
    """One of several edits."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    old_string: str
    new_string: str
    replace_all: bool = False


class EditFileArguments(Arguments):
    """One edit, or a list of them."""

    path: str
    old_string: str | None = None
    new_string: str | None = None
    replace_all: bool = False
    edits: list[OneEdit] | None = Field(None, description="several edits, all or none")

    @model_validator(mode="after")
    def _one_form(self) -> EditFileArguments:
        if self.edits is not None and self.old_string is None and self.new_string is None:
            if not self.edits:
                raise ValueError("edits is empty: give at least one edit")
            return self
        if self.edits:
            raise ValueError("give either old_string and new_string, or edits, not both")
        if self.old_string is None or self.new_string is None:
            missing = "old_string" if self.old_string is None else "new_string"
            raise ValueError(f"{missing} is missing (or give edits)")
        return self

    def wishes(self) -> tuple[Edit, ...]:
        """The edits in order."""
        if self.edits:
            return tuple(
                Edit(edit.old_string, edit.new_string, edit.replace_all) for edit in self.edits
            )
        return (Edit(self.old_string or "", self.new_string or "", self.replace_all),)


class EditFile:
    """Replaces exact text; encoding, byte order mark, line ends, mode and links stay."""

    name: ClassVar[str] = "edit_file"
    description: ClassVar[str] = (
        "Replaces exact text in a file that was read before. old_string has to occur once, or set "
        "replace_all; copy it without line numbers. Several changes to one file go into edits."
    )
    access: ClassVar[Access] = Access.WRITE
    arguments: ClassVar[type[Arguments]] = EditFileArguments

    def question(self, arguments: EditFileArguments, context: ToolContext) -> ApprovalRequest:
        """The question with the diff. ToolError for an edit that does not match."""
        plan = _Plan(arguments.wishes())
        return ask_about(self.name, arguments, arguments.path, context, plan)

    async def run(self, arguments: EditFileArguments, context: ToolContext) -> ToolOutput:
        """Applies all edits or none. ToolError kinds not-found, ambiguous, empty-old, no-change,
        binary, encoding, read-only, stale, unread, io; the file is then as it was."""
        plan = _Plan(arguments.wishes())
        return await asyncio.to_thread(
            carry_out, self.name, arguments, arguments.path, context, plan, "Changed"
        )


class _Plan:
    def __init__(self, edits: tuple[Edit, ...]) -> None:
        self._edits = edits

    def __call__(self, path: Path, shown: str, before: bytes | None) -> Change:
        if before is None:
            raise ToolError(
                f"There is no file {shown}.",
                hint="Look for it with glob, or make it with write_file.",
                kind="not-found",
            )
        form = read_form(before, path=shown)
        edited = apply_edits(form, self._edits, path=shown)
        note = f"{edited.count} places." if edited.count > 1 else ""
        notes = tuple(filter(None, [note, *edited.notes]))
        return Change(path, shown, before, form.text, edited.form, notes, edited.count)
