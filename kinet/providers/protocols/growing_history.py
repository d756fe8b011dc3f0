"""Builds the messages of a request on from where the request before it ended, in any protocol.

A conversation is sent again with every request, a step longer each time. Building it anew would
cost the square of its length; messages are frozen, so what was built of them stays good.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from kinet.core.messages import Message, ToolSchema
from kinet.core.pairing import repair
from kinet.providers.base import ModelRequest
from kinet.providers.protocols.history import History, prepared
from kinet.providers.protocols.wire_names import ToolNames

# Conversations at a time: the person's, and those of sub-agents.
_MOST = 4


class Builder(Protocol):
    """Makes wire messages of a history, piece by piece; each piece begins with a new group.

    What was given out is never changed: what grows is replaced.
    """

    def extend(self, messages: Sequence[Message]) -> None:
        """Takes the messages that follow, in which every call is answered at once."""
        ...

    def messages(self) -> list[dict[str, Any]]:
        """All messages so far; the list is the caller's, its items are not."""
        ...


B = TypeVar("B", bound=Builder)


@dataclass
class Grown(Generic[B]):
    """A conversation as far as it was built."""

    history: History
    names: ToolNames
    builder: B
    # What it was built of. `legal`: it is the history, message for message.
    system: str
    tools: tuple[ToolSchema, ...]
    asked: Sequence[Message]
    legal: bool


class GrowingHistory(Generic[B]):
    """The conversations of one profile. `begin` makes a builder from system text and names."""

    def __init__(self, begin: Callable[[str, ToolNames], B]) -> None:
        self._begin = begin
        # The newest first.
        self._grown: list[Grown[B]] = []

    def of(self, request: ModelRequest) -> Grown[B]:
        """The conversation of a request, built as far as it goes."""
        grown = next((item for item in self._grown if _goes_on(item, request)), None)
        if grown is None:
            grown = self._built_anew(request)
        else:
            self._grown.remove(grown)
        if grown.legal:
            self._grown = [grown, *self._grown][:_MOST]
        return grown

    def _built_anew(self, request: ModelRequest) -> Grown[B]:
        history = prepared(request)
        names = ToolNames(request.tools, request.messages)
        builder = self._begin(history.system, names)
        builder.extend(history.messages)
        legal = _same(history.messages, request.messages)
        return Grown(
            history, names, builder, request.system, request.tools, request.messages, legal
        )


def _goes_on(grown: Grown[B], request: ModelRequest) -> bool:
    """True if `request` continues what was built, which then covers it whole."""
    count = len(grown.asked)
    if count > len(request.messages) or grown.tools is not request.tools:
        return False
    if grown.system != request.system or not _same(grown.asked, request.messages[:count]):
        return False
    new = request.messages[count:]
    if new:
        # A result alone would belong to what is before; a system text is moved elsewhere.
        if new[0].role == "tool" or any(message.role == "system" for message in new):
            return False
        if not grown.names.knows(new) or not _same(repair(new), new):
            return False
        grown.builder.extend(new)
        grown.asked = request.messages
    start = request.turn_start if 0 <= request.turn_start < len(request.messages) else -1
    asked = request.asked_before if 0 < request.asked_before <= len(request.messages) else -1
    grown.history = History(grown.history.system, request.messages, start, asked)
    return True


def _same(one: Sequence[Message], other: Sequence[Message]) -> bool:
    """True if both hold the very same objects."""
    return len(one) == len(other) and all(map(operator.is_, one, other))
