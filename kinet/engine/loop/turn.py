"""The loop of one turn: ask, act, observe, repeat, until there is nothing left to do."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from kinet.core.approval import Decision
from kinet.core.budgets import budget_question, going_in_circles
from kinet.core.completion import Completion, Usage
from kinet.core.conversation import Conversation
from kinet.core.errors import ContextTooLongError, ProviderError
from kinet.core.events import (
    Event,
    MessageCompleted,
    Notice,
    SegmentReset,
    StepFinished,
    StepStarted,
    TurnFinished,
)
from kinet.core.messages import Message
from kinet.engine.base import TurnRequest
from kinet.engine.compacting.shrinking import Shrinking
from kinet.engine.context.context import Context
from kinet.engine.context.prompt import text_of
from kinet.engine.context.published import reading_published
from kinet.engine.context.segments import SegmentHashes, cache_note, shortened
from kinet.engine.context.tokens import Calibration, size_of_message, size_of_text
from kinet.engine.ending import COMPLETED, Ending, OutputLimitReached, failed
from kinet.engine.guards.approvals import Approvals
from kinet.engine.guards.circuit import Circuit, guarded
from kinet.engine.guards.loop_guard import LoopGuard
from kinet.engine.guards.spending import Spending
from kinet.engine.guards.step_cap import StepCap
from kinet.engine.loop.completions import UsedIds, with_fresh_ids, without_calls, without_echo
from kinet.engine.loop.echoes import without_echoes
from kinet.engine.loop.idle_replies import IdleReplies
from kinet.engine.loop.model_call import ModelCall
from kinet.engine.loop.subagent import SubAgentRunner
from kinet.engine.loop.tool_runner import STOPPED, ToolRunner, offered
from kinet.engine.recorder import Recorder, found_in
from kinet.providers.base import ModelRequest


@dataclass
class _Step:
    """The step that runs now, for its StepFinished."""

    number: int
    started: float
    request: ModelRequest | None = None
    segments: tuple[str, ...] = ()
    finished: StepFinished | None = None


class Turn:
    """One turn. `work` runs it, `close` ends it legally wherever it stands."""

    def __init__(
        self,
        request: TurnRequest,
        put: Callable[[Event], None],
        calibration: Calibration,
        circuit: Circuit,
        *,
        base: str = "",
        purse: Spending | None = None,
    ) -> None:
        request = replace(request, toolbox=offered(request))
        self._request = request
        self._calibration, self._circuit = calibration, circuit
        self._started = time.monotonic()
        conversation = conversation_of(request)
        later = found_in(request.turn_id, request.afterwards.add)
        self.recorder = Recorder(conversation, put, request.observers, later)
        self._emit = self.recorder.emit
        self._context = Context(request, conversation, calibration, base=base)
        self._approvals = Approvals(request, self._emit)
        self._guard = LoopGuard()
        self._agents = SubAgentRunner(request, self._emit, self._run_sub_agent)
        self._tools = ToolRunner(
            request,
            self._emit,
            self._approvals,
            self._guard,
            self._agents,
            self._context.page_bytes,
        )
        self._model = ModelCall(
            request.provider,
            request.profile,
            circuit,
            self._emit,
            screen_bytes=request.limits.screen_bytes,
            void=self._count_void,
        )
        self._shrinking = Shrinking(
            guarded(request, circuit), self._context, self.recorder, self._cost_of
        )
        self._hashes = SegmentHashes()
        self._used_ids = UsedIds(conversation, request.carry.call_ids)
        self._segments = request.carry.segments
        self._prompt_tokens, self._answered_by = request.carry.prompt_tokens, request.carry.model
        self._cap = StepCap(request.limits.max_steps)
        self._spending = purse or Spending(request, lambda: self.recorder.spent)
        # Cleared while a person is asked for more time: no further step begins then.
        self._free = asyncio.Event()
        self._free.set()
        self._step: _Step | None = None
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
        self._keep_partial()
        self.recorder.answer_open_calls(open_calls, self._request.limits)
        if self._step is not None and self._step.finished is not None:
            self._emit(self._step.finished)
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
            completion = await self._ask(number, last)
            # What joined the history is what has to be answered, call by call.
            calls = completion.raw_assistant.tool_calls
            if calls:
                self._idle.forget()
                self._guard.begin_step()
                await self._tools.run(calls, cut_off=completion.finish == "length")
            self._finish_step()
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
                f"The limit of {self._cap.steps} steps was reached; the task may be unfinished.",
            )
        if completion.finish == "pause":
            return await self._idle.after_talk()
        if is_empty:
            return self._idle.after_empty()
        if completion.finish == "length":
            self._emit(Notice("The answer was cut off by the output limit.", "warning"))
        if completion.finish == "content_filter":
            self._emit(Notice("The server's content filter ended the answer.", "warning"))
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

    async def _ask(self, number: int, last: bool) -> Completion:
        """One model request, made smaller and sent again if the server finds it too long."""
        self._step = _Step(number, time.monotonic())
        self._emit(StepStarted(number))
        while True:
            request = self._context.request("none" if last else "auto")
            self._step.request = request
            self._step.segments = self._hashes.of(request)
            try:
                async with reading_published(self._request.profile.model):
                    completion = await self._model.ask(request)
            except ContextTooLongError as exc:
                if not await self._shrinking.after_overflow():
                    raise ContextTooLongError(
                        "The conversation does not fit into the model's window, even cut down to "
                        "a quarter.",
                        hint="Compact it, start a new conversation, or choose a model with a "
                        "larger window.",
                        status=exc.status,
                    ) from exc
                continue
            return self._take(completion, request, last)

    def _take(self, completion: Completion, request: ModelRequest, last: bool) -> Completion:
        """Lets a completion join the history."""
        if last and completion.tool_calls:
            # Calls made although none were allowed do not count; the text does.
            completion = without_calls(completion)
        completion = without_echo(with_fresh_ids(completion, self._used_ids.now()))
        usage = self._usage_of(completion, request)
        cost, estimate = self._cost_of(usage)
        if completion.usage.known:
            self._context.learn(request, usage.tokens_in)
        assert self._step is not None
        step = StepFinished(
            usage,
            cost,
            usage.cache_read,
            estimate=estimate,
            segments=shortened(self._segments, self._step.segments),
            cache_note=cache_note(
                self._segments,
                self._step.segments,
                usage,
                self._prompt_tokens,
                other_model=self._answered_by not in ("", completion.model),
            ),
        )
        message = completion.raw_assistant
        is_empty = not (message.text.strip() or message.tool_calls)
        if is_empty and completion.finish != "pause":
            if self.recorder.conversation.draft.strip():
                # Nothing but a note of ours was streamed: it leaves the screen again.
                self._emit(SegmentReset(1))
            # An empty message is illegal for most servers; its money counts all the same.
            self._emit(replace(step, purpose="aborted", segments=(), cache_note=""))
            return completion
        self._segments, self._prompt_tokens = self._step.segments, usage.tokens_in
        self._answered_by = completion.model
        self._step.finished = step
        self._emit(
            MessageCompleted(message, completion.finish, completion.model, usage=usage, cost=cost)
        )
        return completion

    def _finish_step(self) -> None:
        step, self._step = self._step, None
        if step is not None and step.finished is not None:
            self._emit(replace(step.finished, duration_s=time.monotonic() - step.started))

    def _keep_partial(self) -> None:
        step, conversation = self._step, self.recorder.conversation
        if step is None or step.request is None or step.finished is not None:
            return
        # A second attempt that broke before its first word leaves the words of the first.
        text = without_echoes(conversation.draft or self._model.lost_text)
        if not text:
            return
        reasoning = conversation.draft_reasoning or None
        usage = Usage(
            self._context.estimate(self._context.size(step.request)),
            self._context.estimate(size_of_text(text + (reasoning or ""))),
            known=False,
        )
        cost, estimate = self._cost_of(usage)
        message = Message("assistant", text, reasoning=reasoning)
        self._emit(MessageCompleted(message, partial=True, usage=usage, cost=cost))
        step.finished = StepFinished(
            usage,
            cost,
            duration_s=time.monotonic() - step.started,
            estimate=estimate,
            segments=shortened(self._segments, step.segments),
        )

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
        for part in (self._context, self._agents):
            part.use(request)
        self._shrinking.use(guarded(request, self._circuit))
        self._model.use(change.provider, change.profile)
        if change.notice:
            self._emit(Notice(change.notice))

    def _tell_model(self, note: str) -> None:
        self._emit(MessageCompleted(Message("user", note, kind="note")))

    def _usage_of(self, completion: Completion, request: ModelRequest) -> Usage:
        """What the server counted, or an estimate that says so."""
        usage = completion.usage
        # No prompt is empty: a server that says so counts nothing, or answers alone.
        if usage.known and usage.tokens_in > 0:
            return usage
        answer = self._context.estimate(size_of_message(completion.raw_assistant))
        asked = self._context.estimate(self._context.size(request))
        return Usage(asked, max(usage.tokens_out, answer), known=False)

    def _cost_of(self, usage: Usage) -> tuple[float | None, bool]:
        return self._request.price(self._request.profile.model, usage)

    def _count_void(self, request: ModelRequest, partial: Completion | None) -> None:
        """A segment that was thrown away was paid for all the same."""
        usage = self._usage_of(partial or Completion(), request)
        cost, estimate = self._cost_of(usage)
        self._emit(
            StepFinished(usage, cost, usage.cache_read, purpose="aborted", estimate=estimate)
        )

    async def _run_sub_agent(self, request: TurnRequest, put: Callable[[Event], None]) -> Ending:
        base = text_of("subagent")
        turn = Turn(request, put, self._calibration, self._circuit, base=base, purse=self._spending)
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
