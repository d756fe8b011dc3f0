"""Speaks OpenAI Responses, stateless: the whole transcript is sent, the server keeps nothing."""

from __future__ import annotations

import re
from typing import Any

from kinet.providers.base import ModelRequest
from kinet.providers.protocols.dialect import ProfileDialect
from kinet.providers.protocols.openai_compatible import effort_word
from kinet.providers.protocols.responses_decoder import ResponseDecoder
from kinet.providers.protocols.responses_messages import ItemsBuilder, wire_tools
from kinet.providers.protocols.wire_names import ToolNames
from kinet.providers.transport.addresses import responses_address
from kinet.providers.transport.headers import request_headers
from kinet.providers.transport.http import Call
from kinet.providers.vendors import OPENAI_REASONING


class Responses(ProfileDialect[ItemsBuilder]):
    """The dialect of Responses for one profile."""

    def _begin(self, system: str, names: ToolNames) -> ItemsBuilder:
        return ItemsBuilder(self._profile, names)

    def call(self, request: ModelRequest) -> Call:
        """The request to send. BadRequestError if the address or the key cannot be used."""
        profile, vendor = self._profile, self._vendor
        grown = self._history.of(request)
        reasons = re.search(OPENAI_REASONING, profile.model.lower()) is not None
        body: dict[str, Any] = {
            "model": profile.model,
            "input": grown.builder.messages(),
            "stream": True,
            "store": False,
        }
        if grown.history.system:
            body["instructions"] = grown.history.system
        if request.tools:
            body["tools"] = wire_tools(request.tools, grown.names)
            if request.tool_named:
                name = grown.names.wire(request.tool_named)
                body["tool_choice"] = {"type": "function", "name": name}
            elif request.tool_choice != "auto":
                body["tool_choice"] = request.tool_choice
        limit = request.max_tokens or profile.max_output_tokens
        if limit:
            body["max_output_tokens"] = limit
        if reasons:
            # The reasoning comes sealed, to be sent back: the server remembers nothing.
            body["include"] = ["reasoning.encrypted_content"]
            body["reasoning"] = {"summary": "auto"}
            effort = request.effort or profile.effort
            if effort:
                body["reasoning"]["effort"] = effort_word(profile.model, effort)
        else:
            body.update(self._sampling(request))
        if vendor.cache_key and request.session_id:
            body["prompt_cache_key"] = request.session_id
        body.update(profile.extra_body)
        return Call(
            responses_address(profile.base_url),
            request_headers(profile, self._key, vendor.key_header, dict(vendor.headers)),
            self._refusals.apply(body),
            profile.model,
        )

    def decoder(self, request: ModelRequest) -> ResponseDecoder:
        """A decoder for the answer to `request`."""
        return ResponseDecoder(self._profile.model, self._history.of(request).names)
