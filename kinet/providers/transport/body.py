"""Writes the body of a request as JSON, and of a conversation only what is new in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pydantic_core

from kinet.providers.transport.surrogates import cleaned_values

# The parts of a body that grow with the conversation.
_GROWING = ("messages", "input")


class BodyWriter:
    """Writes bodies one after the other; messages that were in one of the last two are known.

    Each is known by the very object, which therefore must never change. Two conversations that
    take turns are both remembered.
    """

    def __init__(self) -> None:
        self._newer: dict[int, tuple[Any, bytes]] = {}
        self._older: dict[int, tuple[Any, bytes]] = {}

    def written(self, body: Mapping[str, Any]) -> bytes:
        """The body as JSON bytes, valid Unicode whatever was in it: the same as `encoded` gives."""
        fields = []
        for name, value in body.items():
            grows = name in _GROWING and isinstance(value, list)
            fields.append(encoded(name) + b":" + (self._items(value) if grows else encoded(value)))
        return b"{" + b",".join(fields) + b"}"

    def _items(self, items: Sequence[Any]) -> bytes:
        used: dict[int, tuple[Any, bytes]] = {}
        newer, older = self._newer, self._older
        for item in items:
            key = id(item)
            # The object is kept beside its bytes: an id is only good while the object lives.
            used[key] = newer.get(key) or older.get(key) or (item, encoded(item))
        if used.keys() != newer.keys():
            self._newer, self._older = used, newer
        return b"[" + b",".join([used[id(item)][1] for item in items]) + b"]"


def encoded(value: Any) -> bytes:
    """A value as JSON bytes, valid Unicode whatever was in it."""
    try:
        # Several times faster than json for a long history; it refuses halves of characters.
        return pydantic_core.to_json(value)
    except pydantic_core.PydanticSerializationError:
        return pydantic_core.to_json(cleaned_values(value))
