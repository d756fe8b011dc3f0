"""What a provider is: one protocol spoken to one address."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from kinet.core.completion import Completion
from kinet.core.events import (
    RetryScheduled,
    SegmentReset,
    TextDelta,
    ThinkingDelta,
    ToolArgumentsDelta,
)
from kinet.core.messages import Message, ToolSchema
from kinet.core.profile import Effort

# What a stream yields; the Completion is the last item.
StreamItem = (
    TextDelta | ThinkingDelta | ToolArgumentsDelta | SegmentReset | RetryScheduled | Completion
)
ToolChoice = Literal["auto", "none", "required"]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request in protocol-free form. `messages` holds no system message of the engine's own.

    A message flagged `memory` is sent as an ordinary user message. `turn_start` is the number of
    the message that began this turn (for the cache mark at the end of the previous one), and
    `asked_before` how many of the messages made the request before this one (for the mark at its
    end); -1 for unknown. `session_id` is the cache key where a vendor takes one. `tool_named` is
    the one tool that must be called, where `tool_choice` is "required"; "" for any of them.
    """

    system: str = ""
    messages: tuple[Message, ...] = ()
    tools: tuple[ToolSchema, ...] = ()
    tool_choice: ToolChoice = "auto"
    tool_named: str = ""
    effort: Effort = ""
    max_tokens: int = 0
    temperature: float | None = None
    top_p: float | None = None
    session_id: str = ""
    turn_start: int = -1
    asked_before: int = -1


@dataclass(frozen=True, slots=True)
class RawRequest:
    """What would be sent: for `--dry-run` and for hashes. Secrets are masked in `headers`."""

    url: str
    headers: Mapping[str, str]
    body: Mapping[str, Any] = field(default_factory=dict)


class Provider(Protocol):
    """Asks a model. One object serves one profile and keeps one warm connection."""

    def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        """Deltas as they arrive, then exactly one Completion.

        Raises a ProviderError subclass; its `partial` holds what had come. Cancelling the consumer
        closes the connection at once. Retries happen before the first byte only and are announced
        as RetryScheduled.
        """
        ...

    def build(self, request: ModelRequest) -> RawRequest:
        """The request as it would be sent; no I/O."""
        ...

    async def close(self) -> None:
        """Closes the connections this object owns."""
        ...
