"""Events as rows: JSON text, with large pieces in files of their own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from kinet.core.events import Event, from_json, to_json
from kinet.store.blobs import LARGE

GONE = "[this output was {characters:,} characters long; its file is gone]"
TOO_DEEP = "[nested too deeply to be kept]"
_MARK = "_blob"
_ESCAPE = "_kept"
_DEPTH = 100
# A parser for all rows: half of what `json.loads` takes for a small one is its questions.
_parse = json.JSONDecoder().decode

Keep = Callable[[str], str]
Fetch = Callable[[str], str | None]


def encode(event: Event, keep: Keep | None = None) -> str:
    """The JSON text of an event. `keep` stores a large text and returns its hash.

    Lone surrogates become U+FFFD: no database and no server takes them.
    """
    value = _pack(to_json(event), keep, 0)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def decode(body: str, fetch: Fetch | None = None) -> Event:
    """The event of a row. ValueError if the row is not a known event."""
    try:
        raw = _parse(body)
        if not isinstance(raw, dict):
            raise ValueError("an event is a JSON object")
        # Most rows hold no mark; looking for one is far cheaper than walking through them.
        marked = _MARK in body or _ESCAPE in body
        return from_json(_unpack(raw, fetch) if marked else raw)
    except (KeyError, TypeError, AttributeError, RecursionError) as exc:
        raise ValueError(f"this row is not an event: {exc!r}") from exc


def clean(text: str) -> str:
    """The same text without lone surrogates."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        # By way of UTF-16 two halves that belong together become their character again.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _pack(value: Any, keep: Keep | None, depth: int) -> Any:
    if isinstance(value, str):
        text = clean(value)
        if keep is None or len(text) <= LARGE:
            return text
        return {_MARK: keep(text), "characters": len(text)}
    if depth > _DEPTH and isinstance(value, Mapping | list | tuple):
        return TOO_DEEP
    if isinstance(value, Mapping):
        packed = {clean(str(key)): _pack(item, keep, depth + 1) for key, item in value.items()}
        return {_ESCAPE: packed} if _MARK in packed or _ESCAPE in packed else packed
    if isinstance(value, list | tuple):
        return [_pack(item, keep, depth + 1) for item in value]
    return value


def _unpack(value: Any, fetch: Fetch | None) -> Any:
    if isinstance(value, list):
        return [_unpack(item, fetch) for item in value]
    if not isinstance(value, dict):
        return value
    if _MARK in value:
        text = fetch(str(value[_MARK])) if fetch is not None else None
        return GONE.format(characters=value.get("characters", 0)) if text is None else text
    kept = value[_ESCAPE] if isinstance(value.get(_ESCAPE), dict) else value
    return {key: _unpack(item, fetch) for key, item in kept.items()}
