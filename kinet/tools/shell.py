"""The tool that runs a command in the project folder."""

from __future__ import annotations

import asyncio
import math
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from kinet.core.approval import ApprovalRequest, Scope
from kinet.core.errors import ToolError
from kinet.policy.commands import judge_command
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput
from kinet.tools.files.file_access import project
from kinet.tools.processes import jobs, survivors
from kinet.tools.processes.environment import child_environment
from kinet.tools.processes.process import Ended, RunningCommand, finish
from kinet.tools.questions import build_question

DEFAULT_TIMEOUT_S = 120
_LONGEST_TIMEOUT_S = 3_600


class ShellArguments(Arguments):
    """The command and how long it may take."""

    command: str
    timeout_s: int = Field(
        DEFAULT_TIMEOUT_S, ge=1, le=_LONGEST_TIMEOUT_S, description="time limit in seconds"
    )
    background: bool = Field(False, description="let it run on, without a time limit")


class Shell:
    """Runs a command with bash, without a terminal, and ends its whole tree on a stop."""

    name: ClassVar[str] = "shell"
    description: ClassVar[str] = (
        "Runs a bash command: output and exit code. There is no terminal and no input; each call "
        "starts anew in the project folder. Prefer the tools for files. Servers go with "
        "background: true, then shell_output."
    )
    access: ClassVar[Access] = Access.EXECUTE
    arguments: ClassVar[type[Arguments]] = ShellArguments

    def question(self, arguments: ShellArguments, context: ToolContext) -> ApprovalRequest:
        """The question with the whole command; whether it is asked, the gate decides."""
        _check(arguments.command)
        root = project(context)
        judgement = judge_command(arguments.command, root, data_dir=context.data_dir)
        scopes: tuple[Scope, ...] = (
            ("once", "session", "folder") if judgement.memorable else ("once",)
        )
        return build_question(
            self.name,
            arguments,
            context,
            kind="command",
            question="Run this command?",
            body=arguments.command,
            targets=judgement.targets,
            reason=judgement.reason,
            risk="" if judgement.verdict != "deny" else "It would be refused.",
            scopes=scopes,
            rule=f"exactly: {arguments.command}" if judgement.memorable else "",
        )

    async def run(self, arguments: ShellArguments, context: ToolContext) -> ToolOutput:
        """Output and exit code; is_error for another code than 0 or a reached time limit.

        ToolError for a command that is never run. A cancellation ends the whole tree.
        """
        _check(arguments.command)
        root = project(context)
        judgement = judge_command(arguments.command, root, data_dir=context.data_dir)
        if judgement.verdict == "deny":
            raise ToolError(f"This command is never run: {judgement.reason}.", kind="refused")
        # What ran unasked was judged by the names of well-known programs: a program of the same
        # name in the project must not take their place.
        hidden = root if judgement.verdict == "allow" else None
        environment = child_environment(without=hidden)
        if arguments.background:
            return _in_background(arguments, context, root, environment)
        running = RunningCommand(
            _argv(arguments.command),
            folder=root,
            environment=environment,
            timeout_s=arguments.timeout_s,
            progress=_on_loop(context.progress),
        )
        try:
            ended = await finish(running)
        except OSError as exc:
            raise ToolError(f"The command could not be started: {exc}.", kind="io") from exc
        if ended.survivors:
            survivors.keep(
                survivors.Survivor(
                    context.session_id,
                    context.call_id,
                    arguments.command,
                    ended.survivors,
                    running,
                )
            )
        return _output(ended, arguments, root)


def _in_background(
    arguments: ShellArguments, context: ToolContext, root: Path, environment: Mapping[str, str]
) -> ToolOutput:
    """Starts a job of the session. It ends by itself, by shell_stop, or with the session."""
    if len(jobs.listed(context.session_id, running=True)) >= jobs.MOST_JOBS:
        raise ToolError(
            f"{jobs.MOST_JOBS} background jobs run already.",
            hint="End one with shell_stop first.",
            kind="limit",
        )
    job = jobs.new_job(context.session_id, context.call_id, arguments.command)
    job.running = RunningCommand(
        _argv(arguments.command),
        folder=root,
        environment=environment,
        timeout_s=math.inf,
        progress=job.feed,
    )
    job.running.start()
    jobs.keep(job)
    text = (
        f"Started in the background as {job.id}. shell_output shows what it prints, shell_stop "
        "ends it; it ends with the session at the latest."
    )
    details = {"command": arguments.command, "job": job.id, "folder": str(root), "running": True}
    return ToolOutput(text, f"{job.id} runs", details)


def _check(command: str) -> None:
    if not command.strip():
        raise ToolError("The command is empty.", kind="arguments")
    if "\x00" in command:
        raise ToolError("The command holds a NUL character.", kind="arguments")


def _argv(command: str) -> list[str]:
    if os.name == "nt":
        return [os.environ.get("COMSPEC", "cmd.exe"), "/d", "/s", "/c", command]
    bash = shutil.which("bash", path="/bin:/usr/bin:/usr/local/bin:/opt/homebrew/bin")
    if bash:
        return [bash, "--noprofile", "--norc", "-c", command]
    return ["/bin/sh", "-c", command]


def _on_loop(progress: Callable[[str], None]) -> Callable[[str], None]:
    """The callback, called in the loop's thread from the reading one."""
    loop = asyncio.get_running_loop()

    def forward(text: str) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(progress, text)

    return forward


def _output(ended: Ended, arguments: ShellArguments, root: Path) -> ToolOutput:
    lines = [ended.output.rstrip("\n")] if ended.output.strip() else []
    if ended.timed_out:
        limit = arguments.timeout_s
        lines.append(
            f"[stopped: it took longer than {limit} s and was ended with all it had started; the "
            "output above is what it printed until then. Set timeout_s higher if it needs more.]"
        )
        preview = f"stopped after {limit} s"
    elif ended.stopped:
        lines.append("[stopped]")
        preview = "stopped"
    else:
        preview = f"exit {ended.exit_code}"
        if ended.exit_code or not lines:
            lines.append(_code_line(ended.exit_code))
    if ended.survivors and not ended.timed_out:
        names = ", ".join(f"{item['name']} (pid {item['pid']})" for item in ended.survivors)
        lines.append(f"[still running: {names}]")
    details = {
        "command": arguments.command,
        "exit_code": ended.exit_code,
        "seconds": round(ended.seconds, 3),
        "timed_out": ended.timed_out,
        "folder": str(root),
        "survivors": [dict(item) for item in ended.survivors],
    }
    failed = ended.timed_out or ended.stopped or ended.exit_code != 0
    return ToolOutput("\n".join(lines), preview, details, is_error=failed)


def _code_line(code: int | None) -> str:
    if code is None:
        return "[the exit code is not known]"
    if code < 0:
        return f"[ended by signal {-code}]"
    return f"[exit code {code}]" if code else "[no output, exit code 0]"
