"""The loop of one turn: ask, act, observe, repeat, until there is nothing left to do."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace

from kinet.core.approval import Decision
from kinet.core.budgets import budget_question, going_in_circles
from kinet.core.completion import Completion
from kinet.core.conversation import Conversation
from kinet.core.errors import ProviderError
from kinet.core.events import Event, MessageCompleted, Notice, TurnFinished
from kinet.core.messages import Message
from kinet.engine.base import TurnRequest
from kinet.engine.compacting.shrinking import Shrinking
from kinet.engine.context.context import Context
from kinet.engine.context.prompt import text_of
from kinet.engine.context.tokens import Calibration
from kinet.engine.ending import COMPLETED, Ending, OutputLimitReached, failed
from kinet.engine.event_flow import Telling
from kinet.engine.guards.approvals import Approvals
from kinet.engine.guards.circuit import Circuit, guarded
from kinet.engine.guards.loop_guard import LoopGuard
from kinet.engine.guards.spending import Spending
from kinet.engine.guards.step_cap import StepCap
from kinet.engine.loop.idle_replies import IdleReplies
from kinet.engine.loop.steps import Steps
from kinet.engine.loop.subagent import SubAgentRunner
from kinet.engine.loop.tool_runner import STOPPED, ToolRunner, offered
from kinet.engine.recorder import Recorder, found_in

_CUT_OFF = 'The answer was cut off by the output limit. Send "go on" for the rest.'
_FILTERED = (
    "The server's content filter ended the answer. Say it in other words, or choose another model."
)


class Turn:
    """One turn. `work` runs it, `close` ends it legally wherever it stands."""

    def __init__(
        self,
        request: TurnRequest,
        telling: Telling,
        calibration: Calibration,
        circuit: Circuit,
        *,
        base: str = "",
        purse: Spending | None = None,
    ) -> None:
        request = replace(request, toolbox=offered(request))
        self._request = request
        self._calibration, self._circuit, self._telling = calibration, circuit, telling
        self._started = time.monotonic()
        conversation = conversation_of(request)
        later = found_in(request.turn_id, request.afterwards.add)
        self.recorder = Recorder(conversation, telling.put, request.observers, later)
        self._emit = self.recorder.emit
        self._context = Context(request, conversation, calibration, base=base)
        self._approvals = Approvals(request, self._emit)
        self._guard = LoopGuard()
        self._agents = SubAgentRunner(request, self._emit, self._run_sub_agent)
        self._tools = ToolRunner(
            request,
            replace(telling, put=self._emit),
            self._approvals,
            self._guard,
            self._agents,
            self._context.page_bytes,
        )
        self._steps = Steps(request, telling, self.recorder, self._context, circuit)
        self._shrinking = Shrinking(
            guarded(request, circuit), self._context, self.recorder, self._steps.cost_of
        )
        self._cap = StepCap(request.limits.max_steps)
        self._spending = purse or Spending(request, lambda: self.recorder.spent)
        # Cleared while a person is asked for more time: no further step begins then.
        self._free = asyncio.Event()
        self._free.set()
        self._idle = IdleReplies(self._emit, self._tell_model, self._approvals)
        if request.insist:
            circuit.try_anyway(request.profile)

    async def work(self) -> Ending:
        """Runs the turn and says how it ended. Cancelling it stops all it started."""
        try:
            ending = await self._loop()
        except ProviderError as exc:
            return failed(exc)
        except OutputLimitReached:
            size = self._request.limits.screen_bytes // 1024
            return Ending("budget", f"The turn wrote more than {size} KB; the answer is partial.")
        await self._shrinking.after_turn()
        return ending

    async def compact(self, topic: str) -> Ending:
        """Compacts because the person asked for it; makes no other request."""
        try:
            self._circuit.check(self._request.profile)
            told = await self._shrinking.compact("asked for by hand", topic, by_hand=True)
        except ProviderError as exc:
            return failed(exc)
        if not told:
            self._emit(Notice("There is nothing to compact yet."))
        return COMPLETED

    async def more_time(self, seconds: float) -> Decision:
        """Asks for more time; meanwhile no further step begins."""
        self._free.clear()
        try:
            asked = budget_question("time", self._request.limits.max_seconds, seconds)
            return await self._approvals.ask_to_go_on(asked)
        finally:
            self._free.set()

    def close(self, ending: Ending, open_calls: str = STOPPED) -> None:
        """Keeps partial text, answers what is open, and tells the last event."""
        self._steps.keep_partial()
        self.recorder.answer_open_calls(open_calls, self._request.limits)
        self._steps.tell_counted()
        if ending.reason not in ("completed", "stopped", "failed") and ending.detail:
            self._emit(Notice(ending.detail, "warning"))
        seconds = time.monotonic() - self._started
        self.recorder.close(
            TurnFinished(ending.reason, ending.error, ending.detail, seconds, time.time())
        )

    async def _loop(self) -> Ending:
        number = 0
        while True:
            number += 1
            await self._free.wait()
            await self._telling.room()
            if ending := await self._spending.check(self._approvals.ask_to_go_on):
                return ending
            self._take_steering()
            # A fault (an empty reply) uses no step of the cap.
            counted = number - self._idle.faults
            last = self._cap.is_last(counted)
            if note := self._cap.note(counted):
                self._tell_model(note)
            await self._take_model_change()
            self._circuit.check(self._request.profile)
            await self._shrinking.before_step()
            completion = await self._steps.ask(number, last, self._shrinking)
            # What joined the history is what has to be answered, call by call.
            calls = completion.raw_assistant.tool_calls
            if calls:
                self._idle.forget()
                self._guard.begin_step()
                await self._tools.run(calls, cut_off=completion.finish == "length")
            self._steps.finish()
            ending = await self._after(completion, last)
            if ending is not None:
                return ending

    async def _after(self, completion: Completion, last: bool) -> Ending | None:
        """How the turn ends after this step, or None to go on."""
        if completion.raw_assistant.tool_calls:
            if self._tools.asked_to_end and not self._take_steering():
                return COMPLETED
            return await self._consult_guard()
        if self._take_steering():
            return None
        is_empty = not completion.content.strip() and completion.finish != "pause"
        if last:
            # One that wrote nothing but calls was told already that none are run.
            if is_empty and completion.finish != "tool_calls" and self._idle.may_be_asked_again:
                return self._idle.after_empty()
            return Ending(
                "step_limit",
                f"The limit of {_steps(self._cap.steps)} was reached; the task may be unfinished.",
            )
        if completion.finish == "pause":
            return await self._idle.after_talk()
        if is_empty:
            return self._idle.after_empty()
        if completion.finish == "length":
            self._emit(Notice(_CUT_OFF, "warning"))
        if completion.finish == "content_filter":
            self._emit(Notice(_FILTERED, "warning"))
        return COMPLETED

    async def _consult_guard(self) -> Ending | None:
        """No progress: it says go on, adds a note, or asks the person."""
        advice = self._guard.end_step()
        if advice == "message":
            self._tell_model(
                f"[Kinet: {self._guard.reason}. This leads nowhere. Do something different now, "
                "or tell the person what is missing.]"
            )
        if advice == "ask":
            reason = self._guard.reason
            question = "The agent seems to go in circles. Let it go on?"
            decision = await self._approvals.ask_to_go_on(going_in_circles(question, reason))
            if not decision.allowed:
                return Ending("no_progress", f"No progress: {reason}.")
            self._guard.forgive()
        return None

    def _take_steering(self) -> bool:
        """Lets what the person sent meanwhile join the history. True if there was any."""
        messages = self._request.steering()
        for message in messages:
            self._emit(MessageCompleted(message))
        return bool(messages)

    async def _take_model_change(self) -> None:
        """Asks another model from this step on, if the person chose one meanwhile."""
        change = await self._request.changed() if self._request.changed else None
        if change is None:
            return
        request = self._request = replace(
            self._request, profile=change.profile, provider=change.provider, effort=change.effort
        )
        for part in (self._context, self._agents, self._steps):
            part.use(request)
        self._shrinking.use(guarded(request, self._circuit))
        if change.notice:
            self._emit(Notice(change.notice))

    def _tell_model(self, note: str) -> None:
        self._emit(MessageCompleted(Message("user", note, kind="note")))

    async def _run_sub_agent(self, request: TurnRequest, put: Callable[[Event], None]) -> Ending:
        base, telling = text_of("subagent"), replace(self._telling, put=put)
        turn = Turn(
            request, telling, self._calibration, self._circuit, base=base, purse=self._spending
        )
        ending = await turn.work()
        turn.close(ending)
        return ending


def conversation_of(request: TurnRequest) -> Conversation:
    """The context the turn begins with, the new message last."""
    messages = [*request.history, request.user]
    conversation = Conversation(messages=messages, state="running", turns=1)
    summary = 1 if messages[0].kind == "summary" else 0
    covered = request.occupancy_messages - request.carry.first_message + summary
    if request.occupancy and 0 < covered <= len(messages):
        conversation.occupancy, conversation.occupancy_messages = request.occupancy, covered
    return conversation


def _steps(number: int) -> str:
    return f"{number:,} step{'' if number == 1 else 's'}"
