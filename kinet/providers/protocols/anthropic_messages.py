"""Builds the messages of an Anthropic request from a history in protocol-free form."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from kinet.core.messages import ImagePart, Message, Part, TextPart, ToolCall, ToolSchema
from kinet.core.profile import ModelProfile
from kinet.providers.protocols.history import (
    NOTHING,
    History,
    kept_calls,
    parts_of,
    readable,
    text_of,
)
from kinet.providers.protocols.images import note_instead, picture_for
from kinet.providers.protocols.openai_messages import EMPTY_RESULT, object_schema, sent_object
from kinet.providers.protocols.wire_names import CallIds, ToolNames
from kinet.providers.transport.refusals import NOT_SEEN

# The first message must be the person's.
OPENING = "[the conversation begins with the assistant]"

Block = dict[str, Any]


class MessagesBuilder:
    """Makes messages of content blocks of a history: alternating roles, results first in theirs."""

    def __init__(self, profile: ModelProfile, names: ToolNames) -> None:
        self._profile = profile
        self._names = names
        self._ids = CallIds((), "safe64")
        self._out: list[dict[str, Any]] = []
        # The wire message in which each message of the history stands, -1 for none.
        self._places: list[int] = []
        # Where all before each of them ends, as the number of a wire message and of its blocks.
        self._before: list[tuple[int, int]] = []

    def extend(self, messages: Sequence[Message]) -> None:
        """Takes the messages that follow, in which every call is answered at once."""
        self._ids.extend(messages)
        for number, message in enumerate(messages, len(self._places)):
            if message.role == "assistant":
                blocks = _assistant_blocks(number, message, self._names, self._ids)
                self._add("assistant", blocks)
            else:
                self._add("user", _user_blocks(number, message, self._profile, self._ids))

    def messages(self) -> list[dict[str, Any]]:
        """All messages so far; the list is the caller's, its items are not."""
        if not self._out:
            return [{"role": "user", "content": [_text(NOTHING)]}]
        return [*self._out[:-1], _trimmed(self._out[-1])]

    def place(self, number: int) -> int:
        """The number of the wire message that holds message `number` of the history, or -1."""
        return self._places[number] if 0 <= number < len(self._places) else -1

    def end_of(self, count: int) -> tuple[int, int] | None:
        """Where the first `count` messages of the history end: wire message and block, or None."""
        if not 0 < count <= len(self._places):
            return None
        number, blocks = self._before[count] if count < len(self._before) else self._end()
        return (number, blocks - 1) if number >= 0 else None

    def _end(self) -> tuple[int, int]:
        return len(self._out) - 1, len(self._out[-1]["content"]) if self._out else 0

    def _add(self, role: str, blocks: list[Block]) -> None:
        out = self._out
        self._before.append(self._end())
        if not blocks:
            self._places.append(-1)
            return
        if role == "assistant" and not out:
            out.append({"role": "user", "content": [_text(OPENING)]})
        if out and out[-1]["role"] == role:
            out[-1] = {"role": role, "content": [*out[-1]["content"], *blocks]}
        else:
            out.append({"role": role, "content": blocks})
        self._places.append(len(out) - 1)


def wire_tools(tools: Sequence[ToolSchema], names: ToolNames) -> list[dict[str, Any]]:
    """The tools, by name, so that their order never breaks a cached prefix."""
    return [
        {
            "name": names.wire(tool.name),
            "description": tool.description,
            "input_schema": {**object_schema(tool), "type": "object"},
        }
        for tool in sorted(tools, key=lambda tool: tool.name)
    ]


def stand_ins(history: History, names: ToolNames) -> list[dict[str, Any]]:
    """Tools by name only, for a history with calls sent without tools: it would be refused."""
    used = {call.name for message in history.messages for call in message.tool_calls}
    return [
        {
            "name": names.wire(name),
            "description": "Not available now.",
            "input_schema": {"type": "object", "properties": {}},
        }
        for name in sorted(used)
    ]


def _user_blocks(number: int, message: Message, profile: ModelProfile, ids: CallIds) -> list[Block]:
    blocks = [_block(part, profile) for part in parts_of(message)]
    if message.role != "tool":
        return blocks
    if all(block["type"] == "text" for block in blocks):
        content: str | list[Block] = "\n".join(block["text"] for block in blocks) or EMPTY_RESULT
    else:
        content = blocks
    result: Block = {
        "type": "tool_result",
        "tool_use_id": ids.answer(number),
        "content": content,
    }
    if message.is_error:
        result["is_error"] = True
    return [result]


def _assistant_blocks(number: int, message: Message, names: ToolNames, ids: CallIds) -> list[Block]:
    """The blocks as they came where the server wants them back, else text and calls.

    The message's own text counts: what was taken out of it does not come back with the blocks.
    """
    found = message.vendor.get("anthropic")
    kept = found if isinstance(found, (list, tuple)) else ()
    kept = [block for block in kept if isinstance(block, Mapping)]
    calls = {call.id: call for call in message.tool_calls}
    called = kept_calls(message, [block.get("id") for block in kept if _is(block, "tool_use")])
    as_it_came = "".join(str(b.get("text", "")) for b in kept if _is(b, "text")) == text_of(message)
    out: list[Block] = []
    has_text = False
    for block in kept:
        kind = block.get("type")
        if kind == "text":
            if as_it_came and str(block.get("text", "")).strip():
                out.append(_plain(block, ("type", "text", "citations")))
            elif not as_it_came and not has_text:
                out += _texts(message)
            has_text = True
        elif kind == "tool_use":
            call = calls.pop(called.pop(0), None)
            if call is not None:
                out.append(_tool_use(number, call, names, ids))
        elif kind == "thinking":
            # Unsigned thinking is no thinking block: the server would refuse it.
            if block.get("signature"):
                out.append(_plain(block, ("type", "thinking", "signature")))
        elif kind == "redacted_thinking":
            out.append(_plain(block, ("type", "data")))
        elif isinstance(kind, str) and (kind == "server_tool_use" or kind.endswith("_result")):
            out.append(dict(block))
    if not has_text:
        out += _texts(message)
    out += [_tool_use(number, call, names, ids) for call in calls.values()]
    if not any(block["type"] not in ("thinking", "redacted_thinking") for block in out):
        return []
    return out


def _texts(message: Message) -> list[Block]:
    return [_text(part.text) for part in parts_of(message) if isinstance(part, TextPart)]


def _is(block: Mapping[str, Any], kind: str) -> bool:
    return block.get("type") == kind


def _tool_use(number: int, call: ToolCall, names: ToolNames, ids: CallIds) -> Block:
    return {
        "type": "tool_use",
        "id": ids.call(number, call.id),
        "name": names.wire(call.name),
        "input": sent_object(call),
    }


def _block(part: Part, profile: ModelProfile) -> Block:
    match part:
        case TextPart(text=text):
            return _text(text)
        case ImagePart(url=url):
            if profile.vision is False:
                return _text(NOT_SEEN)
            picture = picture_for(profile, url)
            if picture is None:
                return _text(note_instead(url))
            if picture.url:
                return {"type": "image", "source": {"type": "url", "url": picture.url}}
            source = {
                "type": "base64",
                "media_type": picture.media_type,
                "data": picture.data,
            }
            return {"type": "image", "source": source}
        case _:
            value = json.loads(part.raw)
            if isinstance(value, dict) and value.get("type") == "document":
                return value
            return _text(readable(part))


def _trimmed(last: dict[str, Any]) -> dict[str, Any]:
    """A text that the model is to go on with must not end in white space."""
    block = last["content"][-1]
    if last["role"] != "assistant" or block.get("type") != "text":
        return last
    end = {**block, "text": block["text"].rstrip()}
    return {**last, "content": [*last["content"][:-1], end]}


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _plain(block: Mapping[str, Any], keys: tuple[str, ...]) -> Block:
    return {key: block[key] for key in keys if block.get(key) not in (None, [])}
