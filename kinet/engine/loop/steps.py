"""What a model says in the steps of a turn: asked for, joined to the history, and counted."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from kinet.core.completion import Completion, Usage
from kinet.core.errors import ContextTooLongError
from kinet.core.events import MessageCompleted, SegmentReset, StepFinished, StepStarted
from kinet.core.messages import Message
from kinet.engine.base import TurnRequest
from kinet.engine.compacting.shrinking import Shrinking
from kinet.engine.context.context import Context
from kinet.engine.context.published import reading_published
from kinet.engine.context.segments import SegmentHashes, cache_note, shortened
from kinet.engine.context.tokens import size_of_message, size_of_text
from kinet.engine.event_flow import Telling
from kinet.engine.guards.circuit import Circuit
from kinet.engine.loop.completions import UsedIds, with_fresh_ids, without_calls, without_echo
from kinet.engine.loop.echoes import without_echoes
from kinet.engine.loop.model_call import ModelCall
from kinet.engine.recorder import Recorder
from kinet.providers.base import ModelRequest


@dataclass
class _Step:
    """The step that runs now, for its StepFinished."""

    number: int
    started: float
    request: ModelRequest | None = None
    segments: tuple[str, ...] = ()
    finished: StepFinished | None = None


class Steps:
    """Asks the model of one turn. `ask` begins a step, `finish` tells its end."""

    def __init__(
        self,
        turn: TurnRequest,
        telling: Telling,
        recorder: Recorder,
        context: Context,
        circuit: Circuit,
    ) -> None:
        self._turn = turn
        self._recorder, self._emit = recorder, recorder.emit
        self._context = context
        self._model = ModelCall(
            turn.provider,
            turn.profile,
            circuit,
            self._emit,
            telling,
            screen_bytes=turn.limits.screen_bytes,
            void=self._count_void,
        )
        self._hashes = SegmentHashes()
        self._used_ids = UsedIds(recorder.conversation, turn.carry.call_ids)
        self._segments = turn.carry.segments
        self._prompt_tokens, self._answered_by = turn.carry.prompt_tokens, turn.carry.model
        self._step: _Step | None = None

    def use(self, turn: TurnRequest) -> None:
        """From the next step on its model is asked."""
        self._turn = turn
        self._model.use(turn.provider, turn.profile)

    async def ask(self, number: int, last: bool, shrinking: Shrinking) -> Completion:
        """One model request, made smaller and sent again if the server finds it too long."""
        self._step = _Step(number, time.monotonic())
        self._emit(StepStarted(number))
        while True:
            request = self._context.request("none" if last else "auto")
            self._step.request = request
            self._step.segments = self._hashes.of(request)
            try:
                async with reading_published(self._turn.profile.model):
                    completion = await self._model.ask(request)
            except ContextTooLongError as exc:
                if not await shrinking.after_overflow():
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
        cost, estimate = self.cost_of(usage)
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
            if self._recorder.conversation.draft.strip():
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

    def finish(self) -> None:
        """Tells the end of the step that runs."""
        step, self._step = self._step, None
        if step is not None and step.finished is not None:
            self._emit(replace(step.finished, duration_s=time.monotonic() - step.started))

    def tell_counted(self) -> None:
        """Tells the figures of a step that was cut off and had its answer."""
        if self._step is not None and self._step.finished is not None:
            self._emit(self._step.finished)

    def keep_partial(self) -> None:
        """Lets what was said of an answer that broke off join the history."""
        step, conversation = self._step, self._recorder.conversation
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
        cost, estimate = self.cost_of(usage)
        message = Message("assistant", text, reasoning=reasoning)
        self._emit(MessageCompleted(message, partial=True, usage=usage, cost=cost))
        step.finished = StepFinished(
            usage,
            cost,
            duration_s=time.monotonic() - step.started,
            estimate=estimate,
            segments=shortened(self._segments, step.segments),
        )

    def _usage_of(self, completion: Completion, request: ModelRequest) -> Usage:
        """What the server counted, or an estimate that says so."""
        usage = completion.usage
        # No prompt is empty: a server that says so counts nothing, or answers alone.
        if usage.known and usage.tokens_in > 0:
            return usage
        answer = self._context.estimate(size_of_message(completion.raw_assistant))
        asked = self._context.estimate(self._context.size(request))
        return Usage(asked, max(usage.tokens_out, answer), known=False)

    def cost_of(self, usage: Usage) -> tuple[float | None, bool]:
        """USD, None where not known, and whether that is an estimate."""
        return self._turn.price(self._turn.profile.model, usage)

    def _count_void(self, request: ModelRequest, partial: Completion | None) -> None:
        """A segment that was thrown away was paid for all the same."""
        usage = self._usage_of(partial or Completion(), request)
        cost, estimate = self.cost_of(usage)
        self._emit(
            StepFinished(usage, cost, usage.cache_read, purpose="aborted", estimate=estimate)
        )
