"""What one model call gave: text, calls, tokens, and why it ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from kinet.core.messages import Message, ToolCall

# One set of words for every protocol.
FinishReason = Literal["stop", "tool_calls", "length", "content_filter", "pause", "unknown"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call or a sum of calls.

    `tokens_in` is the whole prompt, cached parts included; `tokens_out` the whole answer, reasoning
    included. `cache_read` and `cache_write` are parts of `tokens_in`, `reasoning_tokens` of
    `tokens_out`. `known` is False where the server sent no figures and these are estimates.
    """

    tokens_in: int = 0
    tokens_out: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning_tokens: int = 0
    known: bool = True

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
            self.reasoning_tokens + other.reasoning_tokens,
            self.known and other.known,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON."""
        return {
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "cache_read": self.cache_read,
            "cache_write": self.cache_write,
            "reasoning_tokens": self.reasoning_tokens,
            "known": self.known,
        }

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> Usage:
        """Reads what `to_dict` wrote; missing numbers are 0."""
        numbers = {key: raw[key] for key in cls.__slots__ if isinstance(raw.get(key), int)}
        return cls(**numbers)


@dataclass(frozen=True, slots=True)
class Completion:
    """The one normalised answer, equal for every protocol.

    `raw_assistant` is the message that joins the history (OpenAI form, with what the server wants
    back). `usage.known` is False where the server sent none. `model` is the name the server gave.
    """

    content: str = ""
    reasoning: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    finish: FinishReason = "unknown"
    usage: Usage = field(default_factory=lambda: Usage(known=False))
    raw_assistant: Message = field(default_factory=lambda: Message("assistant"))
    model: str = ""

    @property
    def tokens_in(self) -> int:
        """All tokens of the prompt, cached ones included."""
        return self.usage.tokens_in

    @property
    def tokens_out(self) -> int:
        """All tokens of the answer, reasoning included."""
        return self.usage.tokens_out
