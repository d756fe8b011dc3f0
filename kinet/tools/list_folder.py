"""The tool that lists a folder as a tree, and sums up what kind of project it is."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from kinet.core.approval import ApprovalRequest
from kinet.policy.visible import visible_line
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput
from kinet.tools.files.file_access import project, settle
from kinet.tools.files.file_search import list_files
from kinet.tools.grep import secrets_note
from kinet.tools.questions import path_question

_DEEPEST = 8
_LINES = 300
_KINDS = 6
# Files that say what a project is and how it is built.
_TELLING = (
    "README", "CONTRIBUTING", "KINET.md", "AGENTS.md", "pyproject.toml", "setup.py", "package.json",
    "tsconfig.json", "Cargo.toml", "go.mod", "pom.xml", "build.gradle", "CMakeLists.txt",
    "Makefile", "Dockerfile", "docker-compose", "Gemfile", "composer.json", "justfile", "tox.ini",
)  # fmt: skip


class ListFolderArguments(Arguments):
    """Which folder, and how far into it."""

    path: str = "."
    depth: int = 1


@dataclass
class _Folder:
    """What lies in one folder: its files, its folders, and how many files are below it."""

    files: list[str] = field(default_factory=list)
    folders: dict[str, _Folder] = field(default_factory=dict)
    count: int = 0


class ListFolder:
    """Lists what is not ignored or hidden; secret files are left out and counted."""

    name: ClassVar[str] = "list_folder"
    description: ClassVar[str] = (
        "Lists a folder as a tree; of the project's folder it also gives a summary."
    )
    access: ClassVar[Access] = Access.READ
    arguments: ClassVar[type[Arguments]] = ListFolderArguments

    def question(
        self, arguments: ListFolderArguments, context: ToolContext
    ) -> ApprovalRequest | None:
        """Asks only for a place outside the project or one that may hold secrets."""
        return path_question(self.name, arguments, arguments.path, "search", context)

    async def run(self, arguments: ListFolderArguments, context: ToolContext) -> ToolOutput:
        """The tree, at most 300 lines; what is cut is counted."""
        where = settle(self.name, arguments, arguments.path, "search", context)
        root = project(context)
        found = await list_files(where, root, list, "")
        prefix = _prefix(where, root)
        files = [path.removeprefix(prefix) for path in found.files]
        tree = _tree_of(files)
        lines = await asyncio.to_thread(_lines_of, tree, where, min(arguments.depth, _DEEPEST))
        shown = lines[:_LINES] or ["[no files that are not ignored or hidden]"]
        if len(lines) > len(shown):
            shown.append(
                f"[{len(shown):,} of {len(lines):,} lines; name a folder inside, or less depth]"
            )
        notes = [*secrets_note(found.left_out), *(f"[{note}]" for note in found.notes)]
        summary = _summary(files) if where == root and files else []
        text = "\n".join([*summary, *shown, *notes])
        details = {"total": tree.count, "truncated": len(lines) > _LINES}
        preview = f"{tree.count:,} file{'' if tree.count == 1 else 's'}"
        return ToolOutput(text, preview, details, model_content=text)


def _prefix(where: Path, root: Path) -> str:
    """What the listed paths begin with; those of a place outside are absolute."""
    if where == root:
        return ""
    return f"{where.relative_to(root) if where.is_relative_to(root) else where}{os.sep}"


def _tree_of(paths: Iterable[str]) -> _Folder:
    tree = _Folder()
    for path in paths:
        place = tree
        place.count += 1
        *folders, name = path.split(os.sep)
        for part in folders:
            place = place.folders.setdefault(part, _Folder())
            place.count += 1
        place.files.append(name)
    return tree


def _lines_of(tree: _Folder, where: Path, depth: int, indent: str = "") -> list[str]:
    """One line for each folder (with how many files are in it) and each file (with its size)."""
    out: list[str] = []
    for name, inner in sorted(tree.folders.items()):
        word = "file" if inner.count == 1 else "files"
        out.append(f"{indent}{visible_line(name)}/ ({inner.count:,} {word})")
        if depth > 1 and len(out) <= _LINES:
            out += _lines_of(inner, where / name, depth - 1, indent + "  ")
    for number, name in enumerate(sorted(tree.files)):
        size = _size(where / name) if number <= _LINES else ""
        out.append(f"{indent}{visible_line(name)}{size}")
    return out


def _size(path: Path) -> str:
    try:
        return f" ({path.lstat().st_size:,} bytes)"
    except OSError:
        # Gone since it was listed.
        return ""


def _summary(files: list[str]) -> list[str]:
    kinds = Counter(os.path.splitext(path)[1] or "no ending" for path in files)
    counted = ", ".join(f"{kind} {count:,}" for kind, count in kinds.most_common(_KINDS))
    telling = [path for path in files if os.sep not in path and path.startswith(_TELLING)]
    lines = [f"{len(files):,} file{'' if len(files) == 1 else 's'}: {counted}"]
    if telling:
        lines.append(f"Says what it is: {', '.join(visible_line(path) for path in telling)}")
    return [*lines, ""]
