"""Tells what fills the window of a session's model, without asking it anything."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from kinet.core.context_map import ContextMap
from kinet.core.messages import Message
from kinet.core.pairing import repair
from kinet.session.parts import Rules
from kinet.session.state import SessionState

if TYPE_CHECKING:
    from kinet.providers.base import ModelRequest, RawRequest, StreamItem


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
    from kinet.engine.base import Limits, StopSignal, TurnRequest
    from kinet.session.turn import Unasked

    parts, conversation = state.parts, state.conversation
    profile = parts.profile(state.profile)
    rules, memory = await asyncio.to_thread(_read, state)
    messages = repair(conversation.context()) or (Message("user", ""),)
    request = TurnRequest(
        session_id=state.id,
        user=messages[-1],
        history=messages[:-1],
        profile=profile,
        provider=_NoProvider(),
        toolbox=parts.toolbox(),
        approver=Unasked(),
        stop=StopSignal(),
        folder=state.folder,
        limits=parts.limits() if parts.limits else Limits(),
        rules=tuple(rules.sections),
        skills=tuple(state.skills or ()),
        memory_text=memory,
        occupancy=conversation.occupancy,
        occupancy_messages=conversation.occupancy_messages,
        carry=conversation.carry(),
    )
    return parts.engine().context_map(request)


def _read(state: SessionState) -> tuple[Rules, str]:
    memory = state.memory.begun
    if memory is None:
        memory = state.parts.memory_text(state.folder)
    return state.parts.rules(state.folder), memory
