"""Runs the tool calls of one step and reports how each went, results in call order."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kinet.core.approval import Answerer
from kinet.core.errors import ToolError
from kinet.core.events import ToolFinished, ToolProgress, ToolStarted
from kinet.core.messages import ToolCall
from kinet.engine.base import TurnRequest
from kinet.engine.context.truncation import for_model
from kinet.engine.event_flow import Telling
from kinet.engine.guards.approvals import Approvals
from kinet.engine.guards.loop_guard import LoopGuard
from kinet.engine.hooks import HookedCall
from kinet.engine.loop.journaling import Journaling
from kinet.tools.base import Access, Arguments, SubAgents, Tool, ToolContext, ToolOutput
from kinet.tools.processes import working_folder
from kinet.tools.toolbox import Toolbox

_log = logging.getLogger(__name__)

STOPPED = "[stopped]"
_FOLDER_TOOLS = frozenset({
    "read_file", "write_file", "edit_file", "delete_file", "list_folder", "symbols",
    "shell", "shell_output", "shell_stop", "grep", "glob",
    "git_diff", "git_log", "git_show", "git_status",
})  # fmt: skip
_PREVIEW = 80


@dataclass(frozen=True, slots=True)
class _Ready:
    """A call whose tool is known and whose arguments are checked; or why it cannot run."""

    call: ToolCall
    tool: Tool | None = None
    arguments: Arguments | None = None
    problem: str = ""
    # One that the engine did not want says nothing of whether the model gets on.
    unwanted: bool = False

    @property
    def only_reads(self) -> bool:
        """True if it may run beside others; a call that cannot run hurts nobody."""
        return self.tool is None or self.tool.access is Access.READ


class ToolRunner:
    """Runs calls for one turn. It emits ToolStarted, ToolProgress, ToolFinished, FilesChanged."""

    def __init__(
        self,
        turn: TurnRequest,
        telling: Telling,
        approvals: Approvals,
        guard: LoopGuard,
        agents: SubAgents | None = None,
        page_bytes: Callable[[], int] = lambda: 0,
    ) -> None:
        self._turn = turn
        self._telling, self._emit = telling, telling.put
        self._approvals = approvals
        self._guard = guard
        self._agents = agents
        self._page_bytes = page_bytes
        self._journaling = Journaling(turn, telling.put)
        self._slots = asyncio.Semaphore(max(1, turn.limits.parallel_reads))
        # True when every call of the last step said that nothing is left to do.
        self.asked_to_end = False

    async def run(self, calls: Sequence[ToolCall], *, cut_off: bool = False) -> None:
        """Answers every call exactly once. `cut_off`: the reply was ended by the output limit.

        Neighbours that only read run side by side; everything else runs alone, in call order.
        """
        self.asked_to_end = True
        group: list[_Ready] = []
        prepared = self._prepare_all(calls, cut_off)
        self._approvals.equal.begin_step(
            (ready.tool.name, ready.arguments.model_dump())
            for ready in prepared
            if ready.tool is not None and ready.arguments is not None
        )
        serial = any(getattr(ready.tool, "alone", False) for ready in prepared)
        for ready in prepared:
            if ready.only_reads and not serial:
                group.append(ready)
                continue
            await self._run_together(group)
            group = []
            await self._run_one(ready)
        await self._run_together(group)

    def _prepare_all(self, calls: Sequence[ToolCall], cut_off: bool) -> list[_Ready]:
        limit = self._turn.limits.max_calls_per_step
        text = f"Not run: limit. At most {limit} calls are run per step; ask again."
        return [
            _Ready(call, problem=text, unwanted=True)
            if 0 < limit <= number
            else self._prepare(call, cut_off)
            for number, call in enumerate(calls)
        ]

    def _prepare(self, call: ToolCall, cut_off: bool) -> _Ready:
        tool = self._turn.toolbox.find(call.name)
        writes = tool is not None and tool.access is not Access.READ
        if cut_off and (call.invalid or writes):
            return _Ready(
                call,
                problem="Not run: the reply was cut off by the output limit, so this call may be "
                "incomplete. Send it again in smaller parts.",
            )
        if call.invalid:
            return _Ready(
                call,
                problem="Not run: the arguments are not one whole JSON object. Send the call again "
                "with complete arguments.",
            )
        try:
            found, arguments = self._turn.toolbox.prepare(call.name, call.parsed())
        except ToolError as exc:
            return _Ready(call, problem=exc.sentence())
        except ValueError as exc:
            return _Ready(call, problem=f"Not run: {exc}. Send the call again as a JSON object.")
        return _Ready(call, found, arguments)

    async def _run_together(self, group: Sequence[_Ready]) -> None:
        if len(group) == 1:
            await self._run_one(group[0])
        elif group:
            async with asyncio.TaskGroup() as tasks:
                for ready in group:
                    tasks.create_task(self._run_in_slot(ready))

    async def _run_in_slot(self, ready: _Ready) -> None:
        async with self._slots:
            await self._run_one(ready)

    async def _run_one(self, ready: _Ready) -> None:
        if ready.tool is None or ready.arguments is None:
            self.asked_to_end = False
            refused = ToolOutput(ready.problem, is_error=True)
            self._finish(ready.call, refused, watched=not ready.unwanted)
            return
        await self._telling.room()
        context = self._context(ready.call)
        started = time.monotonic()
        # A tool's failure is a value here: it belongs to its call and must not end the others.
        (outcome,) = await asyncio.gather(
            self._admit_and_run(ready.call, ready.tool, ready.arguments, context),
            return_exceptions=True,
        )
        output = await self._after(ready.call, ready.arguments, _output_of(ready.call, outcome))
        self.asked_to_end &= output.ends_turn
        self._finish(ready.call, output, time.monotonic() - started)
        self._journaling.tell(ready.call, ready.tool, output)

    async def _admit_and_run(
        self, call: ToolCall, tool: Tool, arguments: Arguments, context: ToolContext
    ) -> ToolOutput:
        admission = await self._approvals.admit(tool, arguments, context)
        if not admission.allowed:
            details = {"denied": True, "unasked": admission.unasked}
            return ToolOutput(admission.refusal, "denied", details, is_error=True)
        hooked = self._hooked(call, arguments)
        for hook in self._turn.hooks:
            if veto := await hook.before_call(hooked):
                return ToolOutput(f"Not run: {veto}", "vetoed", {"denied": True}, is_error=True)
        self._emit(ToolStarted(call.id, call.name, arguments.model_dump(exclude_unset=True)))
        approved = replace(
            context, grant=admission.grant, accepted=admission.accepted, boxed=admission.boxed
        )
        return await self._journaling.run(
            call, tool, arguments.model_dump(), lambda: tool.run(arguments, approved)
        )

    async def _after(self, call: ToolCall, arguments: Arguments, output: ToolOutput) -> ToolOutput:
        """The output as the hooks leave it; what a failing hook would have changed is not told."""
        hooked = self._hooked(call, arguments)
        for hook in self._turn.hooks:
            (changed,) = await asyncio.gather(
                hook.after_call(hooked, output), return_exceptions=True
            )
            output = _output_of(call, changed)
        return output

    def _hooked(self, call: ToolCall, arguments: Arguments) -> HookedCall:
        values = arguments.model_dump(exclude_unset=True) if self._turn.hooks else {}
        return HookedCall(self._turn.session_id, call.id, call.name, values)

    def _finish(
        self, call: ToolCall, output: ToolOutput, seconds: float = 0.0, *, watched: bool = True
    ) -> None:
        limits = self._turn.limits
        told = output.model_content
        if told is None:
            total = output.details.get("characters") if output.details.get("kept_whole") else 0
            told = for_model(output.content, limits, call.id, total=total or 0)
        note = ""
        if watched:
            note = self._guard.observe(call.name, call.arguments, output.content, output.is_error)
        self._emit(
            ToolFinished(
                call.id,
                call.name,
                output.is_error,
                output.preview or _first_line(output.content),
                output.content,
                f"{told}\n\n{note}" if note else told,
                dict(output.details),
                seconds,
                pictures=output.pictures,
            )
        )

    def _context(self, call: ToolCall) -> ToolContext:
        turn = self._turn

        def progress(text: str) -> None:
            self._emit(ToolProgress(call.id, text))

        page = self._page_bytes()
        return ToolContext(
            limits={"page_bytes": page} if page else {},
            folder=turn.folder,
            call_id=call.id,
            session_id=turn.session_id,
            progress=progress,
            unread=self._telling.is_full,
            files=turn.files,
            outputs=turn.outputs,
            memory=turn.memory,
            skills=turn.skill_library,
            readable=turn.readable,
            agents=self._agents,
            ask=turn.approver.answer if isinstance(turn.approver, Answerer) else None,
            unsandboxed=turn.unsandboxed,
            local_permits=turn.local_permits,
            start=turn.folder and working_folder.current(turn.session_id, turn.folder),
            data_dir=turn.data_dir,
        )


def offered(turn: TurnRequest) -> Toolbox:
    """The tools that can work in this turn: none for files without a folder, no vain questions."""
    vain = set() if turn.folder else set(_FOLDER_TOOLS)
    if not isinstance(turn.approver, Answerer):
        vain.add("ask_user")
    if turn.skill_library is None or not turn.skills:
        vain.add("skill")
    names = turn.toolbox.names()
    return turn.toolbox.only(set(names) - vain) if vain & set(names) else turn.toolbox


def _output_of(call: ToolCall, outcome: ToolOutput | BaseException) -> ToolOutput:
    if isinstance(outcome, ToolOutput):
        return outcome
    if isinstance(outcome, ToolError):
        return ToolOutput(outcome.sentence(), details=outcome.details, is_error=True)
    if isinstance(outcome, asyncio.CancelledError):
        return ToolOutput(STOPPED, is_error=True)
    if not isinstance(outcome, Exception):
        raise outcome
    _log.error("tool %s failed unexpectedly", call.name, exc_info=outcome)
    return ToolOutput(
        f"{call.name} failed by a fault of its own ({type(outcome).__name__}: {outcome}). "
        "Try another way.",
        is_error=True,
    )


def _first_line(text: str) -> str:
    line = text.strip().partition("\n")[0]
    return line if len(line) <= _PREVIEW else line[: _PREVIEW - 1] + "…"
