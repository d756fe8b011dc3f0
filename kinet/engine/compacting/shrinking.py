"""Decides when a turn's context is made smaller, and does it: in time, or after an overflow."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from kinet.core.completion import Usage
from kinet.core.events import CompactionStarted, ContextCompacted, Notice, StepFinished
from kinet.core.messages import Message
from kinet.engine.base import TurnRequest
from kinet.engine.compacting.compaction import (
    Outcome,
    Plan,
    is_stall,
    kept_by_us,
    makeshift_summary,
    plan,
    summarise,
    summary_input,
    without_own_heads,
)
from kinet.engine.compacting.put_back import MAX_FILES, put_back
from kinet.engine.context.context import UNKNOWN_WINDOW_LIMIT, Context
from kinet.engine.context.published import read_published
from kinet.engine.recorder import Recorder
from kinet.providers.pricing import window_at_hand

_log = logging.getLogger(__name__)

_KEPT_TAIL = 20_000
# Tokens; so little needs no look at the window before it is sent.
_SHORT = 2_000
_KEPT_SHARE = 0.3
_ROOM = "A new conversation or a model with a larger window gives room."
# What a summary of a long part usually takes, for the estimate before one is asked for.
_USUAL_SUMMARY = 800
# For each file that is put back, and for all that is.
_PUT_BACK_TOKENS = 5_000
_PUT_BACK_SHARE = 0.15


class Shrinking:
    """The compactions of one turn. Never two at once: a turn does one thing at a time."""

    def __init__(
        self,
        turn: TurnRequest,
        context: Context,
        recorder: Recorder,
        cost_of: Callable[[Usage], tuple[float | None, bool]],
    ) -> None:
        self._turn = turn
        self._context = context
        self._recorder = recorder
        self._cost_of = cost_of
        self._rests = turn.carry.summary_rests
        self._overflows = 0
        self._size_at_overflow = 0
        self._told_cut = False

    def use(self, turn: TurnRequest) -> None:
        """From now on summaries are asked of `turn`'s model."""
        self._turn = turn

    async def before_step(self) -> None:
        """Makes the next request fit into the window: by a compaction, then by cutting texts."""
        if self._is_short():
            return
        await read_published(self._turn.profile.model)
        window = self._context.window
        if not window:
            return
        room = window - self._context.reserve
        if self._context.used() > room:
            await self.compact("the next request would not fit")
        if self._context.fit_into(room) and not self._told_cut:
            self._told_cut = True
            note = f"Long texts are cut for the model: its window takes {window:,} tokens."
            self._recorder.emit(Notice(note, "warning"))

    async def after_turn(self) -> None:
        """Compacts if the conversation has grown beyond its limit."""
        await read_published(self._turn.profile.model)
        limit = self._context.compact_at
        if self._rests or self._context.used() < limit:
            return
        if not await self.compact("the conversation has grown long"):
            note = f"The context is over its limit of {limit:,} tokens, but compacting would free "
            self._recorder.emit(Notice(f"{note}less than 5 % of it. {_ROOM}", "warning"))

    async def after_overflow(self) -> bool:
        """Trims to a half, then to a quarter, without asking a model. False when there is no more.

        The newest words of the person stay: in the tail, or in the makeshift summary.
        """
        self._overflows += 1
        if self._overflows > 2:
            return False
        if self._overflows == 1:
            self._size_at_overflow = self._context.used()
            note = "The server said that the prompt is too long; it was cut and sent again."
            self._recorder.emit(Notice(note, "warning"))
        await read_published(self._turn.profile.model)
        share = 2 if self._overflows == 1 else 4
        target = self._size_at_overflow // share
        cut = self._plan(max(0, target - self._context.estimate_fixed()))
        if cut is not None:
            summary = makeshift_summary(cut, self._lost_request(cut), self._kept_by_us())
            summary = await self._with_put_back(cut, summary, files=0)
            self._tell(cut, summary, "the server said that the prompt is too long")
        pictures = self._overflows == 1
        if not pictures and any(item.images for item in self._recorder.conversation.context()):
            note = "It was still too long; pictures are left out of it, too."
            self._recorder.emit(Notice(note, "warning"))
        self._context.shorten_to(target, pictures=pictures)
        return True

    async def compact(self, reason: str, topic: str = "", *, by_hand: bool = False) -> bool:
        """Puts a summary in the place of the older part.

        False if there was nothing to do; if something stood against it, the person was told. Asked
        for by hand, a summary is tried also where it rests after one that failed.
        """
        if by_hand:
            self._rests = False
        await read_published(self._turn.profile.model)
        before = self._context.used()
        cut = self._plan(self._kept_tail())
        if cut is None:
            return False
        dropped = self._context.estimate_messages(cut.dropped)
        if is_stall(before, before - dropped + min(dropped, _USUAL_SUMMARY)):
            return False
        outcome = await self._ask_hooks(cut, reason)
        if outcome is None:
            outcome = await self._summary(cut, topic)
        elif not outcome.summary:
            self._rests = True
            self._recorder.emit(Notice(f"Not compacted: {outcome.reason}"))
            return True
        summary, note = outcome.summary, ""
        if outcome.reason:
            self._rests = True
            reason = outcome.reason
            cut = self._plan(self._kept_tail(), whole_turns=True) or cut
            summary = makeshift_summary(cut, self._lost_request(cut), self._kept_by_us())
            note = f"The older part was left out without a summary: {reason}."
        summary = await self._with_put_back(cut, summary)
        if is_stall(before, self._size_after(cut, summary)):
            # Not tried again for three turns: each try is paid for.
            self._rests = True
            note = "Compacting would free less than 5 % of the context; it was left as it is."
            self._recorder.emit(Notice(note))
            return True
        if note:
            self._recorder.emit(Notice(note, "warning"))
        self._tell(cut, summary, reason)
        return True

    def _is_short(self) -> bool:
        """True while the window is not at hand, and whatever it is nothing could be cut for it."""
        profile = self._turn.profile
        if profile.window or window_at_hand(profile.model) is not None:
            return False
        return self._context.estimate_messages(self._recorder.conversation.context()) < _SHORT

    async def _ask_hooks(self, cut: Plan, reason: str) -> Outcome | None:
        """A summary or a veto (no summary, but a reason) of a hook; None for neither."""
        for hook in self._turn.hooks:
            (answer,) = await asyncio.gather(
                hook.before_compaction(cut.dropped, reason), return_exceptions=True
            )
            if isinstance(answer, Exception):
                # A fault of its own: nothing is lost by a compaction, a turn would be.
                _log.error("a hook failed before a compaction", exc_info=answer)
                told = f"A hook failed before the compaction ({type(answer).__name__}: {answer})."
                self._recorder.emit(Notice(told, "warning"))
                continue
            if isinstance(answer, BaseException):
                raise answer
            if answer is not None and (answer.veto or answer.summary):
                supplied = without_own_heads(answer.summary)
                return Outcome("" if answer.veto else supplied, None, answer.veto)
        return None

    async def _with_put_back(self, cut: Plan, summary: str, files: int = MAX_FILES) -> str:
        """The summary with todo list and files, at most 15 % of the window in all."""
        kept = self._recorder.conversation.context()[cut.kept_from :]
        a_token = self._context.characters_per_token()
        in_all = _PUT_BACK_SHARE * (self._context.window or UNKNOWN_WINDOW_LIMIT) * a_token
        for_file = _PUT_BACK_TOKENS * a_token
        added = await put_back(self._turn, cut.dropped, kept, in_all, for_file, files)
        return f"{summary}\n\n{added}" if added else summary

    async def _summary(self, cut: Plan, topic: str) -> Outcome:
        if self._rests:
            return Outcome("", None, "no summary is tried for three turns after one failed")
        self._recorder.emit(CompactionStarted(self._context.used()))
        outcome = await summarise(
            cut,
            self._turn.provider,
            weight=summary_input(self._context.window, self._context.characters_per_token()),
            kept=self._kept_by_us(),
            session_id=self._turn.session_id,
            topic=topic,
            request=self._lost_request(cut),
            notice=self._recorder.emit,
        )
        if outcome.usage is not None:
            cost, estimate = self._cost_of(outcome.usage)
            self._recorder.emit(
                StepFinished(
                    outcome.usage,
                    cost,
                    outcome.usage.cache_read,
                    purpose="summary",
                    estimate=estimate,
                )
            )
        return outcome

    def _plan(self, keep_tokens: int, *, whole_turns: bool = False) -> Plan | None:
        def tokens_of(message: Message) -> int:
            return self._context.estimate_messages((message,))

        messages = self._recorder.conversation.context()
        return plan(messages, keep_tokens, tokens_of, whole_turns=whole_turns)

    def _lost_request(self, cut: Plan) -> str:
        """What the person asked in this turn, if this cut or an earlier one drops it; else ""."""
        conversation = self._recorder.conversation
        user = conversation.messages[len(self._turn.history)]
        kept = conversation.context()[cut.kept_from :]
        return "" if any(message is user for message in kept) else user.text

    def _kept_by_us(self) -> float:
        """What the request and the lists of files in a summary may weigh."""
        return kept_by_us(self._context.window, self._context.characters_per_token())

    def _kept_tail(self) -> int:
        share = int(_KEPT_SHARE * (self._context.window or UNKNOWN_WINDOW_LIMIT))
        return min(_KEPT_TAIL, share, self._context.compact_at // 2)

    def _size_after(self, cut: Plan, summary: str) -> int:
        kept = self._recorder.conversation.context()[cut.kept_from :]
        new = Message("user", summary, kind="summary")
        return self._context.estimate_fixed() + self._context.estimate_messages((new, *kept))

    def _tell(self, cut: Plan, summary: str, reason: str) -> None:
        conversation = self._recorder.conversation
        before, after = self._context.used(), self._size_after(cut, summary)
        earlier = conversation.compaction
        place = cut.kept_from
        if earlier is not None:
            place += earlier.kept_from - (1 if earlier.summary else 0)
        # Numbers of the whole conversation: what the turn was given may begin with a summary.
        begins_with_summary = conversation.messages[0].kind == "summary"
        whole = self._turn.carry.first_message + place - (1 if begins_with_summary else 0)
        event = ContextCompacted(before, after, whole, summary, reason)
        self._recorder.emit_compaction(event, place)
