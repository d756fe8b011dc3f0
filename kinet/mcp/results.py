"""Makes a tool's output of what a server answered: texts, pictures, resources, values, errors."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

from kinet.net.pictures import media_type_of, prepared
from kinet.net.redact import hide_live_keys
from kinet.policy.visible import visible_line
from kinet.tools.base import ToolOutput

# Characters; more than a conversation should hold of one call.
_LONGEST = 2_000_000
_LARGEST_VALUE = 64 * 1024
_MOST_PARTS = 1_000
_MOST_PICTURES = 8
_LARGEST_PICTURE = 20 * 1024 * 1024


class _Parts:
    """The texts of an answer in their order, and its pictures."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.pictures: list[str] = []
        # What kinds of parts there were, for the row of the step.
        self.kinds: dict[str, int] = {}

    def add(self, kind: str, text: str) -> None:
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        self.texts.append(text)

    def picture(self, raw: object, where: str) -> None:
        data = _bytes(raw)
        if data is None or len(data) > _LARGEST_PICTURE or not media_type_of(data):
            why = "its data cannot be read" if data is None else f"{len(data):,} bytes"
            self.add("picture", f"[{where} that cannot be shown: {why}]")
            return
        made = prepared(data) if len(self.pictures) < _MOST_PICTURES else None
        if made is None:
            why = "damaged" if len(self.pictures) < _MOST_PICTURES else "there are too many"
            self.add("picture", f"[{where} that cannot be shown: {why}]")
            return
        code = base64.b64encode(made.data).decode("ascii")
        self.pictures.append(f"data:{made.media_type};base64,{code}")
        self.add("picture", f"[{where}, {made.width} × {made.height}]")


def output_of(raw: Mapping[str, Any], details: Mapping[str, Any]) -> ToolOutput:
    """The output. Pictures are unpacked: call it in a thread. Never raises for what came."""
    parts = _Parts()
    content = raw.get("content")
    listed = content if isinstance(content, list) else []
    for part in listed[:_MOST_PARTS]:
        _take(parts, part if isinstance(part, Mapping) else {})
    if len(listed) > _MOST_PARTS:
        parts.add("text", f"[{len(listed) - _MOST_PARTS:,} further parts left out]")
    structured = raw.get("structuredContent")
    if structured is not None and not _told_already(structured, parts.texts):
        parts.add("value", json.dumps(structured, ensure_ascii=False, indent=2, default=str))
    is_error = raw.get("isError") is True
    # A server that shows its own environment does not carry a key on to the model.
    text = hide_live_keys(_shortened("\n\n".join(text for text in parts.texts if text)))
    if not text:
        said = "the server failed and said nothing" if is_error else "the server answered nothing"
        text = f"[{said}]"
    shown = {**details, "parts": parts.kinds}
    if structured is not None and len(json.dumps(structured, default=str)) <= _LARGEST_VALUE:
        shown["structured"] = json.loads(hide_live_keys(json.dumps(structured)))
    return ToolOutput(
        text, _preview(text, parts, is_error), shown, is_error, pictures=tuple(parts.pictures)
    )


def _take(parts: _Parts, part: Mapping[str, Any]) -> None:
    match part.get("type"):
        case "text":
            parts.add("text", _text(part.get("text")))
        case "image":
            parts.picture(part.get("data"), "picture")
        case "audio":
            kind, size = _word(part.get("mimeType")), _size(part.get("data"))
            parts.add("sound", f"[sound, {kind}, {size}: it cannot be played to a model]")
        case "resource_link":
            parts.add("link", _link(part))
        case "resource":
            inner = part.get("resource")
            _resource(parts, inner if isinstance(inner, Mapping) else {})
        case kind:
            parts.add("other", f"[a part of the kind {_word(kind)}, which is not known here]")


def _resource(parts: _Parts, inner: Mapping[str, Any]) -> None:
    name, kind = _word(inner.get("uri")), _word(inner.get("mimeType"))
    if isinstance(inner.get("text"), str):
        parts.add("resource", f"[{name}]\n{_text(inner['text'])}")
    elif kind.startswith("image/"):
        parts.picture(inner.get("blob"), f"picture {name}")
    else:
        parts.add("resource", f"[{name}, {kind}, {_size(inner.get('blob'))}: not text]")


def _link(part: Mapping[str, Any]) -> str:
    told = [_word(part.get("uri"))]
    told += [_word(part[key]) for key in ("name", "description", "mimeType") if part.get(key)]
    return f"[link to {', '.join(told)}]"


def _told_already(structured: Any, texts: list[str]) -> bool:
    """True if a text holds the very value: servers send both for older clients."""
    values = [structured]
    if isinstance(structured, Mapping) and len(structured) == 1:
        # How libraries wrap what is no object.
        values += structured.values()
    for text in texts:
        if any(isinstance(value, str) and value.strip() == text.strip() for value in values):
            return True
        try:
            if json.loads(text) in values:
                return True
        except (ValueError, RecursionError):
            continue
    # A list comes as one text for each of its items.
    return len(texts) > 1 and any(isinstance(it, list) and _each(it, texts) for it in values)


def _each(items: list[Any], texts: list[str]) -> bool:
    if len(items) != len(texts):
        return False
    pairs = zip(items, texts, strict=True)
    return all(item == text or _told_already(item, [text]) for item, text in pairs)


def _shortened(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    half = _LONGEST // 2
    left = f"\n\n[{len(text) - 2 * half:,} characters left out]\n\n"
    return text[:half] + left + text[-half:]


def _preview(text: str, parts: _Parts, is_error: bool) -> str:
    if is_error or set(parts.kinds) <= {"text", "value"}:
        return ""  # The first line says it.
    words = [f"{count} {kind}{'' if count == 1 else 's'}" for kind, count in parts.kinds.items()]
    return ", ".join(words)


def _bytes(raw: object) -> bytes | None:
    if not isinstance(raw, str):
        return None
    try:
        return base64.b64decode(raw, validate=True)
    except (binascii.Error, ValueError):
        return None


def _size(raw: object) -> str:
    data = _bytes(raw)
    return "no readable data" if data is None else f"{len(data):,} bytes"


def _text(raw: object) -> str:
    # Halves of characters, which JSON can hold and nothing else.
    return str(raw or "").encode("utf-8", "replace").decode("utf-8")


def _word(raw: object) -> str:
    return visible_line(_text(raw)[:500]) or "unnamed"
