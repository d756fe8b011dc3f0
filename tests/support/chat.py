"""A conversation over several turns, kept as a session keeps it, without a store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kinet.core.conversation import Conversation
from kinet.core.events import Event, MessageCompleted, TurnStarted
from kinet.core.messages import Message
from kinet.engine.base import StopSignal
from kinet.engine.direct import DirectEngine
from kinet.engine.environment import with_environment
from kinet.providers.base import Provider
from tests.support.turns import collect, turn


class Chat:
    """Turns of one conversation, each with the provider and the fields it is given."""

    def __init__(self, engine: DirectEngine | None = None, **fields: Any) -> None:
        self.conversation = Conversation()
        self.engine = engine or DirectEngine()
        self._fields = fields

    async def send(
        self,
        provider: Provider,
        text: str = "Do it.",
        *,
        on: Callable[[Event], None] = lambda event: None,
        stop: StopSignal | None = None,
        **fields: Any,
    ) -> list[Event]:
        """One turn, applied to the conversation event by event; comes back with the events."""
        conversation = self.conversation
        history = conversation.context()
        values = {**self._fields, **fields}
        user = with_environment(Message("user", text), history, values.get("folder"))
        request = turn(
            provider,
            user=user,
            history=history,
            stop=stop or StopSignal(),
            occupancy=conversation.occupancy,
            occupancy_messages=conversation.occupancy_messages,
            carry=conversation.carry(),
            **values,
        )
        for event in (TurnStarted("session"), MessageCompleted(user)):
            conversation.apply(event)

        def take(event: Event) -> None:
            conversation.apply(event)
            on(event)

        return await collect(request, self.engine, on=take)
