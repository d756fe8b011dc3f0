"""The tool that finds files by name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from kinet.core.approval import ApprovalRequest
from kinet.policy.visible import visible_line
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput
from kinet.tools.files.file_access import project, settle
from kinet.tools.files.file_search import list_files
from kinet.tools.files.glob_pattern import GlobPattern
from kinet.tools.grep import secrets_note
from kinet.tools.questions import path_question

_PAGE = 200
_LARGEST_PAGE = 2_000


class GlobArguments(Arguments):
    """Which names, and where."""

    pattern: str = Field(description="e.g. *.py (any depth), src/**/*.ts, {a,b}.md")
    path: str = Field(".", description="folder")
    limit: int = Field(_PAGE, ge=1, le=_LARGEST_PAGE)


class Glob:
    """Finds files by pattern; ignored and hidden ones are left out, secret ones counted."""

    name: ClassVar[str] = "glob"
    description: ClassVar[str] = (
        "Finds files by name pattern; ignored and hidden files are left out. Use ** for all files."
    )
    access: ClassVar[Access] = Access.READ
    arguments: ClassVar[type[Arguments]] = GlobArguments

    def question(self, arguments: GlobArguments, context: ToolContext) -> ApprovalRequest | None:
        """Asks only for a place outside the project or one that may hold secrets."""
        return path_question(self.name, arguments, arguments.path, "search", context)

    async def run(self, arguments: GlobArguments, context: ToolContext) -> ToolOutput:
        """The paths, sorted. ToolError kind pattern for a pattern that is none."""
        pattern = GlobPattern(arguments.pattern)
        where = settle(self.name, arguments, arguments.path, "search", context)
        root = project(context)
        # A file that was named itself is listed whatever its name.
        names = "" if where.is_file() else pattern.name_filter
        found = await list_files(where, root, _chooser(pattern, where, root), names)
        matches = found.files
        shown = [visible_line(path) for path in matches[: arguments.limit]]
        lines = list(shown) or ["[no files match]"]
        if len(matches) > len(shown):
            lines.append(
                f"[{len(shown):,} of {len(matches):,} files; narrow the pattern, or set limit]"
            )
        lines += [*secrets_note(found.left_out), *(f"[{note}]" for note in found.notes)]
        text = "\n".join(lines)
        details = {
            "files": shown,
            "total": len(matches),
            "left_out": found.left_out,
            "truncated": len(matches) > len(shown),
        }
        preview = f"{len(matches):,} file{'' if len(matches) == 1 else 's'}"
        return ToolOutput(text, preview, details, model_content=text)


def _chooser(pattern: GlobPattern, where: Path, root: Path) -> Callable[[list[str]], list[str]]:
    """Picks the files that match; a pattern is meant from the folder named, or the project."""
    below = os.path.relpath(where, root)
    prefix = "" if below == "." or below.startswith("..") else f"{below}{os.sep}"

    def choose(paths: list[str]) -> list[str]:
        if not prefix and os.sep == "/":
            return pattern.select(paths)
        plain = paths if os.sep == "/" else [path.replace(os.sep, "/") for path in paths]
        found = set(pattern.select(plain))
        if prefix:
            start = len(prefix)
            inner = set(pattern.select([path[start:] for path in plain]))
            found |= {path for path in plain if path[start:] in inner}
        return [path for path, same in zip(paths, plain, strict=True) if same in found]

    return choose
