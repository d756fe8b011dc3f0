"""Reads token counts, whatever a server calls them, into one Usage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinet.core.completion import Usage

UNKNOWN = Usage(known=False)


def openai_usage(raw: Any, *, total_tells_reasoning: bool = False) -> Usage | None:
    """Usage from an OpenAI-like object; None if it holds no count.

    `total_tells_reasoning`: what the total has beyond prompt and answer is reasoning that the
    server left out of the answer's count.
    """
    if not isinstance(raw, dict):
        return None
    details = _first_mapping(raw, "prompt_tokens_details", "input_tokens_details")
    answer = _first_mapping(raw, "completion_tokens_details", "output_tokens_details")
    hit, miss = _count(raw, "prompt_cache_hit_tokens"), _count(raw, "prompt_cache_miss_tokens")
    # The same number may come under several names: the greatest is taken, nothing is added up.
    read = max(
        hit,
        _count(details, "cached_tokens"),
        _count(raw, "cached_tokens"),
        _count(raw, "cache_read_input_tokens"),
    )
    write = max(
        _count(raw, "cache_creation_input_tokens"),
        _count(
            details, "cache_write_tokens", "cache_creation_tokens", "cache_creation_input_tokens"
        ),
    )
    tokens_in = _count(raw, "prompt_tokens")
    if not tokens_in:
        tokens_in = _count(raw, "input_tokens")
        # Anthropic's names without OpenAI's: there the prompt is counted without its cached parts.
        if "input_tokens" in raw and "cache_read_input_tokens" in raw:
            tokens_in += read + write
    if not tokens_in:
        tokens_in = hit + miss
    if tokens_in < read + write:
        tokens_in += read + write
    tokens_out = _count(raw, "completion_tokens", "output_tokens")
    reasoning = _count(answer, "reasoning_tokens") or _count(raw, "reasoning_tokens")
    beyond = _count(raw, "total_tokens") - tokens_in - tokens_out
    if reasoning > tokens_out or (beyond > 0 and beyond == reasoning):
        tokens_out += reasoning
    elif beyond > 0 and total_tells_reasoning:
        tokens_out += beyond
        reasoning = max(reasoning, beyond)
    if not tokens_in and not tokens_out:
        return None
    return Usage(tokens_in, tokens_out, read, write, reasoning)


class AnthropicUsage:
    """Counts that come in parts: later ones replace earlier ones, empty ones replace nothing."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def update(self, raw: Any) -> None:
        """Takes the counts of one event."""
        if not isinstance(raw, dict):
            return
        for name in (
            "input_tokens",
            "output_tokens",
            "cache_read_input_tokens",
            "cache_creation_input_tokens",
        ):
            value = _count(raw, name)
            if value:
                self._counts[name] = value
        details = raw.get("output_tokens_details")
        if isinstance(details, dict) and _count(details, "thinking_tokens"):
            self._counts["thinking"] = _count(details, "thinking_tokens")

    def usage(self) -> Usage:
        """All together; `input_tokens` counts only what was neither read nor written."""
        if not self._counts:
            return UNKNOWN
        read = self._counts.get("cache_read_input_tokens", 0)
        write = self._counts.get("cache_creation_input_tokens", 0)
        return Usage(
            self._counts.get("input_tokens", 0) + read + write,
            self._counts.get("output_tokens", 0),
            read,
            write,
            self._counts.get("thinking", 0),
        )


def _count(raw: Mapping[str, Any], *names: str) -> int:
    for name in names:
        number = _number(raw.get(name))
        if number:
            return number
    return 0


def _number(value: Any) -> int:
    """A count as a whole number; 0 for anything that is none."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 13:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**12
    return value if is_count else 0


def _first_mapping(raw: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    for name in names:
        value = raw.get(name)
        if isinstance(value, dict):
            return value
    return {}
