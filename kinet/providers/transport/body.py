"""Writes the body of a request as JSON, and of a conversation only what is new in it."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pydantic_core

from kinet.providers.transport.surrogates import cleaned_values

# The parts of a body that grow with the conversation.
_GROWING = ("messages", "input")


@dataclass(frozen=True, slots=True)
class _Written:
    """A list as it was written: its items, the bytes between its brackets, the size of each."""

    items: list[Any]
    text: bytes
    sizes: list[int]


class BodyWriter:
    """Writes bodies one after the other; what one of the last two had is not written again.

    An item is known by the very object, which therefore must never change. Two conversations that
    take turns are both remembered.
    """

    def __init__(self) -> None:
        self._written: list[_Written] = []

    def written(self, body: Mapping[str, Any]) -> bytes:
        """The body as JSON bytes, valid Unicode whatever was in it: the same as `encoded` gives."""
        # A long text is copied once: all pieces are joined in the end.
        pieces = [b"{"]
        for number, (name, value) in enumerate(body.items()):
            pieces += [b"," if number else b"", encoded(name), b":"]
            if name in _GROWING and isinstance(value, list):
                pieces += [b"[", self._items(value), b"]"]
            else:
                pieces.append(encoded(value))
        pieces.append(b"}")
        return b"".join(pieces)

    def _items(self, items: list[Any]) -> bytes:
        """The items with commas between, as they are written."""
        pairs = [(before, _same(before.items, items)) for before in self._written]
        # Another conversation has nothing of it, and is not to be forgotten for it.
        alike = [pair for pair in pairs if any(pair[1])]
        before, same = max(alike, key=lambda pair: pair[1].count(1), default=(_NOTHING, b""))
        parts: list[bytes | memoryview] = []
        sizes: list[int] = []
        # Where item number `at` begins in what was written before.
        at = start = 0
        while at < len(items):
            if at < len(same) and same[at]:
                # A run of what stood in the same places is taken over in one piece.
                end = same.find(0, at)
                end = len(same) if end < 0 else end
                size = sum(before.sizes[at:end]) + end - at - 1
                parts.append(memoryview(before.text)[start : start + size])
                sizes += before.sizes[at:end]
                start += size + 1
                at = end
            else:
                part = encoded(items[at])
                parts.append(part)
                sizes.append(len(part))
                start += before.sizes[at] + 1 if at < len(before.sizes) else 0
                at += 1
        text = b",".join(parts)
        others = [other for other in self._written if other is not before]
        self._written = [_Written(items, text, sizes), *others][:2]
        return text


_NOTHING = _Written([], b"", [])


def _same(one: list[Any], other: list[Any]) -> bytes:
    """A byte for each place that both have: 1 where the very same object stands."""
    return bytes(map(operator.is_, one, other))


def encoded(value: Any) -> bytes:
    """A value as JSON bytes, valid Unicode whatever was in it."""
    try:
        # Several times faster than json for a long history; it refuses halves of characters.
        return pydantic_core.to_json(value)
    except pydantic_core.PydanticSerializationError:
        return pydantic_core.to_json(cleaned_values(value))
