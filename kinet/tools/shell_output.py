"""The tool that fetches what a background command has printed since the last time."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from pydantic import Field

from kinet.core.approval import ApprovalRequest
from kinet.core.errors import ToolError
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput
from kinet.tools.processes import jobs
from kinet.tools.processes.jobs import Job
from kinet.tools.processes.kept_output import settled

_LOOK_SECONDS = 0.05


class ShellOutputArguments(Arguments):
    """Which job, and how long to wait for news of it."""

    job: str = Field(description="its id, as shell gave it")
    wait_s: int = Field(0, ge=0, le=600, description="wait so long for its end")


class ShellOutput:
    """New output and state of a background job of this session."""

    name: ClassVar[str] = "shell_output"
    description: ClassVar[str] = "New output and state of a background command."
    access: ClassVar[Access] = Access.READ
    arguments: ClassVar[type[Arguments]] = ShellOutputArguments

    def question(
        self, arguments: ShellOutputArguments, context: ToolContext
    ) -> ApprovalRequest | None:
        """Never asks: the job is this session's own."""
        return None

    async def run(self, arguments: ShellOutputArguments, context: ToolContext) -> ToolOutput:
        """What is new. ToolError for a job that this session does not have."""
        job = found(arguments.job, context)
        async with asyncio.timeout(arguments.wait_s + 1):
            loop = asyncio.get_running_loop()
            until = loop.time() + arguments.wait_s
            while job.ended is None and loop.time() < until:  # noqa: ASYNC110 - another thread ends it
                await asyncio.sleep(_LOOK_SECONDS)
        return told(job)


def found(job_id: str, context: ToolContext) -> Job:
    """The job. ToolError, with the jobs there are, for another id."""
    job = jobs.find(job_id, context.session_id)
    if job is None:
        names = ", ".join(known.id for known in jobs.listed(context.session_id)) or "none"
        raise ToolError(
            f"There is no background job {job_id!r} in this session.",
            hint=f"The jobs there are: {names}.",
            kind="not-found",
        )
    return job


def told(job: Job) -> ToolOutput:
    """State and new output of a job."""
    ended = job.ended
    text = settled(job.take()).rstrip("\n")
    code = ended.exit_code if ended is not None else None
    if ended is None:
        state = f"{job.id} still runs ({job.seconds:.0f} s)"
    elif ended.stopped:
        state = f"{job.id} was stopped"
    else:
        state = f"{job.id} ended with exit code {code}"
    lines = [text] if text else []
    details = {"job": job.id, "running": ended is None, "exit_code": code, "command": job.command}
    return ToolOutput("\n".join([*lines, f"[{state}]"]), state, details)
