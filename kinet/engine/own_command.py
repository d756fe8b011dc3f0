"""Runs a command that the person typed, beside no turn of a model, and tells how it went."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kinet.core.approval import ApprovalRequest, Approver
from kinet.core.errors import ToolError
from kinet.core.events import Event, ToolFinished, ToolProgress, ToolStarted
from kinet.core.messages import ToolCall
from kinet.core.own_command import NAME, OwnCommand
from kinet.core.pairing import STOPPED
from kinet.engine.base import (
    Afterwards,
    FileJournal,
    Forgotten,
    Limits,
    Remembered,
    StopSignal,
)
from kinet.engine.context.truncation import for_model
from kinet.engine.event_flow import EventFlow, Telling
from kinet.engine.hooks import Hook, HookedCall
from kinet.engine.kept_progress import KeptProgress
from kinet.engine.loop.journaling import Journaling
from kinet.engine.recorder import found_in
from kinet.net.redact import hide_live_keys, redact
from kinet.policy.gate import Verdict, gather, judge_typed
from kinet.tools.base import ToolContext, ToolOutput
from kinet.tools.processes import working_folder
from kinet.tools.processes.shell_command import check
from kinet.tools.questions import build_question
from kinet.tools.shell import Shell, ShellArguments, run_typed

_log = logging.getLogger(__name__)

# As the engine has it: what needs longer to clean up goes on by itself.
_GRACE_SECONDS = 0.05
# The command's end is told then; that of its turn waits for the look at what it changed, for the
# card that takes it back belongs into the turn. Of a look that takes longer it is told afterwards.
_LOOK_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class CommandRequest:
    """All that is needed for one command. `turn_id` names its turn, for the journal, and its call.

    `limits` say how much of the output a model gets. `folder` is the session's; the command begins
    where the last one ended. `afterwards` takes in what it is found to have changed when all of it
    was told.
    """

    session_id: str
    turn_id: str
    command: OwnCommand
    folder: Path
    approver: Approver
    stop: StopSignal
    limits: Limits = field(default_factory=Limits)
    remembered: Remembered | None = None
    journal: FileJournal | None = None
    hooks: tuple[Hook, ...] = ()
    data_dir: Path | None = None
    afterwards: Afterwards = field(default_factory=Forgotten)

    @property
    def arguments(self) -> dict[str, Any]:
        """What its step shows as input."""
        private = {"private": True} if self.command.private else {}
        return {"command": self.command.text, **private}

    @property
    def start(self) -> Path:
        """Where it begins: a real path."""
        return working_folder.current(self.session_id, self.folder)


def verdict_on(request: CommandRequest) -> Verdict:
    """Whether it runs, is asked about, or never runs. Looks at paths: call it in a thread.

    ToolError for a text that no shell can be given.
    """
    check(request.command.text)
    values = {"command": request.command.text}
    start, book = request.start, request.remembered
    facts = gather(
        "shell", "execute", values, request.folder, data_dir=request.data_dir, start=start
    )
    places = {str(request.folder): None, str(start): None}
    answers = [book.decision("shell", values, place) for place in places] if book else []
    no = next((answer for answer in answers if answer and not answer.allowed), None)
    return judge_typed(facts, no)


def question_on(request: CommandRequest, verdict: Verdict) -> ApprovalRequest:
    """What the person is asked about their own command, with the whole of it."""
    question = build_question(
        NAME,
        ShellArguments.model_validate({"command": request.command.text}),
        _context(request),
        kind="command",
        question="Run this command of yours all the same?",
        body=request.command.text,
        folder=request.start,
        reason=verdict.reason,
    )
    return replace(question, arguments=request.arguments)


async def run_command(
    request: CommandRequest, lingering: set[asyncio.Task[Any]]
) -> AsyncGenerator[Event, None]:
    """ToolProgress, one ToolFinished, and FilesChanged if there are any; never raises of itself.

    ToolStarted is the caller's, who stores it first. What still cleans up after a stop is put into
    `lingering`. Leaving the iteration early ends all it started too.
    """
    flow = EventFlow()
    run = _Run(request, flow.telling)
    driver = asyncio.create_task(run.drive(lingering))
    driver.add_done_callback(lambda task: flow.end())
    try:
        while (event := await flow.next()) is not None:
            yield event
        await driver
    finally:
        driver.cancel()
        await asyncio.gather(driver, return_exceptions=True)


class _Run:
    """One run, from its start to the one ToolFinished."""

    def __init__(self, request: CommandRequest, telling: Telling) -> None:
        self._request = request
        self._emit, self._unread = telling.put, telling.is_full
        self._printed = KeptProgress()
        # Nothing it prints is told once its end is, nothing it changed once all of it is.
        self._told_end = self._closed = False
        self._began = time.monotonic()
        # For the journal it is one of the shell: what only reads costs no look.
        self._call = ToolCall(request.turn_id, "shell")
        self._tool = Shell()
        self._later = found_in(request.turn_id, request.afterwards.add)
        self._journaling = Journaling(request, self._emit_found)

    async def drive(self, lingering: set[asyncio.Task[Any]]) -> None:
        """Ends when the command does, or soon after a stop."""
        work = asyncio.create_task(self._work())
        stop = asyncio.create_task(self._request.stop.wait())
        try:
            await asyncio.wait({work, stop}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                _cancel(work, lingering)
                await asyncio.wait({work}, timeout=_GRACE_SECONDS)
            output = self._output_of(work)
            # A million characters are looked through: not on the loop.
            self._finish(output, await asyncio.to_thread(self._told, output))
            if not work.done():
                await asyncio.wait({work}, timeout=_LOOK_SECONDS)
        finally:
            self._closed = True
            stop.cancel()
            if work not in lingering:
                _cancel(work, lingering)

    async def _work(self) -> ToolOutput:
        request = self._request
        values = request.arguments
        hooked = HookedCall(request.session_id, request.turn_id, NAME, values)
        for hook in request.hooks:
            if veto := await hook.before_call(hooked):
                return ToolOutput(f"Not run: {veto}", "not run", {"denied": True}, is_error=True)
        context = replace(_context(request), progress=self._progress, unread=self._unread)
        try:
            output = await self._journaling.run(
                self._call,
                self._tool,
                values,
                lambda: run_typed(request.command.text, context),
            )
        except ToolError as exc:
            output = ToolOutput(exc.sentence(), "not run", exc.details, is_error=True)
        for hook in request.hooks:
            output = await hook.after_call(hooked, output)
        return output

    def _progress(self, text: str) -> None:
        if not self._told_end:
            self._printed.add(text)
            self._emit(ToolProgress(self._request.turn_id, text))

    def _emit_found(self, event: Event) -> None:
        """What the journal tells; after the end nobody listens here any more."""
        (self._later if self._closed else self._emit)(event)

    def _output_of(self, work: asyncio.Task[ToolOutput]) -> ToolOutput:
        if not work.done() or work.cancelled():
            text = self._printed.ended_with(STOPPED)
            return ToolOutput(text, "stopped", {"stopped": True}, is_error=True)
        error = work.exception()
        if error is None:
            return work.result()
        _log.error("a command of the person failed unexpectedly", exc_info=error)
        text = f"[Kinet made a mistake of its own: {type(error).__name__}: {error}]"
        return ToolOutput(self._printed.ended_with(text), "failed", is_error=True)

    def _told(self, output: ToolOutput) -> str:
        """What a model gets: two ends, no key that is in use, and nothing that looks like one.

        Keys go before the cut, which could part one; shapes after it, for to look for them in all
        of a long output takes a second.
        """
        total = output.details.get("characters") if output.details.get("kept_whole") else 0
        limits, call_id = self._request.limits, self._request.turn_id
        return redact(for_model(hide_live_keys(output.content), limits, call_id, total=total or 0))

    def _finish(self, output: ToolOutput, told: str) -> None:
        request = self._request
        self._emit(
            ToolFinished(
                request.turn_id,
                NAME,
                output.is_error,
                output.preview,
                output.content,
                told,
                {**output.details, **request.arguments},
                time.monotonic() - self._began,
            )
        )
        self._told_end = True
        self._journaling.tell(self._call, self._tool, output)


def _cancel(work: asyncio.Task[Any], lingering: set[asyncio.Task[Any]]) -> None:
    """Ends the work, which goes on cleaning up by itself."""
    if not work.done():
        work.cancel()
        lingering.add(work)
        work.add_done_callback(lingering.discard)


def started(request: CommandRequest) -> ToolStarted:
    """The event that says that it is about to run."""
    return ToolStarted(request.turn_id, NAME, request.arguments)


def _context(request: CommandRequest) -> ToolContext:
    return ToolContext(
        folder=request.folder,
        call_id=request.turn_id,
        session_id=request.session_id,
        start=request.start,
        data_dir=request.data_dir,
        unsandboxed=True,
    )
