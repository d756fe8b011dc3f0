"""The tool that runs a command in the project folder."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from kinet.core.approval import ApprovalRequest, Scope
from kinet.core.errors import ToolError
from kinet.policy.commands import judge_command
from kinet.policy.gate import granted_to_read
from kinet.policy.paths import is_inside
from kinet.policy.visible import visible_line
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput
from kinet.tools.files.file_access import project
from kinet.tools.processes import jobs, survivors, working_folder
from kinet.tools.processes.process import Ended, finish
from kinet.tools.processes.shell_command import ShellCommand, check
from kinet.tools.processes.whole_output import place_of
from kinet.tools.questions import build_question

DEFAULT_TIMEOUT_S = 120
_LONGEST_TIMEOUT_S = 3_600
# Characters of output that the loop was handed and has not come to; then the command is held.
_MOST_UNREAD = 256 * 1024


class ShellArguments(Arguments):
    """The command and how long it may take."""

    command: str
    timeout_s: int = Field(DEFAULT_TIMEOUT_S, ge=1, le=_LONGEST_TIMEOUT_S)
    background: bool = Field(False, description="let it run on, without a time limit")
    outside_sandbox: bool = Field(False, description="only where a sandbox forbade it: ask for it")


class Shell:
    """Runs a command with bash, without a terminal, and ends its whole tree on a stop."""

    name: ClassVar[str] = "shell"
    description: ClassVar[str] = (
        "Runs a bash command: output and exit code. There is no terminal and no input; cd holds "
        "for the next call. Prefer the tools for files. Servers go with background: true, then "
        "shell_output."
    )
    access: ClassVar[Access] = Access.EXECUTE
    arguments: ClassVar[type[Arguments]] = ShellArguments

    def question(self, arguments: ShellArguments, context: ToolContext) -> ApprovalRequest:
        """The question with the whole command; whether it is asked, the gate decides."""
        check(arguments.command)
        root = project(context)
        start = context.start or root
        judgement = judge_command(
            arguments.command, root, data_dir=context.data_dir, start=context.start
        )
        scopes: tuple[Scope, ...] = (
            ("once", "session", "folder") if judgement.memorable else ("once",)
        )
        return build_question(
            self.name,
            arguments,
            context,
            kind="command",
            question=_asked(arguments),
            body=arguments.command,
            folder=start,
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
        check(arguments.command)
        root = project(context)
        gone = working_folder.vanished(context.session_id, root)
        start = root if gone is not None or context.start is None else context.start
        judgement = judge_command(arguments.command, root, data_dir=context.data_dir, start=start)
        if judgement.verdict == "deny":
            raise ToolError(f"This command is never run: {judgement.reason}.", kind="refused")
        if judgement.verdict != "allow" and granted_to_read(
            self.name, arguments.model_dump(), context.grant
        ):
            raise ToolError(
                f"What it would read has changed since it was judged: {judgement.reason}.",
                hint="Call it once more; then the person is asked.",
                kind="refused",
            )
        if context.boxed and not is_inside(start, root):
            # The box has no such place, or another one of that name.
            start = root
        told = _OnLoop(context.progress, context.unread)
        command = ShellCommand(
            arguments.command,
            root,
            start,
            math.inf if arguments.background else arguments.timeout_s,
            told,
            told.unread,
            output=place_of(context.data_dir, context.session_id, context.call_id),
            data_dir=context.data_dir,
            # What ran unasked was judged by the names of well-known programs: a program of the
            # same name in the project must not take their place.
            trusted=judgement.verdict == "allow",
            boxed=context.boxed,
            background=arguments.background,
        )
        if arguments.background:
            return await _in_background(command, context)
        return await _in_front(command, context, gone)


async def run_typed(text: str, context: ToolContext) -> ToolOutput:
    """Runs a command that the person typed: without a time limit and outside every sandbox.

    It begins where the session's last command ended, as those of the model do. ToolError for what
    is never run or cannot be started. A cancellation ends the whole tree.
    """
    check(text)
    root = project(context)
    gone = working_folder.vanished(context.session_id, root)
    start = root if gone is not None or context.start is None else context.start
    # Looked at once more, for the folder may have changed while a question stood.
    judgement = judge_command(text, root, data_dir=context.data_dir, start=start)
    if judgement.verdict == "deny":
        raise ToolError(f"This command is never run: {judgement.reason}.", kind="refused")
    told = _OnLoop(context.progress, context.unread)
    command = ShellCommand(
        text,
        root,
        start,
        math.inf,
        told,
        told.unread,
        output=place_of(context.data_dir, context.session_id, context.call_id),
        data_dir=context.data_dir,
    )
    return await _in_front(command, context, gone)


async def _in_front(command: ShellCommand, context: ToolContext, gone: Path | None) -> ToolOutput:
    try:
        running = await asyncio.to_thread(command.make)
        ended = await finish(running)
    except OSError as exc:
        raise ToolError(f"The command could not be started: {exc}.", kind="io") from exc
    if ended.survivors:
        survivors.keep(
            survivors.Survivor(
                context.session_id, context.call_id, command.text, ended.survivors, running
            )
        )
    now = command.start
    if ended.folder is not None and (not command.boxed or is_inside(ended.folder, command.root)):
        now = ended.folder
    working_folder.keep(context.session_id, command.root, now)
    return _output(ended, command, now if context.session_id else command.start, gone)


async def _in_background(command: ShellCommand, context: ToolContext) -> ToolOutput:
    """Starts a job of the session. It ends by itself, by shell_stop, or with the session."""
    if len(jobs.listed(context.session_id, running=True)) >= jobs.MOST_JOBS:
        raise ToolError(
            f"{jobs.MOST_JOBS} background jobs run already.",
            hint="End one with shell_stop first.",
            kind="limit",
        )
    job = jobs.new_job(context.session_id, context.call_id, command.text)
    try:
        job.running = await asyncio.to_thread(command.with_progress(job.feed).make)
    except OSError as exc:
        raise ToolError(f"The command could not be started: {exc}.", kind="io") from exc
    job.running.start()
    jobs.keep(job)
    text = (
        f"Started in the background as {job.id}. shell_output shows what it prints, shell_stop "
        "ends it; it ends with the session at the latest."
    )
    details = {
        "command": command.text,
        "job": job.id,
        "folder": str(command.start),
        "running": True,
        "sandbox": command.boxed,
    }
    return ToolOutput(text, f"{job.id} runs", details)


def _asked(arguments: ShellArguments) -> str:
    if arguments.outside_sandbox:
        return "Run this command outside the sandbox?"
    return "Run this command?"


class _OnLoop:
    """A progress callback that is called in the loop's thread from the reading one."""

    def __init__(self, progress: Callable[[str], None], unread: Callable[[], bool]) -> None:
        self._progress, self._told_unread = progress, unread
        self._loop = asyncio.get_running_loop()
        # What the loop was handed and what it had come to; each is counted by one thread alone.
        self._handed = self._taken = 0

    def __call__(self, text: str) -> None:
        if not self._loop.is_closed():
            self._handed += len(text)
            self._loop.call_soon_threadsafe(self._take, text)

    def unread(self) -> bool:
        """True while the command should be held: the loop is busy, or nobody reads what it told."""
        return self._handed - self._taken > _MOST_UNREAD or self._told_unread()

    def _take(self, text: str) -> None:
        self._taken += len(text)
        self._progress(text)


def _output(ended: Ended, command: ShellCommand, now: Path, gone: Path | None) -> ToolOutput:
    lines = [ended.output.rstrip("\n")] if ended.output.strip() else []
    begins = 0
    if gone is not None:
        lines.insert(0, f"[{visible_line(str(gone))} is gone; this began in the project folder]")
        begins = len(lines[0]) + 1
    if ended.timed_out:
        limit = f"{command.timeout_s:.0f}"
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
    if ended.trouble:
        lines.append(f"[not all of the output could be kept: {ended.trouble}]")
    failed = ended.timed_out or ended.stopped or ended.exit_code != 0
    if failed and command.boxed:
        lines.append(
            "[it ran in a sandbox: no network, and only the project folder can be written, without "
            "its repository and settings]"
        )
    if now != command.root or command.start != command.root:
        lines.append(_place_line(now, command.root))
    details = _details(ended, command)
    if ended.coloured:
        # Where the output begins in these lines, and what they leave out of it.
        details["colours"] = [begins, *ended.gap]
    return ToolOutput("\n".join(lines), preview, details, is_error=failed)


def _details(ended: Ended, command: ShellCommand) -> dict[str, object]:
    # With colours, bars that were printed over, and links, for whoever looks at it.
    printed = {"printed": ended.printed} if ended.printed else {}
    return {
        "command": command.text,
        "exit_code": ended.exit_code,
        "seconds": round(ended.seconds, 3),
        "timed_out": ended.timed_out,
        "folder": str(command.start),
        "sandbox": command.boxed,
        "survivors": [dict(item) for item in ended.survivors],
        "characters": ended.characters,
        # The whole lies in a file; `content` has its two ends.
        "kept_whole": ended.kept,
        **printed,
    }


def _place_line(now: Path, root: Path) -> str:
    if now == root:
        return "[now in the project folder]"
    if is_inside(now, root):
        return f"[now in {visible_line(now.relative_to(root).as_posix())}]"
    return f"[now in {visible_line(str(now))}, outside the project]"


def _code_line(code: int | None) -> str:
    if code is None:
        return "[the exit code is not known]"
    if code < 0:
        return f"[ended by signal {-code}]"
    return f"[exit code {code}]" if code else "[no output, exit code 0]"
