"""Keeps a provider that failed again and again from being asked for a while."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import cast

from kinet.core.completion import Completion
from kinet.core.errors import CircuitOpenError, ProviderError
from kinet.core.profile import ModelProfile
from kinet.engine.base import TurnRequest
from kinet.providers.base import ModelRequest, Provider, RawRequest, StreamItem

FAILURES = 5
REST_SECONDS = 30.0


@dataclass
class _State:
    failures: int = 0
    open_until: float = 0.0


class Circuit:
    """Counts final failures of retryable kinds per profile and address; in memory only."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._states: dict[tuple[str, str], _State] = {}

    def check(self, profile: ModelProfile) -> None:
        """OverloadedError at once while the circuit is open."""
        state = self._states.get((profile.name, profile.base_url))
        if state is None or self._clock() >= state.open_until:
            return
        left = int(state.open_until - self._clock()) + 1
        raise CircuitOpenError(
            f"{profile.base_url} failed {state.failures} times in a row; it is not asked yet.",
            hint=f"Wait {left} seconds, try anyway, or choose another model.",
            retry_after_s=float(left),
        )

    def worked(self, profile: ModelProfile) -> None:
        """An answer came: counting starts anew."""
        self._states.pop((profile.name, profile.base_url), None)

    def failed(self, profile: ModelProfile, error: ProviderError) -> None:
        """A request failed for good."""
        if not error.retryable:
            return
        state = self._states.setdefault((profile.name, profile.base_url), _State())
        state.failures += 1
        if state.failures >= FAILURES:
            state.open_until = self._clock() + REST_SECONDS

    def try_anyway(self, profile: ModelProfile) -> None:
        """The person does not want to wait."""
        self.worked(profile)


def guarded(turn: TurnRequest, circuit: Circuit) -> TurnRequest:
    """The turn with a provider whose every stream heeds the circuit: for what asks beside steps."""
    return replace(turn, provider=_Guarded(turn.provider, turn.profile, circuit))


class _Guarded:
    def __init__(self, provider: Provider, profile: ModelProfile, circuit: Circuit) -> None:
        self._provider, self._profile, self._circuit = provider, profile, circuit

    async def stream(self, request: ModelRequest) -> AsyncGenerator[StreamItem, None]:
        """Like the provider's, but not while the circuit is open; how it ends is counted."""
        self._circuit.check(self._profile)
        # Every provider's stream is an async generator; the protocol promises only the iteration.
        stream = cast("AsyncGenerator[StreamItem, None]", self._provider.stream(request))
        try:
            async with aclosing(stream) as items:
                async for item in items:
                    if isinstance(item, Completion):
                        self._circuit.worked(self._profile)
                    yield item
        except ProviderError as exc:
            self._circuit.failed(self._profile, exc)
            raise

    def build(self, request: ModelRequest) -> RawRequest:
        """The request as it would be sent."""
        return self._provider.build(request)

    async def close(self) -> None:
        """The provider is closed by whom it belongs to."""
