"""The tool that lists commits."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from kinet.core.approval import ApprovalRequest
from kinet.policy.visible import visible_line
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput
from kinet.tools.files.file_access import project
from kinet.tools.git_diff import checked_ref, place_in
from kinet.tools.processes.git_runner import GitRunner

MOST_COMMITS = 200
# Fields are parted by characters that git takes out of names and subjects.
_FORMAT = "%h%x1f%as%x1f%an%x1f%s%x1e"


class GitLogArguments(Arguments):
    """Which commits."""

    path: str | None = None
    ref: str | None = Field(None, description="commit, branch or a..b")
    limit: int = Field(20, ge=1, le=MOST_COMMITS)
    search: str | None = Field(None, description="text in the message")


class GitLog:
    """Lists commits, the newest first; runs nothing that the repository names."""

    name: ClassVar[str] = "git_log"
    description: ClassVar[str] = "Lists commits, the newest first: hash, date, author, subject."
    access: ClassVar[Access] = Access.READ
    arguments: ClassVar[type[Arguments]] = GitLogArguments

    def question(self, arguments: GitLogArguments, context: ToolContext) -> ApprovalRequest | None:
        """Never asks: it reads the project's own history and starts nothing of it."""
        return None

    async def run(self, arguments: GitLogArguments, context: ToolContext) -> ToolOutput:
        """One line for each commit. ToolError without git or repository, and for a wrong ref."""
        root = project(context)
        ref = checked_ref(arguments.ref)
        git = GitRunner(root)
        await git.check()
        command = [
            "log", f"--format={_FORMAT}", "--no-show-signature", "--no-mailmap", "--no-decorate",
            "--no-color", "--no-patch", "--no-ext-diff", "--no-textconv",
            f"--max-count={arguments.limit}",
        ]  # fmt: skip
        if arguments.search:
            command += ["--fixed-strings", "--regexp-ignore-case", f"--grep={arguments.search}"]
        command += ["--end-of-options", ref or "HEAD", "--", place_in(arguments.path, root)]
        result = await git.run(command)
        records = result.stdout.decode("utf-8", "replace").split("\x1e")
        lines = [visible_line("  ".join(record.strip().split("\x1f"))) for record in records]
        lines = [line for line in lines if line]
        text = "\n".join(lines) or "[no commits]"
        preview = f"{len(lines)} commit{'' if len(lines) == 1 else 's'}"
        return ToolOutput(text, preview, {"commits": len(lines), "truncated": result.cut})
