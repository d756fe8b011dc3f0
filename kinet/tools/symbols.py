"""The tool that lists what source files define."""

from __future__ import annotations

import os
from typing import ClassVar

from pydantic import Field

from kinet.core.approval import ApprovalRequest
from kinet.core.errors import ToolError
from kinet.policy.visible import visible_line
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput
from kinet.tools.files.file_access import project, settle
from kinet.tools.files.file_search import list_files
from kinet.tools.files.symbol_search import Symbol, symbols_of
from kinet.tools.grep import secrets_note
from kinet.tools.questions import path_question

_LINES = 200
# Of more files at once nobody wants every name; they are asked for folder by folder.
_FILES = 2_000


class SymbolsArguments(Arguments):
    """Where to look, and which names."""

    path: str = "."
    query: str = Field("", description="part of the name")


class Symbols:
    """Lists classes, functions and the like with their lines."""

    name: ClassVar[str] = "symbols"
    description: ClassVar[str] = "Lists definitions (classes, functions, …) of a file or folder."
    access: ClassVar[Access] = Access.READ
    arguments: ClassVar[type[Arguments]] = SymbolsArguments

    def question(self, arguments: SymbolsArguments, context: ToolContext) -> ApprovalRequest | None:
        """Asks only for a place outside the project or one that may hold secrets."""
        return path_question(self.name, arguments, arguments.path, "search", context)

    async def run(self, arguments: SymbolsArguments, context: ToolContext) -> ToolOutput:
        """At most 200 definitions; what is cut is counted. ToolError kind too-many, not-found."""
        where = settle(self.name, arguments, arguments.path, "search", context)
        root = project(context)
        found = await list_files(where, root, list)
        if len(found.files) > _FILES:
            raise ToolError(
                f"There are {len(found.files):,} files here; at most {_FILES:,} are looked at.",
                hint="Name a folder inside, or search with grep.",
                kind="too-many",
            )
        symbols, notes = await symbols_of(found.files, root)
        wanted = [item for item in symbols if arguments.query.lower() in item.name.lower()]
        text = "\n".join([*_lines(wanted), *secrets_note(found.left_out), *_notes(notes)])
        count = len(wanted)
        details = {"total": count, "truncated": count > _LINES}
        preview = f"{count:,} definition{'' if count == 1 else 's'}"
        return ToolOutput(text, preview, details, model_content=text)


def _lines(symbols: list[Symbol]) -> list[str]:
    """A line for each file, below it one for each definition."""
    out: list[str] = []
    path = ""
    for item in symbols[:_LINES]:
        if item.path != path:
            path = item.path
            out.append(visible_line(path.replace(os.sep, "/")))
        out.append(f"  {item.line}: {item.kind} {visible_line(item.name)}")
    if not symbols:
        return ["[no definitions found]"]
    if len(symbols) > _LINES:
        out.append(f"[{_LINES} of {len(symbols):,} definitions; narrow it with path or query]")
    return out


def _notes(notes: list[str]) -> list[str]:
    return [f"[{note}]" for note in notes]
