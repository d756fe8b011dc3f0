"""Asks the model once: forwards what streams, and asks again if the stream breaks."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import cast

from kinet.core.characters import border_before
from kinet.core.completion import Completion
from kinet.core.errors import NetworkError, OverloadedError, ProtocolError, ProviderError
from kinet.core.events import (
    Event,
    RetryScheduled,
    SegmentReset,
    TextDelta,
    ThinkingDelta,
    ToolArgumentsDelta,
)
from kinet.core.profile import ModelProfile
from kinet.engine.ending import OutputLimitReached
from kinet.engine.event_flow import Telling
from kinet.engine.guards.circuit import Circuit
from kinet.providers.base import ModelRequest, Provider, StreamItem

# A break of these kinds may be gone at the next try. A stalled stream is the person's to retry.
_MAY_HEAL = (NetworkError, OverloadedError, ProtocolError)


class ModelCall:
    """The model side of one turn. `void` takes a completion whose segment was thrown away."""

    def __init__(
        self,
        provider: Provider,
        profile: ModelProfile,
        circuit: Circuit,
        emit: Callable[[Event], None],
        telling: Telling,
        *,
        screen_bytes: int = 0,
        void: Callable[[ModelRequest, Completion | None], None] = lambda request, partial: None,
    ) -> None:
        self._provider = provider
        self._profile = profile
        self._circuit = circuit
        self._emit, self._telling = emit, telling
        self._screen_left: int | None = screen_bytes or None
        self._void = void
        self._begun = False
        self.lost_text = ""

    def use(self, provider: Provider, profile: ModelProfile) -> None:
        """From the next request on another model is asked."""
        self._provider, self._profile = provider, profile

    async def ask(self, request: ModelRequest) -> Completion:
        """The completion. Raises ProviderError when the second try fails too.

        A stream that breaks after its first piece is made again once, with a SegmentReset; no tool
        of it can have run. Failures before the first piece were retried by the provider.
        """
        self.lost_text = ""
        self._circuit.check(self._profile)
        try:
            return await self._once(request)
        except _MAY_HEAL as exc:
            if not self._begun or not exc.retryable:
                self._circuit.failed(self._profile, exc)
                raise
            partial = exc.partial if isinstance(exc.partial, Completion) else None
            self.lost_text = partial.content if partial else ""
            self._void(request, partial)
        except ProviderError as exc:
            self._circuit.failed(self._profile, exc)
            raise
        self._emit(SegmentReset(1))
        try:
            return await self._once(request)
        except ProviderError as exc:
            self._circuit.failed(self._profile, exc)
            raise

    async def _once(self, request: ModelRequest) -> Completion:
        self._begun = False
        completion: Completion | None = None
        # Every provider's stream is an async generator; the protocol promises only the iteration.
        stream = cast("AsyncGenerator[StreamItem, None]", self._provider.stream(request))
        async with aclosing(stream) as items:
            async for item in items:
                if isinstance(item, Completion):
                    completion = item
                    continue
                if isinstance(item, TextDelta | ThinkingDelta | ToolArgumentsDelta):
                    self._begun = True
                if isinstance(item, TextDelta | ThinkingDelta):
                    self._show(item)
                else:
                    if isinstance(item, SegmentReset | RetryScheduled):
                        self._begun = False
                    self._emit(item)
                # What nobody reads is not asked for: the server waits too.
                if self._telling.is_full():
                    await self._telling.room()
        if completion is None:
            raise ProtocolError("The server ended its answer without a result.", retryable=True)
        self._circuit.worked(self._profile)
        return completion

    def _show(self, item: TextDelta | ThinkingDelta) -> None:
        """Emits what of the piece the limit leaves room for; it may be a whole answer in one."""
        if self._screen_left is None:
            self._emit(item)
            return
        data = item.text.encode("utf-8", "surrogatepass")
        if len(data) <= self._screen_left:
            self._screen_left -= len(data)
            self._emit(item)
            return
        room = len(data[: self._screen_left].decode("utf-8", "ignore"))
        self._screen_left = 0
        if shown := item.text[: border_before(item.text, room)]:
            self._emit(replace(item, text=shown))
        raise OutputLimitReached
