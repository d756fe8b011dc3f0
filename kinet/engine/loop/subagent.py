"""Runs the task of a dispatch_agent call: read-only tools, a history of its own, hard limits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from kinet.core.approval import ApprovalRequest, Decision
from kinet.core.events import (
    ApprovalRequested,
    ApprovalResolved,
    Event,
    MessageCompleted,
    RetryScheduled,
    StepFinished,
    ToolFinished,
    ToolProgress,
    ToolStarted,
)
from kinet.core.messages import Message, ToolCall
from kinet.engine.base import TurnRequest
from kinet.engine.ending import Ending
from kinet.tools.base import Outputs, ToolOutput

MAX_STEPS = 8
MAX_SECONDS = 180.0

# Runs a turn of its own and tells its events to the callback.
RunTurn = Callable[[TurnRequest, Callable[[Event], None]], Awaitable[Ending]]


class SubAgentRunner:
    """Starts sub-agents for one turn; several may run side by side. It inherits policy and stop."""

    def __init__(
        self,
        turn: TurnRequest,
        emit: Callable[[Event], None],
        run: RunTurn,
        *,
        seconds: float = MAX_SECONDS,
    ) -> None:
        self._turn = turn
        self._emit = emit
        self._run = run
        self._seconds = seconds

    def use(self, turn: TurnRequest) -> None:
        """Sub-agents that start from now on ask `turn`'s model."""
        self._turn = turn

    async def dispatch(self, task: str, context: str, call_id: str) -> ToolOutput:
        """The final text of a sub-agent; what it had written where a limit or a fault ended it."""
        asked = f"{task}\n\n{context}".strip()
        said: list[str] = []
        forward = _Forward(call_id, self._emit, said)
        try:
            async with asyncio.timeout(self._seconds) as clock:
                forward.clock = clock
                ending = await self._run(self._request(asked, call_id), forward)
        except TimeoutError:
            forward.close_open()
            ending = Ending("budget", f"the time limit of {self._seconds:.0f} seconds was reached")
        text = said[-1] if said else ""
        details = {"steps": forward.steps, "ending": ending.reason}
        preview = f"{forward.steps} steps"
        if ending.reason == "completed" and text:
            return ToolOutput(text, preview, details)
        why = ending.error.message if ending.error else ending.detail or ending.reason
        report = f"The sub-agent did not finish: {why}."
        if text:
            return ToolOutput(f"{report} What it had so far:\n\n{text}", preview, details)
        return ToolOutput(f"{report} It had written nothing.", preview, details, is_error=True)

    def _request(self, task: str, call_id: str) -> TurnRequest:
        turn = self._turn
        outputs = _OwnOutputs(turn.outputs, call_id) if turn.outputs else None
        limits = replace(turn.limits, max_steps=MAX_STEPS, max_seconds=0.0, budget_usd=0.0)
        return replace(
            turn,
            session_id=f"{turn.session_id}:agent" if turn.session_id else "",
            user=Message("user", task),
            history=(),
            toolbox=turn.toolbox.read_only(),
            limits=limits,
            skills=(),
            memory_text="",
            outputs=outputs,
            steering=tuple,
            occupancy=0,
            occupancy_messages=0,
            carry=type(turn.carry)(),
            observers=(),
            changed=None,
            added=(),
        )


class _OwnOutputs:
    """A sub-agent knows its calls by its own ids; they are kept under those of the parent."""

    def __init__(self, outputs: Outputs, parent: str) -> None:
        self._outputs = outputs
        self._parent = parent

    def load(self, call_id: str) -> str | None:
        """The whole output of one of its calls."""
        return self._outputs.load(f"{self._parent}.{call_id}")


class _Forward:
    """Hands on what a parent may see: calls and money, no text. Ids are made the parent's own."""

    def __init__(self, parent: str, emit: Callable[[Event], None], said: list[str]) -> None:
        self.steps = 0
        self._parent = parent
        self._emit = emit
        self._said = said
        self._open: dict[str, str] = {}
        self._asked_for: dict[str, ToolCall] = {}
        self._asked: dict[str, ApprovalRequest] = {}
        self.clock: asyncio.Timeout | None = None
        self._left: float | None = None

    def __call__(self, event: Event) -> None:
        parent = self._parent
        match event:
            case MessageCompleted(message=message):
                if message.role == "assistant" and message.text.strip():
                    self._said.append(message.text)
                self._asked_for.update({call.id: call for call in message.tool_calls})
            case StepFinished(purpose=purpose):
                self.steps += purpose == ""
                self._emit(replace(event, purpose="subagent", segments=(), cache_note=""))
            case ToolStarted(call_id=call_id, name=name):
                self._open[call_id] = name
                self._emit(replace(event, call_id=f"{parent}.{call_id}", parent=parent))
            case ToolProgress(call_id=call_id):
                self._emit(replace(event, call_id=f"{parent}.{call_id}", parent=parent))
            case ToolFinished(call_id=call_id, details=details):
                if self._open.pop(call_id, None) is None:
                    # It never began: what it was asked for is told nowhere else.
                    details = {**details, "arguments": self._arguments(call_id)}
                told = replace(event, call_id=f"{parent}.{call_id}", parent=parent)
                self._emit(replace(told, details=details))
            case ApprovalRequested(request=request):
                self._asked[request.id] = request
                self._pause()
                asked = replace(request, call_id=f"{parent}.{request.call_id}")
                self._emit(ApprovalRequested(asked))
            case ApprovalResolved(id=id_, call_id=call_id):
                self._asked.pop(id_, None)
                self._go_on()
                self._emit(replace(event, call_id=f"{parent}.{call_id}"))
            case RetryScheduled():
                self._emit(event)
            case _:
                pass

    def _arguments(self, call_id: str) -> dict[str, Any]:
        call = self._asked_for.get(call_id)
        try:
            return call.parsed() if call is not None else {}
        except ValueError:
            return {}

    def _pause(self) -> None:
        """A person may take their time: the clock stands while a question is open."""
        when = self.clock.when() if self.clock else None
        if self.clock and when is not None:
            self._left = when - asyncio.get_running_loop().time()
            self.clock.reschedule(None)

    def _go_on(self) -> None:
        if self.clock and self._left is not None and not self._asked and not self.clock.expired():
            self.clock.reschedule(asyncio.get_running_loop().time() + self._left)
            self._left = None

    def close_open(self) -> None:
        """Ends the questions and calls that a time limit cut off."""
        for request in list(self._asked.values()):
            decision = Decision(False, reason="the sub-agent's time was up")
            self(ApprovalResolved(request.id, request.call_id, decision))
        for call_id, name in list(self._open.items()):
            self(ToolFinished(call_id, name, True, "stopped", "[stopped]", "[stopped]"))
