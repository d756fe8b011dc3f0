"""Builds the body of a chat-completions request from one in protocol-free form."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from kinet.core.messages import ImagePart, Message, OtherPart, TextPart, ToolCall, ToolSchema
from kinet.core.profile import ModelProfile
from kinet.providers.protocols.history import NOTHING, parts_of, readable, text_of
from kinet.providers.protocols.images import note_instead, picture_for
from kinet.providers.protocols.reply import whole_object
from kinet.providers.protocols.wire_names import CallIds, ToolNames
from kinet.providers.transport.refusals import NOT_SEEN
from kinet.providers.vendors import Vendor

EMPTY_RESULT = "(no output)"
# Gemini refuses calls of its newer models that carry no signature; this value passes its check.
_ANY_SIGNATURE = "skip_thought_signature_validator"


def wire_tools(tools: Sequence[ToolSchema], names: ToolNames) -> list[dict[str, Any]]:
    """The tools, by name, so that their order never breaks a cached prefix."""
    return [
        {
            "type": "function",
            "function": {
                "name": names.wire(tool.name),
                "description": tool.description,
                "parameters": object_schema(tool),
            },
        }
        for tool in sorted(tools, key=lambda tool: tool.name)
    ]


def object_schema(tool: ToolSchema) -> dict[str, Any]:
    """The tool's schema; servers want an object with properties, even an empty one."""
    schema = dict(tool.parameters)
    if not schema.get("type"):
        schema["type"] = "object"
    schema.setdefault("properties", {})
    return schema


def sent_arguments(call: ToolCall) -> str:
    """The very text that came, or an object that shows it where it was no object."""
    text: str = _prepared_call(call)[1]
    return text


def sent_object(call: ToolCall) -> Any:
    """The same as a value, shared between requests: it must not be changed."""
    known = _prepared_call(call)
    if len(known) == 2:
        known = _CALLS[id(call)] = (*known, json.loads(known[1]))
    return known[2]


# Calls are frozen and sent again with every request, so each is looked at once. The call is kept
# beside its text: an id is only good while the object lives.
_CALLS: dict[int, tuple[Any, ...]] = {}
_MOST_CALLS = 8_192


def _prepared_call(call: ToolCall) -> tuple[Any, ...]:
    known = _CALLS.get(id(call))
    if known is not None and known[0] is call:
        return known
    if len(_CALLS) >= _MOST_CALLS:
        _CALLS.clear()
    whole = whole_object(call.arguments)
    if whole is None:
        text = json.dumps({"unreadable_arguments": call.arguments}, ensure_ascii=False)
    else:
        text = call.arguments if call.arguments.strip() == whole else whole
    known = _CALLS[id(call)] = (call, text)
    return known


class ChatBuilder:
    """Makes chat messages of a history: one system message first, calls answered at once."""

    def __init__(
        self, profile: ModelProfile, vendor: Vendor, names: ToolNames, system: str = ""
    ) -> None:
        self._profile = profile
        self._vendor = vendor
        self._names = names
        self._ids = CallIds((), vendor.tool_ids)
        self._count = 0
        # How many chat messages stand before each message of the history.
        self._before: list[int] = []
        self._out: list[dict[str, Any]] = []
        if system:
            self._out.append({"role": "system", "content": system})
        # Pictures of results wait until the last result of their group: text only stands there.
        self._pictures: list[dict[str, Any]] = []

    def extend(self, messages: Sequence[Message]) -> None:
        """Takes the messages that follow, in which every call is answered at once."""
        self._ids.extend(messages)
        for number, message in enumerate(messages, self._count):
            if message.role != "tool":
                self._add_pictures()
            self._before.append(len(self._out))
            if message.role == "tool":
                self._add_result(number, message)
                continue
            if message.role == "assistant":
                self._add_assistant(number, message)
            else:
                self._add_user(self._content(message))
        self._add_pictures()
        self._count += len(messages)

    def messages(self) -> list[dict[str, Any]]:
        """All messages so far; the list is the caller's, its items are not."""
        return list(self._out) or [{"role": "user", "content": NOTHING}]

    def end_of(self, count: int) -> int:
        """The chat message with which the first `count` of the history end; -1 for none."""
        if not 0 < count <= self._count:
            return -1
        return (self._before[count] if count < self._count else len(self._out)) - 1

    def _add_user(self, content: str | list[dict[str, Any]]) -> None:
        if not content:
            return
        last = self._out[-1] if self._out else None
        # Templates of local servers refuse two messages of one role in a row; elsewhere memory and
        # question stay messages of their own.
        strict = self._vendor.local or self._vendor.tool_ids == "nine"
        if strict and last is not None and last["role"] == "user":
            self._out[-1] = {**last, "content": _joined(last["content"], content)}
        else:
            self._out.append({"role": "user", "content": content})

    def _add_assistant(self, number: int, message: Message) -> None:
        text = text_of(message)
        if not message.tool_calls and not text.strip():
            return
        made: dict[str, Any] = {"role": "assistant", "content": text}
        if message.tool_calls:
            made["tool_calls"] = [
                self._call(number, place, call) for place, call in enumerate(message.tool_calls)
            ]
        self._add_reasoning(made, message)
        last = self._out[-1] if self._out else None
        mergeable = last is not None and last["role"] == "assistant" and "tool_calls" not in last
        if last is not None and mergeable:
            made["content"] = "\n\n".join(t for t in (last["content"], text) if t.strip())
            self._out[-1] = {**last, **made}
        else:
            self._out.append(made)

    def _add_reasoning(self, made: dict[str, Any], message: Message) -> None:
        when = self._vendor.reasoning_back
        if when == "all" or (when == "calls" and message.tool_calls):
            if message.reasoning is not None:
                made["reasoning_content"] = message.reasoning
            elif _always_thinks(self._profile.model):
                # A call without the field is refused, one with an empty field is not.
                made["reasoning_content"] = ""
        details = _own(message, "reasoning_details")
        if self._vendor.reasoning_details and isinstance(details, (list, tuple)) and details:
            made["reasoning_details"] = list(details)

    def _call(self, number: int, place: int, call: ToolCall) -> dict[str, Any]:
        made: dict[str, Any] = {
            "id": self._ids.call(number, call.id),
            "type": "function",
            "function": {"name": self._names.wire(call.name), "arguments": sent_arguments(call)},
        }
        if self._vendor.extra_content:
            extra = call.vendor.get("extra_content")
            if extra:
                made["extra_content"] = extra
            elif place == 0 and "gemini-3" in self._profile.model:
                made["extra_content"] = {"google": {"thought_signature": _ANY_SIGNATURE}}
        return made

    def _add_result(self, number: int, message: Message) -> None:
        text = text_of(message)
        self._out.append(
            {
                "role": "tool",
                "tool_call_id": self._ids.answer(number),
                "content": text if text.strip() else EMPTY_RESULT,
            }
        )
        for image in message.images:
            self._pictures.append(self._image(image))

    def _add_pictures(self) -> None:
        if self._pictures:
            told = {"type": "text", "text": "Pictures from the tool results above:"}
            self._add_user([told, *self._pictures])
            self._pictures = []

    def _content(self, message: Message) -> str | list[dict[str, Any]]:
        parts = parts_of(message)
        if all(isinstance(part, TextPart) for part in parts):
            return "\n\n".join(part.text for part in parts if isinstance(part, TextPart))
        return [self._part(part) for part in parts]

    def _part(self, part: TextPart | ImagePart | OtherPart) -> dict[str, Any]:
        match part:
            case TextPart(text=text):
                return {"type": "text", "text": text}
            case ImagePart():
                return self._image(part)
            case OtherPart(raw=raw):
                value = json.loads(raw)
                if isinstance(value, dict) and value.get("type") in ("input_audio", "file"):
                    return value
                return {"type": "text", "text": readable(part)}

    def _image(self, image: ImagePart) -> dict[str, Any]:
        if self._profile.vision is False:
            return {"type": "text", "text": NOT_SEEN}
        picture = picture_for(self._profile, image.url)
        if picture is None:
            return {"type": "text", "text": note_instead(image.url)}
        target = {"url": picture.address()}
        if image.detail:
            target["detail"] = image.detail
        return {"type": "image_url", "image_url": target}


def _joined(
    first: str | list[dict[str, Any]], second: str | list[dict[str, Any]]
) -> str | list[dict[str, Any]]:
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    return [*_as_parts(first), *_as_parts(second)]


def _as_parts(content: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _own(message: Message, key: str) -> Any:
    kept = message.vendor.get("openai")
    return kept.get(key) if isinstance(kept, dict) else None


def _always_thinks(model: str) -> bool:
    name = model.lower()
    return any(word in name for word in ("reasoner", "thinking", "-r1"))
