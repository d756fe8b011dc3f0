"""A conversation over several turns, kept as a session keeps it, without a store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kinet.core.conversation import Conversation
from kinet.core.events import Event, MessageCompleted, TurnStarted
from kinet.core.messages import Message
from kinet.engine.base import StopSignal, TurnRequest
from kinet.engine.context.environment import with_environment
from kinet.engine.direct import DirectEngine
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
        request = self.request(provider, text, stop=stop or StopSignal(), **fields)
        for event in (TurnStarted("session"), MessageCompleted(request.user)):
            self.conversation.apply(event)

        def take(event: Event) -> None:
            self.conversation.apply(event)
            on(event)

        return await collect(request, self.engine, on=take)

    def request(self, provider: Provider, text: str = "Do it.", **fields: Any) -> TurnRequest:
        """The request of a turn that would begin now."""
        conversation = self.conversation
        history = conversation.context()
        values = {**self._fields, **fields}
        return turn(
            provider,
            user=with_environment(Message("user", text), history, values.get("folder")),
            history=history,
            occupancy=conversation.occupancy,
            occupancy_messages=conversation.occupancy_messages,
            carry=conversation.carry(),
            **values,
        )
