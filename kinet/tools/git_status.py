"""The tool that says which branch is checked out and which files differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from kinet.core.approval import ApprovalRequest
from kinet.policy.visible import visible_line
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput
from kinet.tools.files.file_access import project
from kinet.tools.processes.git_runner import GitRunner

_SHOWN = 500
_WORDS = {"M": "changed", "A": "new", "D": "deleted", "T": "another kind", "U": "in conflict"}


class GitStatusArguments(Arguments):
    """Nothing to choose."""


class GitStatus:
    """Branch, staged, changed, conflicting and untracked files; runs nothing of the repository."""

    name: ClassVar[str] = "git_status"
    description: ClassVar[str] = "Branch, and files that are staged, changed or untracked."
    access: ClassVar[Access] = Access.READ
    arguments: ClassVar[type[Arguments]] = GitStatusArguments

    def question(
        self, arguments: GitStatusArguments, context: ToolContext
    ) -> ApprovalRequest | None:
        """Never asks: it looks at the project only and starts nothing of it."""
        return None

    async def run(self, arguments: GitStatusArguments, context: ToolContext) -> ToolOutput:
        """The state in words. ToolError without git or repository."""
        git = GitRunner(project(context))
        await git.check()
        result = await git.run(
            ["status", "--porcelain=v2", "--branch", "-z", "--no-renames", "--untracked-files=all",
             "--ignore-submodules=dirty", "--", "."]
        )  # fmt: skip
        records = result.stdout.decode("utf-8", "surrogateescape").split("\0")
        lines = list(_lines(records))
        head = [line for line in lines if line.startswith("branch")]
        files = [line for line in lines if not line.startswith("branch")]
        shown = files[:_SHOWN]
        more = [f"[{len(files) - _SHOWN:,} more]"] if len(files) > _SHOWN else []
        text = "\n".join([*head, *(shown or ["nothing to commit"]), *more])
        details = {"files": len(files), "truncated": bool(more) or result.cut}
        return ToolOutput(text, f"{len(files)} file{'' if len(files) == 1 else 's'}", details)


def _lines(records: list[str]) -> Iterator[str]:
    for record in records:
        kind, _, rest = record.partition(" ")
        if record.startswith("# branch."):
            name, _, value = record[len("# branch.") :].partition(" ")
            words = {"oid": "branch at commit", "head": "branch", "upstream": "branch follows",
                     "ab": "branch ahead and behind"}  # fmt: skip
            yield f"{words.get(name, f'branch {name}')}: {visible_line(value)}"
        elif kind in ("1", "2"):
            fields = rest.split(" ", 7)
            yield f"{_state(fields[0])}: {visible_line(fields[-1])}"
        elif kind == "u":
            yield f"in conflict: {visible_line(rest.split(' ', 9)[-1])}"
        elif kind == "?":
            yield f"untracked: {visible_line(rest)}"


def _state(letters: str) -> str:
    staged, unstaged = letters[0], letters[1]
    words = []
    if staged != ".":
        words.append(f"staged {_WORDS.get(staged, staged)}")
    if unstaged != ".":
        words.append(_WORDS.get(unstaged, unstaged))
    return ", ".join(words)
