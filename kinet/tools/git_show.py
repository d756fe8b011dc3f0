"""The tool that shows one commit, or a file as it was in it."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from pydantic import Field

from kinet.core.approval import ApprovalRequest
from kinet.core.errors import ToolError
from kinet.policy.visible import visible_line
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput
from kinet.tools.files.file_access import project
from kinet.tools.git_diff import DIFF_OPTIONS, checked_ref, diff_output, open_sections, place_in
from kinet.tools.processes.git_runner import GitRunner

_FORMAT = "commit %H%nAuthor: %an <%ae>%nDate:   %ad%n%n%w(0,4,4)%B"
_LARGEST = 256 * 1024


class GitShowArguments(Arguments):
    """Which commit, and what of it."""

    ref: str = Field("HEAD")
    path: str | None = None
    whole_file: bool = Field(False)


class GitShow:
    """Shows a commit with its diff; runs nothing that the repository names."""

    name: ClassVar[str] = "git_show"
    description: ClassVar[str] = (
        "Shows a commit's message and diff, or with whole_file a file as it was then."
    )
    access: ClassVar[Access] = Access.READ
    arguments: ClassVar[type[Arguments]] = GitShowArguments

    def question(self, arguments: GitShowArguments, context: ToolContext) -> ApprovalRequest | None:
        """Never asks: it reads the project's own history and starts nothing of it."""
        return None

    async def run(self, arguments: GitShowArguments, context: ToolContext) -> ToolOutput:
        """The commit. ToolError without git or repository, and for a wrong ref or path."""
        root = project(context)
        ref = checked_ref(arguments.ref) or "HEAD"
        place = place_in(arguments.path, root)
        git = GitRunner(root)
        await git.check()
        if arguments.whole_file:
            return await _file(git, ref, place, arguments.path)
        head = await git.run(
            ["show", "--no-patch", f"--format={_FORMAT}", "--date=iso", "--no-show-signature",
             "--no-mailmap", "--end-of-options", f"{ref}^{{commit}}"]
        )  # fmt: skip
        # The two trees are compared: a merge then shows what it brought to its first parent.
        result = await git.run(
            ["show", "--format=", "--first-parent", "-m", *DIFF_OPTIONS, "--no-show-signature",
             "--end-of-options", f"{ref}^{{commit}}", "--", place]
        )  # fmt: skip
        text, left_out, count = open_sections(
            result.stdout.decode("utf-8", "replace").lstrip("\n"), root
        )
        shown = diff_output(text, left_out, count, [], result.cut)
        message = head.stdout.decode("utf-8", "replace").rstrip()
        return ToolOutput(f"{message}\n\n{shown.content}", shown.preview, shown.details)


async def _file(git: GitRunner, ref: str, place: str, path: str | None) -> ToolOutput:
    if not path:
        raise ToolError("whole_file needs a path.", kind="arguments")
    name = Path(place).as_posix()
    result = await git.run(["cat-file", "blob", "--end-of-options", f"{ref}:./{name}"])
    if result.code:
        raise ToolError(f"{visible_line(path)} is not in that commit.", kind="not-found")
    data = result.stdout
    if b"\0" in data[:8192]:
        return ToolOutput(f"{visible_line(path)} is binary ({len(data):,} bytes).", "binary")
    text = data[:_LARGEST].decode("utf-8", "replace")
    cut = f"\n[cut: it has {len(data):,} bytes]" if len(data) > _LARGEST else ""
    lines = text.count("\n") + (not text.endswith("\n") and bool(text))
    return ToolOutput(text + cut, f"{lines:,} lines", {"truncated": bool(cut)})
