"""Speaks Ollama's own chat API, which takes the window; its compatible route clips in silence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx

from kinet.core.completion import Completion
from kinet.core.profile import ModelProfile
from kinet.net.secret import Secret
from kinet.providers.asked_window import DEFAULT_WINDOW
from kinet.providers.base import ModelRequest, StreamItem
from kinet.providers.protocols.dialect import ProfileDialect
from kinet.providers.protocols.ollama_messages import OllamaBuilder
from kinet.providers.protocols.openai_decoder import ChatDecoder
from kinet.providers.protocols.openai_messages import ChatBuilder, wire_tools
from kinet.providers.protocols.wire_names import ToolNames
from kinet.providers.transport.addresses import chat_address
from kinet.providers.transport.headers import request_headers
from kinet.providers.transport.http import Call
from kinet.providers.transport.json_values import json_value
from kinet.providers.transport.sse import ServerEvent

SHOW_SECONDS = 10.0


def api_address(base_url: str, end: str) -> str:
    """An address of Ollama's own API: `end` is "chat", "show" or "ps"."""
    parts = urlsplit(chat_address(base_url))
    return urlunsplit((parts.scheme, parts.netloc, f"/api/{end}", parts.query, ""))


async def shown_window(profile: ModelProfile, key: Secret | None, client: httpx.AsyncClient) -> int:
    """The longest window that the model was made for, as Ollama shows it; 0 if it does not say."""
    try:
        answer = await client.post(
            api_address(profile.base_url, "show"),
            json={"model": profile.model},
            headers={**request_headers(profile, key, "bearer", {}), "accept": "application/json"},
            timeout=SHOW_SECONDS,
        )
        info = answer.json().get("model_info")
    except (httpx.HTTPError, ValueError, AttributeError):
        return 0
    lengths = [
        value
        for name, value in (info.items() if isinstance(info, dict) else ())
        if name.endswith(".context_length") and isinstance(value, int)
    ]
    return max(lengths, default=0)


class Ollama(ProfileDialect[OllamaBuilder]):
    """The dialect of /api/chat for one profile."""

    def _begin(self, system: str, names: ToolNames) -> OllamaBuilder:
        return OllamaBuilder(ChatBuilder(self._profile, self._vendor, names, system))

    def call(self, request: ModelRequest) -> Call:
        """The request to send. BadRequestError if the address or the key cannot be used."""
        profile = self._profile
        grown = self._history.of(request)
        body: dict[str, Any] = {
            "model": profile.model,
            "messages": grown.builder.messages(),
            "stream": True,
            "options": self._options(request),
        }
        if request.tools and request.tool_choice != "none":
            body["tools"] = wire_tools(request.tools, grown.names)
        effort = request.effort or profile.effort
        if effort:
            body["think"] = effort != "off"
        body.update(profile.extra_body)
        return Call(
            api_address(profile.base_url, "chat"),
            request_headers(profile, self._key, "bearer", {}),
            self._refusals.apply(body),
            profile.model,
        )

    def decoder(self, request: ModelRequest) -> OllamaDecoder:
        """A decoder for the answer to `request`."""
        names = self._history.of(request).names
        return OllamaDecoder(ChatDecoder(self._profile.model, self._vendor, names))

    def _options(self, request: ModelRequest) -> dict[str, Any]:
        profile = self._profile
        options: dict[str, Any] = {"num_ctx": profile.window or DEFAULT_WINDOW}
        limit = request.max_tokens or profile.max_output_tokens
        if limit:
            options["num_predict"] = limit
        options.update(self._sampling(request))
        return options


class OllamaDecoder:
    """Makes stream items of lines of JSON: each is put into the form of a chat chunk."""

    framing = "lines"

    def __init__(self, inner: ChatDecoder) -> None:
        self._inner = inner
        self._calls = 0
        self._ended = False

    @property
    def started(self) -> bool:
        """True once a line of an answer came."""
        return self._inner.started

    @property
    def finished(self) -> bool:
        """True once the last line came."""
        return self._ended

    @property
    def ended(self) -> bool:
        """True once the last line came."""
        return self._ended

    def feed(self, event: ServerEvent) -> None:
        """Takes one line. ProviderError for an error in band or damaged data."""
        try:
            line = json_value(event.data)
        except ValueError:
            # The chat decoder says what is wrong with it.
            self._inner.feed(event)
            return
        if not isinstance(line, dict):
            return
        self._inner.take_value(self._chunk(line) if "error" not in line else line)
        self._ended = bool(line.get("done"))

    def whole(self, document: Mapping[str, Any]) -> None:
        """Takes an answer that came in one piece."""
        self._inner.take_value(self._chunk(document) if "error" not in document else document)
        self._ended = True

    def flush(self) -> None:
        """Makes items of what was held back to the end."""
        self._inner.flush()

    def take(self) -> list[StreamItem]:
        """The items made since the last time."""
        return self._inner.take()

    def completion(self, *, partial: bool = False) -> Completion:
        """The answer so far."""
        return self._inner.completion(partial=partial)

    def _chunk(self, line: Mapping[str, Any]) -> dict[str, Any]:
        message = line.get("message")
        message = message if isinstance(message, dict) else {}
        delta: dict[str, Any] = {}
        if message.get("content"):
            delta["content"] = message["content"]
        if message.get("thinking"):
            delta["reasoning_content"] = message["thinking"]
        calls = message.get("tool_calls")
        if isinstance(calls, list):
            delta["tool_calls"] = [self._call(call) for call in calls if isinstance(call, dict)]
        choice: dict[str, Any] = {"index": 0, "delta": delta}
        if line.get("done"):
            choice["finish_reason"] = line.get("done_reason") or "stop"
        chunk: dict[str, Any] = {"model": line.get("model"), "choices": [choice]}
        if "prompt_eval_count" in line or "eval_count" in line:
            chunk["usage"] = {
                "prompt_tokens": line.get("prompt_eval_count"),
                "completion_tokens": line.get("eval_count"),
            }
        return chunk

    def _call(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """A call in OpenAI's form; each comes whole, so each has a place of its own."""
        function = call.get("function")
        function = dict(function) if isinstance(function, dict) else {}
        function.pop("index", None)
        if not isinstance(function.get("arguments"), str):
            function["arguments"] = json.dumps(function.get("arguments"), ensure_ascii=False)
        place, self._calls = self._calls, self._calls + 1
        return {"index": place, "id": call.get("id"), "type": "function", "function": function}
