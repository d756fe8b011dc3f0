"""Speaks OpenAI Responses, stateless: the whole transcript is sent, the server keeps nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kinet.core.profile import ModelProfile
from kinet.net.secret import Secret
from kinet.providers.base import ModelRequest
from kinet.providers.protocols.growing_history import GrowingHistory
from kinet.providers.protocols.openai_compatible import effort_word
from kinet.providers.protocols.responses_decoder import ResponseDecoder
from kinet.providers.protocols.responses_messages import ItemsBuilder, wire_tools
from kinet.providers.transport.addresses import responses_address
from kinet.providers.transport.complaints import Complaint
from kinet.providers.transport.headers import request_headers
from kinet.providers.transport.http import Call
from kinet.providers.transport.refusals import Refusals
from kinet.providers.vendors import OPENAI_REASONING, Vendor


class Responses:
    """The dialect of Responses for one profile."""

    def __init__(
        self,
        profile: ModelProfile,
        key: Secret | None,
        vendor: Vendor,
        refusals: Refusals | None = None,
    ) -> None:
        self._profile = profile
        self._key = key
        self._vendor = vendor
        self._history = GrowingHistory(lambda _, names: ItemsBuilder(profile, names))
        self._refusals = Refusals() if refusals is None else refusals

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
            self._add_sampling(body, request)
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

    def learn(self, complaint: Complaint, body: Mapping[str, Any]) -> bool:
        """True if the server refused a parameter that will be left out from now on."""
        return self._refusals.learn(complaint, body)

    def _add_sampling(self, body: dict[str, Any], request: ModelRequest) -> None:
        for name in ("temperature", "top_p"):
            value = getattr(request, name)
            value = getattr(self._profile, name) if value is None else value
            if value is not None:
                body[name] = value
