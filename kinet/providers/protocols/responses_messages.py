"""Builds the input items of an OpenAI Responses request from a history in protocol-free form."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kinet.core.messages import ImagePart, Message, OtherPart, Part, TextPart, ToolCall, ToolSchema
from kinet.core.profile import ModelProfile
from kinet.providers.protocols.history import NOTHING, kept_calls, parts_of, readable, text_of
from kinet.providers.protocols.images import note_instead, picture_for
from kinet.providers.protocols.openai_messages import EMPTY_RESULT, object_schema, sent_arguments
from kinet.providers.protocols.wire_names import CallIds, ToolNames
from kinet.providers.transport.refusals import NOT_SEEN

Item = dict[str, Any]


class ItemsBuilder:
    """Makes items of a history: the whole transcript, for the server keeps none."""

    def __init__(self, profile: ModelProfile, names: ToolNames) -> None:
        self._profile = profile
        self._names = names
        self._ids = CallIds((), "safe64")
        self._count = 0
        self._out: list[Item] = []

    def extend(self, messages: Sequence[Message]) -> None:
        """Takes the messages that follow, in which every call is answered at once."""
        self._ids.extend(messages)
        for number, message in enumerate(messages, self._count):
            if message.role == "assistant":
                self._out += _assistant_items(number, message, self._names, self._ids)
            elif message.role == "tool":
                output = _result(message, self._profile)
                id_ = self._ids.answer(number)
                self._out.append({"type": "function_call_output", "call_id": id_, "output": output})
            else:
                content = [_part(part, self._profile) for part in parts_of(message)]
                if content:
                    self._out.append({"role": "user", "content": content})
        self._count += len(messages)

    def messages(self) -> list[Item]:
        """All items so far; the list is the caller's, its items are not."""
        return list(self._out) or [{"role": "user", "content": NOTHING}]


def wire_tools(tools: Sequence[ToolSchema], names: ToolNames) -> list[Item]:
    """The tools, by name, so that their order never breaks a cached prefix."""
    return [
        {
            "type": "function",
            "name": names.wire(tool.name),
            "description": tool.description,
            "parameters": object_schema(tool),
            "strict": False,
        }
        for tool in sorted(tools, key=lambda tool: tool.name)
    ]


def _assistant_items(
    number: int, message: Message, names: ToolNames, ids: CallIds
) -> Iterator[Item]:
    found = message.vendor.get("responses")
    kept = found if isinstance(found, (list, tuple)) else ()
    kept = [item for item in kept if isinstance(item, Mapping)]
    called = kept_calls(
        message, [item.get("call_id") for item in kept if item.get("type") == "function_call"]
    )
    calls = {call.id: call for call in message.tool_calls}
    text = text_of(message)
    if not text.strip() and not calls:
        return
    for item in kept:
        kind = item.get("type")
        if kind == "reasoning":
            yield dict(item)
        elif kind == "message" and text.strip():
            yield _said(text)
            text = ""
        elif kind == "function_call":
            call = calls.pop(called.pop(0), None)
            if call is not None:
                yield _called(number, call, names, ids)
    if text.strip():
        yield _said(text)
    for call in calls.values():
        yield _called(number, call, names, ids)


def _said(text: str) -> Item:
    return {"role": "assistant", "content": [{"type": "output_text", "text": text}]}


def _called(number: int, call: ToolCall, names: ToolNames, ids: CallIds) -> Item:
    return {
        "type": "function_call",
        "call_id": ids.call(number, call.id),
        "name": names.wire(call.name),
        "arguments": sent_arguments(call),
    }


def _result(message: Message, profile: ModelProfile) -> str | list[Item]:
    if message.images:
        return [_part(part, profile) for part in parts_of(message)]
    text = text_of(message)
    return text if text.strip() else EMPTY_RESULT


def _part(part: Part, profile: ModelProfile) -> Item:
    match part:
        case TextPart(text=text):
            return {"type": "input_text", "text": text}
        case ImagePart(url=url, detail=detail):
            if profile.vision is False:
                return {"type": "input_text", "text": NOT_SEEN}
            picture = picture_for(profile, url)
            if picture is None:
                return {"type": "input_text", "text": note_instead(url)}
            return {
                "type": "input_image",
                "image_url": picture.address(),
                "detail": detail or "auto",
            }
        case OtherPart(raw=raw):
            value = json.loads(raw)
            if isinstance(value, dict) and value.get("type") == "input_file":
                return value
            return {"type": "input_text", "text": readable(part)}
