"""Chat messages in OpenAI form, as frozen values.

`Message.to_dict` and `Message.from_dict` are inverse to each other. Keys that begin with an
underscore are Kinet's own and never reach a server.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from kinet.core.own_command import OwnCommand

Role = Literal["system", "user", "assistant", "tool"]

# What a message is for, beside its role. Only the provider's border makes plain messages of them.
#   ""        said by the person or the model      "note"     said by the engine to the model
#   "branch"  tells of a branch that was left
#   "summary" stands for compacted history         "steer"    sent by the person while a turn ran
#   "command" is what a command of the person's own printed; `Message.command` says which
MessageKind = Literal["", "note", "summary", "steer", "branch", "command"]
_KINDS = get_args(MessageKind)


@dataclass(frozen=True, slots=True)
class TextPart:
    """A piece of text in a message of several parts."""

    text: str


@dataclass(frozen=True, slots=True)
class ImagePart:
    """A picture: `url` is https:, data: or blob:HASH, the last one kept by the store."""

    url: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class OtherPart:
    """A part of a form that Kinet does not interpret; `raw` is its JSON text."""

    raw: str


Part = TextPart | ImagePart | OtherPart


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What the model wants run. `arguments` is the very text that came, for byte-equal prefixes.

    `invalid` says that the arguments are not one whole JSON object and must not be run;
    `vendor` is opaque data the server wants back.
    """

    id: str
    name: str
    arguments: str = "{}"
    invalid: bool = False
    vendor: Mapping[str, Any] = field(default_factory=dict)

    def parsed(self) -> dict[str, Any]:
        """The arguments as an object; ValueError if they are not one."""
        try:
            value = json.loads(self.arguments or "{}")
        except RecursionError as exc:
            raise ValueError("the arguments are nested too deeply") from exc
        if not isinstance(value, dict):
            raise ValueError("the arguments are not a JSON object")
        return value

    def to_dict(self) -> dict[str, Any]:
        """The OpenAI form, with Kinet's marks as underscore keys."""
        out: dict[str, Any] = {
            "id": self.id,
            "type": "function",
            "function": {"name": self.name, "arguments": self.arguments},
        }
        if self.invalid:
            out["_invalid"] = True
        if self.vendor:
            out["_vendor"] = dict(self.vendor)
        return out

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> ToolCall:
        """Reads the OpenAI form; arguments given as an object are written as JSON."""
        function = raw.get("function")
        function = function if isinstance(function, Mapping) else {}
        arguments = function.get("arguments", "{}")
        if not isinstance(arguments, str):
            arguments = json.dumps(arguments, ensure_ascii=False)
        return cls(
            id=_text(raw.get("id")),
            name=_text(function.get("name")),
            arguments=arguments,
            invalid=bool(raw.get("_invalid", False)),
            vendor=_mapping(raw.get("_vendor")),
        )


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """What the model is told of a tool: `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The OpenAI form."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": dict(self.parameters),
            },
        }

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> ToolSchema:
        """Reads the OpenAI form (with or without the outer "function")."""
        function = raw.get("function")
        function = function if isinstance(function, Mapping) else raw
        return cls(
            name=_text(function.get("name")),
            description=_text(function.get("description")),
            parameters=_mapping(function.get("parameters")),
        )


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation.

    `reasoning` is readable thinking, None where there was none ("" is a reasoning that was empty,
    and some vendors want it back). `vendor` holds what a server wants back unchanged, by protocol,
    for example {"anthropic": [content blocks]}. `environment` is the note that travels as the last
    text part of a user message; it is stored, and never part of a title or an export.
    """

    role: Role
    content: str | tuple[Part, ...] = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    name: str = ""
    is_error: bool = False
    reasoning: str | None = None
    vendor: Mapping[str, Any] = field(default_factory=dict)
    memory: bool = False
    environment: str = ""
    kind: MessageKind = ""
    id: str = ""
    # For kind "command" alone; the content is then what it printed, as far as a model gets it.
    command: OwnCommand | None = None

    @property
    def text(self) -> str:
        """All text of the content, in order, without the environment note."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content if isinstance(part, TextPart))

    @property
    def images(self) -> tuple[ImagePart, ...]:
        """The pictures of the content, in order."""
        if isinstance(self.content, str):
            return ()
        return tuple(part for part in self.content if isinstance(part, ImagePart))

    def to_dict(self) -> dict[str, Any]:
        """The OpenAI form, with Kinet's own fields as underscore keys; empty ones are left out."""
        out: dict[str, Any] = {"role": self.role, "content": _content_to_json(self.content)}
        if self.tool_calls:
            out["tool_calls"] = [call.to_dict() for call in self.tool_calls]
        if self.role == "tool":
            out["tool_call_id"] = self.tool_call_id
        if self.name:
            out["name"] = self.name
        if self.reasoning is not None:
            out["reasoning_content"] = self.reasoning
        marks = {
            "_is_error": self.is_error,
            "_vendor": dict(self.vendor),
            "_memory": self.memory,
            "_environment": self.environment,
            "_kind": self.kind,
            "_id": self.id,
            "_command": self.command.to_dict() if self.command else None,
        }
        out.update({key: value for key, value in marks.items() if value})
        return out

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> Message:
        """Reads the OpenAI form. ValueError if the role is unknown; odd fields are left out."""
        role = raw.get("role")
        if role == "developer":
            role = "system"
        if role == "function":
            role = "tool"
        if role not in ("system", "user", "assistant", "tool"):
            raise ValueError(f"unknown role {role!r} (system, user, assistant or tool)")
        reasoning = raw.get("reasoning_content", raw.get("reasoning"))
        kind = raw.get("_kind", "")
        ran = raw.get("_command")
        command = OwnCommand.from_dict(ran) if isinstance(ran, Mapping) else None
        if kind == "command" and (command is None or role != "user"):
            kind = ""
        calls = raw.get("tool_calls")
        return cls(
            role=role,
            content=_content_from_json(raw.get("content")),
            tool_calls=tuple(
                ToolCall.from_dict(call)
                for call in (calls if isinstance(calls, list) else ())
                if isinstance(call, Mapping)
            ),
            tool_call_id=_text(raw.get("tool_call_id")),
            name=_text(raw.get("name")),
            is_error=bool(raw.get("_is_error", False)),
            reasoning=reasoning if isinstance(reasoning, str) else None,
            vendor=_mapping(raw.get("_vendor")),
            memory=bool(raw.get("_memory", False)),
            environment=_text(raw.get("_environment")),
            kind=kind if kind in _KINDS else "",
            id=_text(raw.get("_id")),
            command=command if kind == "command" else None,
        )


def _content_to_json(content: str | tuple[Part, ...]) -> str | list[dict[str, Any]]:
    if isinstance(content, str):
        return content
    return [_part_to_json(part) for part in content]


def _part_to_json(part: Part) -> dict[str, Any]:
    match part:
        case TextPart(text=text):
            return {"type": "text", "text": text}
        case ImagePart(url=url, detail=detail):
            image = {"url": url, "detail": detail} if detail else {"url": url}
            return {"type": "image_url", "image_url": image}
        case OtherPart(raw=raw):
            value = json.loads(raw)
            return value if isinstance(value, dict) else {"type": "text", "text": str(value)}


def _content_from_json(raw: Any) -> str | tuple[Part, ...]:
    if raw is None:
        return ""
    if isinstance(raw, str):
        return raw
    if isinstance(raw, Sequence):
        return tuple(_part_from_json(part) for part in raw)
    return json.dumps(raw, ensure_ascii=False)


def _part_from_json(raw: Any) -> Part:
    if isinstance(raw, str):
        return TextPart(raw)
    if isinstance(raw, Mapping):
        if isinstance(raw.get("text"), str) and raw.get("type") in ("text", "input_text"):
            return TextPart(raw["text"])
        image = raw.get("image_url")
        if raw.get("type") == "image_url" and isinstance(image, str):
            return ImagePart(image)
        if raw.get("type") == "image_url" and isinstance(image, Mapping):
            return ImagePart(_text(image.get("url")), _text(image.get("detail")))
    return OtherPart(json.dumps(raw, ensure_ascii=False))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
