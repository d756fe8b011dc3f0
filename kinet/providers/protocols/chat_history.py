"""Builds the messages of a chat request on from where the request before it ended.

A conversation is sent again with every request, a step longer each time. Building it anew would
cost the square of its length; messages are frozen, so what was built of them stays good.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kinet.core.messages import Message, ToolSchema
from kinet.core.pairing import repair
from kinet.core.profile import ModelProfile
from kinet.providers.base import ModelRequest
from kinet.providers.protocols.history import prepared
from kinet.providers.protocols.openai_messages import ChatBuilder
from kinet.providers.protocols.wire_names import ToolNames
from kinet.providers.vendors import Vendor

# Conversations at a time: the person's, and those of sub-agents.
_MOST = 4


@dataclass
class _Built:
    """A conversation as far as it was built. `messages` were legal as they came."""

    system: str
    tools: tuple[ToolSchema, ...]
    messages: Sequence[Message]
    names: ToolNames
    builder: ChatBuilder
    legal: bool


class ChatHistory:
    """The wire messages of one profile's conversations."""

    def __init__(self, profile: ModelProfile, vendor: Vendor) -> None:
        self._profile = profile
        self._vendor = vendor
        # The newest first.
        self._built: list[_Built] = []

    def of(self, request: ModelRequest) -> tuple[list[dict[str, Any]], ToolNames]:
        """The messages, and the names of tools in them. Items are shared with later requests:
        nothing may be put into them; what a server refuses may be taken out of them.
        """
        built = next((item for item in self._built if self._goes_on(item, request)), None)
        if built is None:
            built = self._begin(request)
        else:
            self._built.remove(built)
        if built.legal:
            self._built = [built, *self._built][:_MOST]
        return built.builder.messages(), built.names

    def _begin(self, request: ModelRequest) -> _Built:
        history = prepared(request)
        names = ToolNames(request.tools, request.messages)
        builder = ChatBuilder(self._profile, self._vendor, names, history.system)
        builder.extend(history.messages)
        legal = _same(history.messages, request.messages)
        system, tools = request.system, request.tools
        return _Built(system, tools, request.messages, names, builder, legal)

    def _goes_on(self, built: _Built, request: ModelRequest) -> bool:
        """True if `request` continues what was built, which then covers it whole."""
        count = len(built.messages)
        if count > len(request.messages) or built.tools is not request.tools:
            return False
        if built.system != request.system or not _same(built.messages, request.messages[:count]):
            return False
        new = request.messages[count:]
        if new:
            # A result alone would belong to what is before; a system text is moved elsewhere.
            if new[0].role == "tool" or any(message.role == "system" for message in new):
                return False
            if not built.names.knows(new) or not _same(repair(new), new):
                return False
            built.builder.extend(new)
            built.messages = request.messages
        return True


def _same(one: Sequence[Message], other: Sequence[Message]) -> bool:
    """True if both hold the very same objects."""
    return len(one) == len(other) and all(map(operator.is_, one, other))
