"""The tool that moves a file to the trash."""

from __future__ import annotations

import asyncio
import stat
from typing import ClassVar

from kinet.core.approval import ApprovalRequest
from kinet.core.errors import ToolError
from kinet.policy.paths import judge_path
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput
from kinet.tools.files.file_access import held, project, relative, settle
from kinet.tools.files.trash_bin import put_in_trash
from kinet.tools.questions import build_question


class DeleteFileArguments(Arguments):
    """Which file."""

    path: str


class DeleteFile:
    """Moves one file to the trash; a folder is refused."""

    name: ClassVar[str] = "delete_file"
    description: ClassVar[str] = "Moves a file to the trash."
    access: ClassVar[Access] = Access.WRITE
    arguments: ClassVar[type[Arguments]] = DeleteFileArguments

    def question(
        self, arguments: DeleteFileArguments, context: ToolContext
    ) -> ApprovalRequest | None:
        """Asks with the real path. ToolError where nothing could be deleted."""
        judgement = judge_path(arguments.path, "write", context.folder, data_dir=context.data_dir)
        if judgement.verdict == "deny":
            settle(self.name, arguments, arguments.path, "write", context)
        ordinary = judgement.verdict == "allow"
        return build_question(
            self.name,
            arguments,
            context,
            kind="other",
            question="Move this file to the trash?",
            body=judgement.targets[0],
            targets=judgement.targets,
            reason="" if ordinary else judgement.reason,
            risk="" if ordinary else "This is asked each time and cannot be remembered.",
        )

    async def run(self, arguments: DeleteFileArguments, context: ToolContext) -> ToolOutput:
        """Moves it. ToolError kinds not-found, folder, special, trash, read-only, io."""
        return await asyncio.to_thread(self._delete, arguments, context)

    def _delete(self, arguments: DeleteFileArguments, context: ToolContext) -> ToolOutput:
        real = settle(self.name, arguments, arguments.path, "write", context)
        shown = relative(real, context)
        with held(real, project(context)) as place:
            status = place.status()
            if status is None:
                raise ToolError(
                    f"There is no file {shown}.", hint="Look for it with glob.", kind="not-found"
                )
            if stat.S_ISDIR(status.st_mode):
                raise ToolError(
                    f"{shown} is a folder; only files are deleted.",
                    hint="Delete its files one by one, or use a command.",
                    kind="folder",
                )
            if not stat.S_ISREG(status.st_mode):
                raise ToolError(f"{shown} is not a regular file; it was left.", kind="special")
            put_in_trash(place)
            place.sync()
        text = f"Moved {shown} to the trash."
        return ToolOutput(text, "to the trash", {"path": shown, "paths": [shown]})
