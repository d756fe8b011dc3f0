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
# Items that may be known beyond those in use before they are looked through.
_ROOM = 256


@dataclass(frozen=True, slots=True)
class _Written:
    """A list as it was written: its items, the bytes between its brackets, where each item ends."""

    items: list[Any]
    text: bytes
    ends: list[int]


class BodyWriter:
    """Writes bodies one after the other; what one of the last two had is not written again.

    An item is known by the very object, which therefore must never change. Two conversations that
    take turns are both remembered.
    """

    def __init__(self) -> None:
        self._written: list[_Written] = []
        # Items by their id; each is kept beside its bytes, for an id is good while it lives.
        self._known: dict[int, tuple[Any, bytes]] = {}

    def written(self, body: Mapping[str, Any]) -> bytes:
        """The body as JSON bytes, valid Unicode whatever was in it: the same as `encoded` gives."""
        fields = []
        for name, value in body.items():
            grows = name in _GROWING and isinstance(value, list)
            fields.append(encoded(name) + b":" + (self._items(value) if grows else encoded(value)))
        return b"{" + b",".join(fields) + b"}"

    def _items(self, items: list[Any]) -> bytes:
        count, before = max(
            ((_alike(before.items, items), before) for before in self._written),
            key=operator.itemgetter(0),
            default=(0, None),
        )
        pieces = [self._item(item) for item in items[count:]]
        ends = before.ends[:count] if before is not None else []
        text = before.text[: ends[-1]] if before is not None and ends else b""
        for piece in pieces:
            # A comma stands between two items.
            ends.append((ends[-1] + 1 if ends else 0) + len(piece))
        text = b",".join([text, *pieces] if count else pieces)
        others = [other for other in self._written if other is not before]
        self._written = [_Written(items, text, ends), *others][:2]
        self._forget(len(items))
        return b"[" + text + b"]"

    def _item(self, item: Any) -> bytes:
        known = self._known.get(id(item))
        if known is None:
            known = self._known[id(item)] = (item, encoded(item))
        return known[1]

    def _forget(self, count: int) -> None:
        """Keeps what the last two lists hold, once much more is known."""
        if len(self._known) > 3 * count + _ROOM:
            held = {id(item) for written in self._written for item in written.items}
            self._known = {key: value for key, value in self._known.items() if key in held}


def _alike(one: list[Any], other: list[Any]) -> int:
    """How many items both begin with, the very same objects."""
    same = list(map(operator.is_, one, other))
    return same.index(False) if False in same else len(same)


def encoded(value: Any) -> bytes:
    """A value as JSON bytes, valid Unicode whatever was in it."""
    try:
        # Several times faster than json for a long history; it refuses halves of characters.
        return pydantic_core.to_json(value)
    except pydantic_core.PydanticSerializationError:
        return pydantic_core.to_json(cleaned_values(value))
