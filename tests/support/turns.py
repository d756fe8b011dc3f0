"""Builds turn requests, and collects what a turn tells."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from typing import Any

from kinet.core.conversation import Conversation
from kinet.core.events import Event, MessageCompleted, ToolFinished, TurnFinished
from kinet.core.messages import Message
from kinet.core.profile import ModelProfile
from kinet.engine.base import StopSignal, TurnRequest
from kinet.engine.direct import DirectEngine
from kinet.providers.base import Provider
from kinet.tools.toolbox import Toolbox
from tests.support.approvers import allows_everything

PROFILE = ModelProfile("scripted", "http://127.0.0.1:1/v1", "scripted", window=128_000)


def turn(
    provider: Provider, text: str = "Do it.", *, tools: tuple[Any, ...] = (), **fields: Any
) -> TurnRequest:
    """A turn request with everything a turn needs; `fields` replace what is usual."""
    values: dict[str, Any] = {
        "session_id": "session",
        "user": Message("user", text),
        "history": (),
        "profile": PROFILE,
        "provider": provider,
        "toolbox": Toolbox(tools),
        "approver": allows_everything(),
        "stop": StopSignal(),
    }
    return TurnRequest(**(values | fields))


async def collect(
    request: TurnRequest,
    engine: DirectEngine | None = None,
    *,
    on: Callable[[Event], None] = lambda event: None,
) -> list[Event]:
    """All events of the turn; `on` is called with each as it comes."""
    events: list[Event] = []
    async with aclosing((engine or DirectEngine()).run(request)) as stream:  # type: ignore[type-var]
        async for event in stream:
            events.append(event)
            on(event)
    return events


def conversation_after(request: TurnRequest, events: list[Event]) -> Conversation:
    """What the reducer makes of the turn."""
    conversation = Conversation(messages=[*request.history, request.user])
    for event in events:
        conversation.apply(event)
    return conversation


def last(events: list[Event]) -> TurnFinished:
    """The last event, which must be the only TurnFinished."""
    ends = [event for event in events if isinstance(event, TurnFinished)]
    assert len(ends) == 1
    assert events[-1] is ends[0]
    return ends[0]


def results(events: list[Event]) -> list[ToolFinished]:
    """What the calls of the turn gave, in the order they finished."""
    return [event for event in events if isinstance(event, ToolFinished)]


def texts(events: list[Event]) -> list[str]:
    """The texts of the assistant's messages."""
    return [
        event.message.text
        for event in events
        if isinstance(event, MessageCompleted) and event.message.role == "assistant"
    ]
