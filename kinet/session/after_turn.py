"""What is done when a turn has ended: facts worth keeping are noticed, and a receipt is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import TYPE_CHECKING

from kinet.core.errors import KinetError
from kinet.core.events import Event, FactsNoticed, Notice, StepFinished
from kinet.core.messages import Message
from kinet.session.state import SessionState

if TYPE_CHECKING:
    from kinet.memory.noticing import Noticed


async def notice_facts(state: SessionState, idle: asyncio.Event) -> AsyncGenerator[Event, None]:
    """The cost of the call and the receipt, both stored; nothing where it is switched off.

    They are told after a turn, never within one: while the next one runs already, they wait. What
    went wrong is told once as a notice that is not kept. To be closed by the one who iterates.
    """
    noticing = state.parts.noticing
    if noticing is None or not _worth_a_call(state):
        return

    def said() -> Sequence[Message]:
        return state.conversation.messages

    try:
        found = await noticing.after_turn(state.id, state.profile, state.folder, said)
    except KinetError as exc:
        yield _trouble(exc.sentence())
        return
    state.tell_others(state.id, found.taken)
    cost: tuple[float | None, bool] = (None, False)
    if found.usage is not None:
        # The first look at the price of a model may take a while.
        cost = await asyncio.to_thread(state.parts.price, found.model, found.usage)
    await idle.wait()
    for event in _told(found, *cost):
        state.take(event)
        yield event
    await state.recorder.durable()
    if found.problem:
        yield _trouble(found.problem)


def _worth_a_call(state: SessionState) -> bool:
    """After a turn that was answered, and as long as there is money for it."""
    conversation, parts = state.conversation, state.parts
    if conversation.messages and conversation.messages[-1].command is not None:
        # A command of the person's own was run: nothing was said, and nothing answered.
        return False
    end = conversation.last_end
    if end is None or end.reason != "completed":
        return False
    limit = state.budgets.limit("session", parts.session_limit())
    if limit and conversation.cost >= max(limit, state.budgets.allowed):
        return False
    return not (state.day_guard.budget() > 0 and state.day_guard.left <= 0)


def _told(found: Noticed, cost: float | None, estimate: bool) -> list[Event]:
    events: list[Event] = []
    if found.usage is not None:
        cached = found.usage.cache_read
        events.append(StepFinished(found.usage, cost, cached, purpose="memory", estimate=estimate))
    if found.taken:
        facts = tuple(
            {
                "id": item.fact.id,
                "text": item.fact.text,
                "scope": item.fact.scope,
                "was": item.was,
            }
            for item in found.taken
        )
        events.append(FactsNoticed(facts, cost))
    return events


def _trouble(why: str) -> Notice:
    return Notice(f"Nothing new was taken into memory: {why}", keep=False)
