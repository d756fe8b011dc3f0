"""Tool names and call ids as a server takes them, and the way back."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kinet.core.messages import Message, ToolSchema
from kinet.providers.vendors import ToolIds

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_ID_RULES: dict[ToolIds, re.Pattern[str]] = {
    "any40": re.compile(r"[\x21-\x7e]{1,40}"),
    "safe64": re.compile(r"[a-zA-Z0-9_-]{1,64}"),
    "nine": re.compile(r"[a-zA-Z0-9]{9}"),
}


class ToolNames:
    """Names that fit the pattern of all servers, distinct, the same in every request."""

    def __init__(self, tools: Iterable[ToolSchema], messages: Iterable[Message] = ()) -> None:
        self._wire: dict[str, str] = {}
        self._own: dict[str, str] = {}
        declared = [tool.name for tool in tools]
        used = [call.name for message in messages for call in message.tool_calls]
        # Names that fit keep themselves, whoever comes first.
        for name in dict.fromkeys((*declared, *used)):
            if _NAME.fullmatch(name):
                self._take(name, name)
        for name in dict.fromkeys((*declared, *used)):
            if name not in self._wire:
                self._take(name, self._fitting(name))

    def wire(self, name: str) -> str:
        """The name to send."""
        return self._wire.get(name) or self._fitting(name)

    def own(self, wire: str) -> str:
        """The name as the tool is called here."""
        return self._own.get(wire, wire)

    def knows(self, messages: Iterable[Message]) -> bool:
        """True if all calls in these messages have a name here already."""
        return all(call.name in self._wire for message in messages for call in message.tool_calls)

    def _take(self, name: str, wire: str) -> None:
        self._wire[name] = wire
        self._own[wire] = name

    def _fitting(self, name: str) -> str:
        base = re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64] or "tool"
        if base not in self._own:
            return base
        return f"{base[:55]}_{_digest(name, 8)}"


@dataclass(frozen=True, slots=True)
class WireCall:
    """Where a call stands: its message and its id there; the id may come again elsewhere."""

    message: int
    id: str


class CallIds:
    """Ids that fit the server's rule and never occur twice in a history, stable over requests."""

    def __init__(self, messages: Sequence[Message], rule: ToolIds) -> None:
        self._rule: ToolIds = rule
        self._ids: dict[WireCall, str] = {}
        self._answers: dict[int, str] = {}
        self._used: set[str] = set()
        self._current: dict[str, str] = {}
        self._count = 0
        self.extend(messages)

    def extend(self, messages: Sequence[Message]) -> None:
        """Takes the messages that follow those taken so far."""
        for number, message in enumerate(messages, self._count):
            if message.tool_calls:
                self._current = {}
            for call in message.tool_calls:
                wire = _fitting_id(call.id, self._rule, self._used)
                self._used.add(wire)
                self._current[call.id] = wire
                self._ids[WireCall(number, call.id)] = wire
            if message.role == "tool":
                id_ = message.tool_call_id
                self._answers[number] = self._current.get(id_, id_)
        self._count += len(messages)

    def call(self, message: int, id_: str) -> str:
        """The id to send for a call of message number `message`."""
        return self._ids[WireCall(message, id_)]

    def answer(self, message: int) -> str:
        """The id to send for the result in message number `message`."""
        return self._answers[message]


def _fitting_id(id_: str, rule: ToolIds, used: set[str]) -> str:
    pattern = _ID_RULES[rule]
    if pattern.fullmatch(id_) and id_ not in used:
        return id_
    for turn in range(1000):
        digest = _digest(f"{id_}#{turn}" if turn else id_, 24)
        wire = digest[:9] if rule == "nine" else f"call_{digest}"
        if wire not in used:
            return wire
    raise AssertionError("a thousand ids collide")


def _digest(text: str, size: int) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:size]
