"""Hashes the parts of a request and says which one broke a server's cached prefix."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from kinet.core.completion import Usage
from kinet.core.messages import Message, ToolSchema
from kinet.providers.base import ModelRequest

# Below this share of the previous prompt coming back from the cache, it counts as a miss.
_HIT = 0.5
# Servers cache nothing below about this many tokens.
_TOO_SMALL = 2_048
# Of a string longer than twice this, only the two ends count.
_SAMPLE = 65_536


class SegmentHashes:
    """Remembers the hash of each message of one turn, so that a long history is hashed once."""

    def __init__(self) -> None:
        # The message is kept beside its hash: an id is only good while the object lives.
        self._known: dict[int, tuple[Message, str]] = {}
        self._tools: tuple[tuple[ToolSchema, ...], str] | None = None
        # The messages of the last request, and their hashes: the next one mostly adds to them.
        self._before: tuple[Message, ...] = ()
        self._of_before: tuple[str, ...] = ()

    def of(self, request: ModelRequest) -> tuple[str, ...]:
        """The hashes of tools, system and each message, in this order."""
        if self._tools is None or self._tools[0] is not request.tools:
            text = json.dumps([tool.to_dict() for tool in request.tools], sort_keys=True)
            self._tools = (request.tools, _hash(text))
        before, messages = len(self._before), request.messages
        same = before if messages[:before] == self._before else 0
        newer = tuple(self._of_message(message) for message in messages[same:])
        self._before, self._of_before = messages, self._of_before[:same] + newer
        return (self._tools[1], _hash(request.system), *self._of_before)

    def _of_message(self, message: Message) -> str:
        known = self._known.get(id(message))
        if known is None:
            known = (message, _hash(json.dumps(_sent(message), sort_keys=True, default=str)))
            self._known[id(message)] = known
        return known[1]


def shortened(before: Sequence[str], now: Sequence[str]) -> tuple[str, ...]:
    """`now` as "+N" and what is new, where its first N parts are those of `before`.

    Kept for every step, whole lists would grow with the square of a conversation's length.
    """
    same = _same(before, now)
    return (f"+{same}", *now[same:]) if same else tuple(now)


def cache_note(
    before: Sequence[str],
    now: Sequence[str],
    usage: Usage,
    prompt_tokens: int,
    *,
    other_model: bool = False,
) -> str:
    """What broke the prefix of the previous request and what it cost, "" if nothing did.

    `prompt_tokens` is the size of the previous prompt. `other_model` says that another one answered
    it: each has a cache of its own.
    """
    if not before:
        return ""
    lost = max(0, min(prompt_tokens, usage.tokens_in) - usage.cache_read)
    if other_model and lost:
        return f"the model changed: about {lost:,} tokens were read anew"
    place = _same(before, now)
    if place < min(len(before), len(now)):
        return f"{_name(place)} changed: about {lost:,} tokens were read anew"
    if len(now) < len(before):
        return f"the history got shorter: about {lost:,} tokens were read anew"
    caches = usage.known and usage.cache_read + usage.cache_write > 0
    if caches and prompt_tokens > _TOO_SMALL and usage.cache_read < _HIT * prompt_tokens:
        return f"nothing changed, but the server read {lost:,} tokens anew"
    return ""


def _same(before: Sequence[str], now: Sequence[str]) -> int:
    """How many hashes at the beginning are equal."""
    # Nearly always all of them are, and that is compared at once.
    if tuple(now[: len(before)]) == tuple(before):
        return len(before)
    pairs = enumerate(zip(before, now, strict=False))
    different = next((place for place, (old, new) in pairs if old != new), -1)
    return different if different >= 0 else min(len(before), len(now))


def _name(place: int) -> str:
    if place < 2:
        return ("the tool list", "the system prompt")[place]
    return f"message {place - 1}"


def _sent(message: Message) -> Any:
    """The message with its long strings replaced by samples: hashing must not hold up the loop."""
    return {
        key: _sampled(value)
        for key, value in message.to_dict().items()
        if key not in ("_id", "_kind")
    }


def _sampled(value: Any) -> Any:
    if isinstance(value, str) and len(value) > 2 * _SAMPLE:
        return [len(value), value[:_SAMPLE], value[-_SAMPLE:]]
    if isinstance(value, Mapping):
        return {key: _sampled(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_sampled(item) for item in value]
    return value


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
