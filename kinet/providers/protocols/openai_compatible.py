"""Speaks OpenAI chat completions: what is sent for a request."""

from __future__ import annotations

import re
from typing import Any

from kinet.core.profile import Effort
from kinet.providers.base import ModelRequest
from kinet.providers.protocols.cache_marks import set_marks_in_chat
from kinet.providers.protocols.dialect import ProfileDialect
from kinet.providers.protocols.openai_decoder import ChatDecoder
from kinet.providers.protocols.openai_messages import ChatBuilder, wire_tools
from kinet.providers.protocols.wire_names import ToolNames
from kinet.providers.transport.addresses import chat_address
from kinet.providers.transport.headers import request_headers
from kinet.providers.transport.http import Call
from kinet.providers.vendors import OPENAI_REASONING


class OpenAICompatible(ProfileDialect[ChatBuilder]):
    """The dialect of chat completions for one profile."""

    def _begin(self, system: str, names: ToolNames) -> ChatBuilder:
        return ChatBuilder(self._profile, self._vendor, names, system)

    def call(self, request: ModelRequest) -> Call:
        """The request to send. BadRequestError if the address or the key cannot be used."""
        profile, vendor = self._profile, self._vendor
        grown = self._history.of(request)
        messages, names = grown.builder.messages(), grown.names
        if vendor.cache_marks and re.search(vendor.cache_marks, profile.model.lower()):
            set_marks_in_chat(messages, grown.builder.end_of(grown.history.asked_before))
        body: dict[str, Any] = {"model": profile.model, "messages": messages, "stream": True}
        if vendor.stream_options:
            body["stream_options"] = {"include_usage": True}
        if request.tools:
            body["tools"] = wire_tools(request.tools, names)
            if request.tool_named:
                named = {"name": names.wire(request.tool_named)}
                body["tool_choice"] = {"type": "function", "function": named}
            elif request.tool_choice != "auto":
                body["tool_choice"] = request.tool_choice
        self._add_limits(body, request)
        self._add_effort(body, request.effort or profile.effort)
        if vendor.cache_key and request.session_id:
            body["prompt_cache_key"] = request.session_id
        body.update(profile.extra_body)
        return Call(
            chat_address(profile.base_url),
            request_headers(profile, self._key, vendor.key_header, dict(vendor.headers)),
            self._refusals.apply(body),
            profile.model,
        )

    def decoder(self, request: ModelRequest) -> ChatDecoder:
        """A decoder for the answer to `request`."""
        return ChatDecoder(self._profile.model, self._vendor, self._history.of(request).names)

    def _add_limits(self, body: dict[str, Any], request: ModelRequest) -> None:
        profile, vendor = self._profile, self._vendor
        limit = request.max_tokens or profile.max_output_tokens
        if limit:
            reasons = re.search(OPENAI_REASONING, profile.model.lower()) is not None
            newer = vendor.completion_tokens == "always" or (
                vendor.completion_tokens == "reasoning" and reasons
            )
            body["max_completion_tokens" if newer else "max_tokens"] = limit
        fixed = vendor.fixed_sampling and re.search(vendor.fixed_sampling, profile.model.lower())
        if not fixed:
            body.update(self._sampling(request))

    def _add_effort(self, body: dict[str, Any], effort: Effort) -> None:
        if not effort:
            return
        match self._vendor.effort:
            case "reasoning_effort":
                if _takes_effort(self._profile.model):
                    body["reasoning_effort"] = effort_word(self._profile.model, effort)
            case "reasoning":
                body["reasoning"] = {"enabled": False} if effort == "off" else {"effort": effort}
            case "thinking":
                body["thinking"] = {"type": "disabled" if effort == "off" else "enabled"}
            case "enable_thinking":
                body["enable_thinking"] = effort != "off"
            case "":
                pass


def _takes_effort(model: str) -> bool:
    name = model.lower()
    return bool(re.search(OPENAI_REASONING, name)) or any(
        word in name for word in ("gpt-oss", "gemini-2.5", "gemini-3", "qwen3", "deepseek-r1")
    )


def effort_word(model: str, effort: Effort) -> str:
    """The word that a model knows for an effort; "off" is the least it can."""
    if effort != "off":
        return effort
    name = model.lower()
    if re.search(r"gpt-5\.[1-9]|gemini-2\.5-flash|qwen3", name):
        return "none"
    return "minimal" if re.search(r"gpt-5|gemini-3", name) else "low"
