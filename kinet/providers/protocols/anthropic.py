"""Speaks Anthropic Messages: what is sent for a request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kinet.core.profile import Effort
from kinet.providers.base import ModelRequest
from kinet.providers.pricing import known_output
from kinet.providers.protocols.anthropic_decoder import MessageDecoder
from kinet.providers.protocols.anthropic_messages import MessagesBuilder, stand_ins, wire_tools
from kinet.providers.protocols.cache_marks import set_marks
from kinet.providers.protocols.dialect import ProfileDialect
from kinet.providers.protocols.history import History, thinks_without_signature
from kinet.providers.protocols.wire_names import ToolNames
from kinet.providers.transport.addresses import messages_address
from kinet.providers.transport.headers import request_headers
from kinet.providers.transport.http import Call

VERSION = "2023-06-01"
DEFAULT_MAX_TOKENS = 8_192
_THINKING_TOKENS: Mapping[Effort, int] = {"low": 2_048, "medium": 8_192, "high": 24_576}
# These models choose the length of their thinking themselves.
_ADAPTIVE = re.compile(r"claude-(?:opus|sonnet|haiku)-(?:4-[6-9]|[5-9])(?!\d)")


class Anthropic(ProfileDialect[MessagesBuilder]):
    """The dialect of Messages for one profile."""

    def _begin(self, system: str, names: ToolNames) -> MessagesBuilder:
        return MessagesBuilder(self._profile, names)

    def call(self, request: ModelRequest) -> Call:
        """The request to send. BadRequestError if the address or the key cannot be used."""
        profile = self._profile
        grown = self._history.of(request)
        history, names = grown.history, grown.names
        limit = request.max_tokens or profile.max_output_tokens
        body: dict[str, Any] = {
            "model": profile.model,
            "max_tokens": limit or known_output(profile.model) or DEFAULT_MAX_TOKENS,
            "messages": grown.builder.messages(),
            "stream": True,
        }
        if history.system:
            body["system"] = [{"type": "text", "text": history.system}]
        self._add_tools(body, request, history, names)
        self._add_thinking(body, request, history)
        self._add_sampling(body, request)
        start = grown.builder.place(history.turn_start)
        set_marks(body, start, grown.builder.end_of(history.asked_before))
        body.update(profile.extra_body)
        scheme = "bearer" if self._uses_bearer() else "x-api-key"
        headers = request_headers(profile, self._key, scheme, {"anthropic-version": VERSION})
        return Call(
            messages_address(profile.base_url), headers, self._refusals.apply(body), profile.model
        )

    def decoder(self, request: ModelRequest) -> MessageDecoder:
        """A decoder for the answer to `request`."""
        return MessageDecoder(self._profile.model, self._history.of(request).names)

    def _uses_bearer(self) -> bool:
        # Sign-in tokens go into the other header; the server tells them by this beginning.
        return self._key is not None and self._key.reveal().startswith("sk-ant-oat")

    def _add_tools(
        self, body: dict[str, Any], request: ModelRequest, history: History, names: ToolNames
    ) -> None:
        if request.tools:
            body["tools"] = wire_tools(request.tools, names)
            if request.tool_named:
                body["tool_choice"] = {"type": "tool", "name": names.wire(request.tool_named)}
            elif request.tool_choice != "auto":
                kind = "any" if request.tool_choice == "required" else request.tool_choice
                body["tool_choice"] = {"type": kind}
        elif any(message.tool_calls for message in history.messages):
            body["tools"] = stand_ins(history, names)
            body["tool_choice"] = {"type": "none"}

    def _add_thinking(self, body: dict[str, Any], request: ModelRequest, history: History) -> None:
        effort = request.effort or self._profile.effort
        tokens = _THINKING_TOKENS.get(effort)
        forced = body.get("tool_choice", {}).get("type") in ("any", "tool")
        # In the middle of a turn thinking cannot begin: the server wants to see where it began.
        if tokens is None or forced or thinks_without_signature(history.messages):
            return
        if _ADAPTIVE.search(self._profile.model):
            body["thinking"] = {"type": "adaptive"}
            body["output_config"] = {"effort": effort}
            return
        body["thinking"] = {"type": "enabled", "budget_tokens": tokens}
        # The thinking counts against the limit of the answer.
        body["max_tokens"] = max(body["max_tokens"], tokens + 4_096)

    def _add_sampling(self, body: dict[str, Any], request: ModelRequest) -> None:
        if "thinking" in body:
            return
        profile = self._profile
        temperature = profile.temperature if request.temperature is None else request.temperature
        top_p = profile.top_p if request.top_p is None else request.top_p
        if temperature is not None:
            body["temperature"] = min(temperature, 1.0)
        elif top_p is not None:
            # Newer models take one of the two only.
            body["top_p"] = top_p
