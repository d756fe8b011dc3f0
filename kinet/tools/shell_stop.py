"""The tool that ends a background command with all that it started."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from kinet.core.approval import ApprovalRequest
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput
from kinet.tools.shell_output import found, told

_SECONDS = 3.0


class ShellStopArguments(Arguments):
    """Which job."""

    job: str


class ShellStop:
    """Ends a background job of this session; what it printed last comes back."""

    name: ClassVar[str] = "shell_stop"
    description: ClassVar[str] = "Ends a background command."
    # It ends what this session was allowed to start, and touches nothing else.
    access: ClassVar[Access] = Access.READ
    arguments: ClassVar[type[Arguments]] = ShellStopArguments

    def question(
        self, arguments: ShellStopArguments, context: ToolContext
    ) -> ApprovalRequest | None:
        """Never asks: ending what it was allowed to start harms nobody."""
        return None

    async def run(self, arguments: ShellStopArguments, context: ToolContext) -> ToolOutput:
        """Its last output. ToolError for a job that this session does not have."""
        job = found(arguments.job, context)
        job.stop()
        if job.running is not None:
            await asyncio.to_thread(job.running.finished.wait, _SECONDS)
        return told(job)
