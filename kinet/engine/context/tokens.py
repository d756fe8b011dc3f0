"""Estimates tokens from characters and learns each model's ratio from what servers report."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kinet.core.messages import ImagePart, Message, OtherPart, TextPart, ToolSchema
from kinet.core.own_command import told

START = 0.6
# A server that reports nonsense must not pull an estimate down to nothing, or up without end.
_LOWEST, _HIGHEST = 0.05, 4.0
# A text may be heavier than the mean of those that the ratio was learnt from. The ratio that is
# used before anything was learnt is high by itself.
_MARGIN = 1.15
# The frame of a message in a payload: role, quotes, brackets.
_FRAME = 40
# Tokens of a picture by the size of its data: small, middle, large.
_PICTURE_CLASSES = ((100_000, 400), (600_000, 1_200))
_LARGE_PICTURE = 2_600


@dataclass(frozen=True, slots=True)
class Size:
    """What a piece of a request weighs: characters to be multiplied, tokens that are known."""

    characters: float = 0.0
    tokens: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(self.characters + other.characters, self.tokens + other.tokens)


class Calibration:
    """Tokens per character, for each model. Starts high, moves half-way to each measurement."""

    def __init__(self, coefficients: Mapping[str, float] | None = None) -> None:
        self._coefficients = {
            name: min(max(float(value), _LOWEST), _HIGHEST)
            for name, value in (coefficients or {}).items()
        }

    def coefficient(self, model: str) -> float:
        """Tokens per character of `model`; 0.6 until a reply told better."""
        return self._coefficients.get(model, START)

    def observe(self, model: str, prompt_tokens: int, sent: Size) -> None:
        """Learns from one reply: `sent` is everything that was in its request."""
        text_tokens = prompt_tokens - sent.tokens
        if sent.characters <= 0 or text_tokens <= 0:
            return
        ratio = min(max(text_tokens / sent.characters, _LOWEST), _HIGHEST)
        self._coefficients[model] = (self.coefficient(model) + ratio) / 2

    def estimate(self, model: str, size: Size) -> int:
        """Tokens of `size`, rounded up. It errs high: what was learnt is a mean of many texts."""
        margin = _MARGIN if model in self._coefficients else 1.0
        return math.ceil(margin * self.coefficient(model) * size.characters + size.tokens)

    def to_dict(self) -> dict[str, float]:
        """What was learnt, to be kept and given back to the constructor."""
        return dict(self._coefficients)


def size_of_text(text: str) -> Size:
    """A Latin letter weighs 1, other scripts more: their characters take more tokens each."""
    extra = len(text.encode("utf-8", "surrogatepass")) - len(text)
    return Size(len(text) + extra / 2)


def size_of_message(message: Message) -> Size:
    """Everything of a message that travels: text, pictures, calls, reasoning."""
    size = Size(_FRAME)
    if message.command is not None:
        words = told(message.command, message.text)
        return size + size_of_text(words) if words else Size()
    if isinstance(message.content, str):
        size += size_of_text(message.content)
    else:
        for part in message.content:
            size += _size_of_part(part)
    for call in message.tool_calls:
        size += size_of_text(call.name) + size_of_text(call.arguments) + Size(_FRAME)
    size += size_of_text(message.environment)
    return size + size_of_text(message.reasoning or "")


def size_of_messages(messages: Iterable[Message]) -> Size:
    """The sum over messages."""
    total = Size()
    for message in messages:
        total += size_of_message(message)
    return total


def size_of_tools(tools: Iterable[ToolSchema]) -> Size:
    """The tool list as it is sent."""
    total = Size()
    for tool in tools:
        total += size_of_text(json.dumps(tool.to_dict(), ensure_ascii=False))
    return total


def _size_of_part(part: TextPart | ImagePart | OtherPart) -> Size:
    match part:
        case TextPart(text=text):
            return size_of_text(text)
        case OtherPart(raw=raw):
            return size_of_text(raw)
        case ImagePart(url=url):
            if not url.startswith("data:"):
                return Size(tokens=_LARGE_PICTURE)
            size = len(url) * 3 // 4
            for limit, tokens in _PICTURE_CLASSES:
                if size <= limit:
                    return Size(tokens=tokens)
            return Size(tokens=_LARGE_PICTURE)
