"""Tells what fills the window of a session's model, and sums up a branch that is left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

from kinet.core.context_map import ContextMap
from kinet.core.events import Event
from kinet.core.messages import Message
from kinet.core.pairing import repair
from kinet.session.parts import Rules
from kinet.session.state import SessionState
from kinet.session.turn_servers import toolbox_for, window_of

if TYPE_CHECKING:
    from kinet.engine.base import TurnRequest
    from kinet.providers.base import ModelRequest, Provider, RawRequest, StreamItem

# A question and its answer are not worth a summary.
_WORTH_TELLING = 3


class _NoProvider:
    """Stands where a request needs a provider; nothing is asked here."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        """Never called."""
        raise AssertionError("a report asks nothing")
        yield

    def build(self, request: ModelRequest) -> RawRequest:
        """Never called."""
        raise AssertionError("a report asks nothing")

    async def close(self) -> None:
        """Nothing to close."""


async def context_report(state: SessionState) -> ContextMap:
    """The parts of the next request. SettingsError if no model is chosen."""
    return state.parts.engine().context_map(await _request(state, _NoProvider()))


async def summary_of_left(state: SessionState, message_id: str) -> Sequence[Event]:
    """What is told of the messages from this one on, which are about to be left.

    () where nothing was done beside an answer. SettingsError or ProviderError if no model can be
    asked.
    """
    messages = state.conversation.messages
    place = next((n for n, item in enumerate(messages) if item.id == message_id), len(messages))
    left = repair(
        [item for item in messages[place:] if not (item.command and item.command.private)]
    )
    if len(left) < _WORTH_TELLING:
        return ()
    profile = state.parts.profile(state.profile)
    provider = await asyncio.to_thread(state.parts.provider, profile)
    request = await _request(state, provider)
    return await state.parts.engine().branch_summary(request, left)


async def _request(state: SessionState, provider: Provider) -> TurnRequest:
    from kinet.engine.base import Limits, StopSignal, TurnRequest
    from kinet.session.turn import Unasked

    parts, conversation = state.parts, state.conversation
    profile = parts.profile(state.profile)
    rules, memory = await asyncio.to_thread(_read, state, profile.model)
    window = await asyncio.to_thread(window_of, profile)
    preset = parts.preset(state.preset)
    messages = repair(conversation.context()) or (Message("user", ""),)
    return TurnRequest(
        session_id=state.id,
        user=messages[-1],
        history=messages[:-1],
        profile=profile,
        provider=provider,
        toolbox=toolbox_for(
            parts, preset, parts.servers.standing(state.id) if parts.servers else None, window
        ),
        approver=Unasked(),
        stop=StopSignal(),
        folder=state.folder,
        limits=parts.limits(preset) if parts.limits else preset.apply(Limits()),
        rules=tuple(rules.sections),
        personal=tuple(rules.personal),
        skills=(*(state.skills or ()), *state.active.sections),
        memory_text=memory,
        occupancy=conversation.occupancy,
        occupancy_messages=conversation.occupancy_messages,
        carry=conversation.carry(),
        price=parts.price,
    )


def _read(state: SessionState, model: str) -> tuple[Rules, str]:
    from kinet.providers.pricing import known_window

    # The engine asks for it on the thread of the loop, where nothing is to be read.
    known_window(model)
    memory = state.memory.begun
    if memory is None:
        memory = state.parts.memory_text(state.folder)
    return state.parts.rules(state.folder), memory
