"""Finds readable thinking in a delta, under whatever name, and keeps what has to go back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

FIELDS = ("reasoning_content", "reasoning", "reasoning_text", "thinking")


class Found(NamedTuple):
    """The field that was used and its text."""

    field: str
    text: str


def plain_reasoning(delta: Mapping[str, Any], chosen: str) -> Found | None:
    """The thinking text of a delta; None if it has none.

    `chosen` is the field that carried it so far: where two mirror each other only one is read.
    """
    fields = (chosen,) if chosen else FIELDS
    empty: Found | None = None
    for field in fields:
        value = delta.get(field)
        if isinstance(value, str):
            if value:
                return Found(field, value)
            empty = empty or Found(field, "")
        elif isinstance(value, dict) and isinstance(value.get("content"), str):
            return Found(field, value["content"])
    return empty


class ReasoningDetails:
    """Structured reasoning that comes in fragments and must go back in whole entries."""

    def __init__(self) -> None:
        self._entries: dict[Any, dict[str, Any]] = {}

    def feed(self, fragments: Any) -> str:
        """Takes the fragments of one delta; gives their readable text."""
        if not isinstance(fragments, list):
            return ""
        readable: list[str] = []
        for number, fragment in enumerate(fragments):
            if not isinstance(fragment, dict):
                continue
            text = fragment.get("text") or fragment.get("summary")
            if isinstance(text, str):
                readable.append(text)
            index = fragment.get("index")
            key = (index if isinstance(index, int) else number, fragment.get("type"))
            _merge(self._entries.setdefault(key, {}), fragment)
        return "".join(readable)

    def merged(self) -> list[dict[str, Any]]:
        """The whole entries, in order of arrival."""
        return list(self._entries.values())


def _merge(entry: dict[str, Any], fragment: Mapping[str, Any]) -> None:
    for key, value in fragment.items():
        if key in ("text", "summary", "data") and isinstance(value, str):
            old = entry.get(key)
            entry[key] = (old if isinstance(old, str) else "") + value
        elif value is not None:
            entry[key] = value
