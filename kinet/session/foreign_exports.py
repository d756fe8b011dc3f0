"""Conversations out of the exports of other programs, by their published shapes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kinet.core.errors import StoreError
from kinet.core.messages import Message

_ROLES = {"user": "user", "human": "user", "assistant": "assistant"}


@dataclass(frozen=True, slots=True)
class Talk:
    """One conversation. The same one always gets the same `id`, so that it is known again."""

    id: str
    title: str
    messages: Sequence[tuple[Message, float]]
    created: float = 0.0


def talks_in(value: Any) -> Iterator[Talk]:
    """The conversations of a parsed JSON file.

    Known are a list of conversations with a "mapping" (ChatGPT) or with "chat_messages" (Claude),
    one of either, an object with "messages" or a list of messages in OpenAI form. StoreError if it
    is none of these.
    """
    if isinstance(value, Mapping):
        value = value["conversations"] if isinstance(value.get("conversations"), list) else [value]
    if not isinstance(value, list):
        raise _unknown()
    if value and all(isinstance(item, Mapping) and "role" in item for item in value):
        yield _plain("", value, 0.0)
        return
    if not value:
        raise StoreError("There is no conversation in this file.")
    for item in value:
        if not isinstance(item, Mapping):
            raise _unknown()
        if isinstance(item.get("mapping"), Mapping):
            yield _tree(item)
        elif isinstance(item.get("chat_messages"), list):
            yield _list(item)
        elif isinstance(item.get("messages"), list):
            created = _seconds(item.get("created") or item.get("updated"))
            yield _plain(str(item.get("title") or ""), item["messages"], created)
        else:
            raise _unknown()


def _tree(raw: Mapping[str, Any]) -> Talk:
    """ChatGPT: nodes by id, the path ends at `current_node`; other branches are left out."""
    nodes: Mapping[str, Any] = raw["mapping"]
    path: list[Mapping[str, Any]] = []
    place, seen = raw.get("current_node"), set()
    if place not in nodes:
        leaves = [id_ for id_, node in nodes.items() if not _get(node, "children")]
        place = leaves[-1] if leaves else None
    while isinstance(place, str) and place in nodes and place not in seen:
        seen.add(place)
        path.append(nodes[place])
        place = _get(nodes[place], "parent")
    created = _seconds(raw.get("create_time"))
    messages: list[tuple[Message, float]] = []
    for node in reversed(path):
        message = _get(node, "message")
        role = _ROLES.get(str(_get(_get(message, "author"), "role")), "")
        text = _parts(_get(message, "content"))
        hidden = _get(_get(message, "metadata"), "is_visually_hidden_from_conversation")
        if role and text and not hidden:
            at = _seconds(_get(message, "create_time")) or created
            messages.append((Message(role, text, id=str(_get(message, "id") or "")[:64]), at))  # type: ignore[arg-type]
    id_ = str(raw.get("conversation_id") or raw.get("id") or json.dumps(sorted(nodes))[:10_000])
    return Talk(_known_as("chatgpt", id_), str(raw.get("title") or ""), messages, created)


def _list(raw: Mapping[str, Any]) -> Talk:
    """Claude: `chat_messages` in order, with texts of attached files beside them."""
    created = _seconds(raw.get("created_at"))
    messages: list[tuple[Message, float]] = []
    for item in raw["chat_messages"]:
        role = _ROLES.get(str(_get(item, "sender")), "")
        text = _parts(_get(item, "content")) or str(_get(item, "text") or "")
        for file in _get(item, "attachments") or ():
            if inside := str(_get(file, "extracted_content") or ""):
                text += f"\n\n{_get(file, 'file_name') or 'file'}:\n{inside}"
        if role and text.strip():
            at = _seconds(_get(item, "created_at")) or created
            messages.append((Message(role, text, id=str(_get(item, "uuid") or "")[:64]), at))  # type: ignore[arg-type]
    id_ = str(raw.get("uuid") or json.dumps([str(item) for item in messages])[:10_000])
    return Talk(_known_as("claude", id_), str(raw.get("name") or ""), messages, created)


def _plain(title: str, raw: Sequence[Any], created: float) -> Talk:
    """Messages in OpenAI form."""
    messages = [
        (message, created)
        for number, item in enumerate(raw, 1)
        if (message := message_from(item, f"Message {number}")).role != "system"
    ]
    return Talk(talk_id([message for message, _ in messages]), title, messages, created)


def message_from(raw: Any, name: str) -> Message:
    """A message in OpenAI form; StoreError calls it `name` if it is none."""
    try:
        if not isinstance(raw, dict):
            raise ValueError("not an object")
        return Message.from_dict(raw)
    except (ValueError, RecursionError) as exc:
        raise StoreError(
            f"{name} is not a message in OpenAI form: {exc}.", hint="Nothing was imported."
        ) from exc


def talk_id(messages: Sequence[Message]) -> str:
    """The id of a conversation that has none of its own: it follows from what is said."""
    texts = [json.dumps(message.to_dict(), sort_keys=True, default=str) for message in messages]
    return _known_as("messages", "\n".join(texts))


def _known_as(kind: str, id_: str) -> str:
    return hashlib.sha256(f"{kind}\0{id_}".encode("utf-8", "replace")).hexdigest()[:16]


def _parts(content: Any) -> str:
    """The text of a content: a list of texts and of parts that have one, or such an object."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        content = content.get("parts") or [content.get("text") or content.get("result") or ""]
    texts = []
    for part in content if isinstance(content, list) else ():
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping):
            kind = str(part.get("type") or part.get("content_type") or "")
            if isinstance(part.get("text"), str):
                texts.append(part["text"])
            elif "image" in kind:
                texts.append("[a picture that the export holds in a file of its own]")
    return "\n".join(text for text in texts if text.strip())


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else None


def _seconds(raw: Any) -> float:
    """Wall time from a number of seconds or an ISO date; 0 for neither."""
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        return float(raw)
    try:
        return datetime.fromisoformat(str(raw).replace("Z", "+00:00")).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def _unknown() -> StoreError:
    return StoreError(
        "This file is not an export that Kinet knows.",
        hint="Known are its own, those of ChatGPT and Claude, and messages in OpenAI form.",
    )
