"""Speaks OpenAI chat completions, and understands what compatible servers make of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kinet.core.completion import Completion, FinishReason
from kinet.core.errors import OverloadedError, ProtocolError
from kinet.core.events import TextDelta, ThinkingDelta, ToolArgumentsDelta
from kinet.core.profile import Effort, ModelProfile
from kinet.net.secret import Secret
from kinet.providers.addresses import chat_address
from kinet.providers.base import ModelRequest, StreamItem
from kinet.providers.complaints import Complaint, complaint_of
from kinet.providers.failures import failure_in_stream
from kinet.providers.headers import request_headers
from kinet.providers.http import Call
from kinet.providers.json_values import json_value
from kinet.providers.openai_messages import wire_messages, wire_tools
from kinet.providers.reasoning_pieces import ReasoningDetails, plain_reasoning
from kinet.providers.refusals import Refusals
from kinet.providers.reply import completion, finish_word, finished_call, is_failed_finish
from kinet.providers.sse import ServerEvent
from kinet.providers.surrogates import TextJoiner, cleaned
from kinet.providers.think_tags import Piece, ThinkTagSplitter
from kinet.providers.tool_call_pieces import CallAssembler, Growth
from kinet.providers.usage import UNKNOWN, openai_usage
from kinet.providers.vendors import OPENAI_REASONING, Vendor
from kinet.providers.wire_names import ToolNames


class OpenAICompatible:
    """The dialect of chat completions for one profile."""

    def __init__(self, profile: ModelProfile, key: Secret | None, vendor: Vendor) -> None:
        self._profile = profile
        self._key = key
        self._vendor = vendor
        self._refusals = Refusals()

    def call(self, request: ModelRequest) -> Call:
        """The request to send. BadRequestError if the address or the key cannot be used."""
        profile, vendor = self._profile, self._vendor
        names = ToolNames(request.tools, request.messages)
        body: dict[str, Any] = {
            "model": profile.model,
            "messages": wire_messages(request, profile, vendor, names),
            "stream": True,
        }
        if vendor.stream_options:
            body["stream_options"] = {"include_usage": True}
        if request.tools:
            body["tools"] = wire_tools(request.tools, names)
            if request.tool_choice != "auto":
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
        names = ToolNames(request.tools, request.messages)
        return ChatDecoder(self._profile.model, self._vendor, names)

    def learn(self, complaint: Complaint, body: Mapping[str, Any]) -> bool:
        """True if the server refused a parameter that will be left out from now on."""
        return self._refusals.learn(complaint, body)

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
        for name in ("temperature", "top_p"):
            value = getattr(request, name)
            value = getattr(profile, name) if value is None else value
            if value is not None and not fixed:
                body[name] = value

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


class ChatDecoder:
    """Makes stream items of chat-completion chunks."""

    def __init__(self, model: str, vendor: Vendor, names: ToolNames) -> None:
        self._asked_model = model
        self._vendor = vendor
        self._names = names
        self._model = ""
        self._calls = CallAssembler()
        self._details = ReasoningDetails()
        self._tags = ThinkTagSplitter()
        self._joiner = TextJoiner()
        self._thinking_joiner = TextJoiner()
        self._content: list[str] = []
        self._reasoning: list[str] = []
        self._has_reasoning = False
        self._reasoning_field = ""
        self._usage = UNKNOWN
        self._finish: FinishReason | None = None
        self._refused = False
        self._started = False
        self._ended = False
        self._made: list[StreamItem] = []

    @property
    def started(self) -> bool:
        """True once a chunk of an answer came."""
        return self._started

    @property
    def finished(self) -> bool:
        """True once a finish reason or, after chunks, the end mark came."""
        return self._started and (self._ended or self._finish is not None)

    @property
    def ended(self) -> bool:
        """True once the end mark came."""
        return self._ended

    def feed(self, event: ServerEvent) -> None:
        """Takes one event. ProviderError for an error in band or damaged data."""
        data = event.data.strip()
        if not data:
            return
        if data.strip(b'"').upper() == b"[DONE]":
            self._ended = True
            return
        try:
            chunk = json_value(data)
        except ValueError as exc:
            self._check_words(event, data)
            raise ProtocolError(
                "The server sent a piece of the answer that cannot be read.",
                hint="Send again.",
                retryable=True,
            ) from exc
        self._chunk(chunk, is_error=event.name == "error")

    def whole(self, document: Mapping[str, Any]) -> None:
        """Takes a completion that came in one piece."""
        self._chunk(document, is_error="choices" not in document)
        self._ended = True

    def take(self) -> list[StreamItem]:
        """The items made since the last time."""
        made, self._made = self._made, []
        return made

    def flush(self) -> None:
        """Makes items of what was held back to the end."""
        rest = self._joiner.finish()
        self._said([*(self._tags.feed(rest) if rest else ()), *self._tags.finish()])
        self._thought(self._thinking_joiner.finish())

    def completion(self, *, partial: bool = False) -> Completion:
        """The answer so far."""
        calls = [
            finished_call(call.id, self._names.own(call.name), call.text(), call.vendor)
            for call in self._calls.ordered()
        ]
        details = self._details.merged()
        return completion(
            content="".join(self._content),
            reasoning="".join(self._reasoning) if self._has_reasoning else None,
            calls=calls,
            finish="content_filter" if self._refused and not calls else self._finish,
            usage=self._usage,
            model=self._model or self._asked_model,
            vendor={"openai": {"reasoning_details": details}} if details else {},
            partial=partial,
        )

    def _chunk(self, chunk: Any, *, is_error: bool = False) -> None:
        complaint = complaint_of(chunk)
        if complaint is None and is_error:
            complaint = complaint_of({"error": chunk})
        if complaint is not None:
            self._choices_beside(chunk)
            raise failure_in_stream(complaint, model=self._asked_model).error
        if not isinstance(chunk, dict):
            return
        if isinstance(chunk.get("model"), str) and chunk["model"]:
            self._model = cleaned(chunk["model"])
        self._take_usage(chunk.get("usage"))
        groq = chunk.get("x_groq")
        if isinstance(groq, dict):
            self._take_usage(groq.get("usage"))
        for choice in _ours(chunk.get("choices")):
            self._choice(choice)

    def _choices_beside(self, chunk: Any) -> None:
        """Text that shares a chunk with an error is not lost."""
        if isinstance(chunk, dict):
            for choice in _ours(chunk.get("choices")):
                self._choice({**choice, "finish_reason": None})

    def _choice(self, choice: Mapping[str, Any]) -> None:
        self._started = True
        self._take_usage(choice.get("usage"))
        delta = choice.get("delta")
        if not isinstance(delta, dict) or (not delta and "message" in choice):
            delta = choice.get("message")
        if isinstance(delta, dict):
            self._delta(delta)
        elif isinstance(choice.get("text"), str):
            self._text(choice["text"])
        reason = choice.get("finish_reason")
        if is_failed_finish(reason):
            raise OverloadedError(
                f"The server gave up in the middle of the answer ({reason}).",
                hint="Wait a moment, then send again.",
            )
        self._finish = finish_word(reason) or self._finish

    def _delta(self, delta: Mapping[str, Any]) -> None:
        self._reasoning_of(delta)
        content = delta.get("content")
        if isinstance(content, str):
            self._text(content)
        elif isinstance(content, (list, dict)):
            self._content_parts(content)
        if isinstance(delta.get("refusal"), str) and delta["refusal"]:
            self._refused = True
            self._text(delta["refusal"])
        grown = self._calls.feed(delta.get("tool_calls"))
        if delta.get("function_call"):
            grown += self._calls.feed_legacy(delta["function_call"])
        self._growths(grown)

    def _reasoning_of(self, delta: Mapping[str, Any]) -> None:
        found = plain_reasoning(delta, self._reasoning_field)
        if found is not None:
            self._has_reasoning = True
            if found.text:
                self._reasoning_field = found.field
                self._thought(self._thinking_joiner.feed(found.text))
        text = self._details.feed(delta.get("reasoning_details"))
        # Details repeat the plain field where a server sends both.
        if text and not self._reasoning_field:
            self._thought(self._thinking_joiner.feed(text))

    def _content_parts(self, content: Any) -> None:
        for part in content if isinstance(content, list) else [content]:
            if isinstance(part, str):
                self._text(part)
            elif isinstance(part, dict):
                kind = part.get("type")
                thinking = part.get("thinking")
                if kind in ("thinking", "reasoning") or thinking is not None:
                    self._thought(self._thinking_joiner.feed(_text_in(part)))
                elif isinstance(part.get("text"), str):
                    self._text(part["text"])

    def _text(self, text: str) -> None:
        whole = self._joiner.feed(text)
        if whole:
            self._said(self._tags.feed(whole))

    def _said(self, pieces: Iterable[Piece]) -> None:
        for piece in pieces:
            if piece.kind == "thinking":
                self._thought(piece.text)
            elif piece.text:
                self._content.append(piece.text)
                self._made.append(TextDelta(piece.text))

    def _thought(self, text: str) -> None:
        if text:
            self._has_reasoning = True
            self._reasoning.append(text)
            self._made.append(ThinkingDelta(text))

    def _growths(self, grown: Iterable[Growth]) -> None:
        for growth in grown:
            name = self._names.own(growth.call.name)
            self._made.append(
                ToolArgumentsDelta(growth.call.position, cleaned(name), cleaned(growth.text))
            )

    def _take_usage(self, raw: Any) -> None:
        found = openai_usage(raw, total_tells_reasoning=self._vendor.total_tells_reasoning)
        if found is not None:
            self._usage = found

    def _check_words(self, event: ServerEvent, data: bytes) -> None:
        """An error event may hold plain words instead of JSON."""
        if event.name == "error":
            words = data.decode("utf-8", "replace")
            raise failure_in_stream(Complaint(words), model=self._asked_model).error


def _ours(choices: Any) -> Iterator[Mapping[str, Any]]:
    """The first choice: others are alternatives that were not asked for."""
    if isinstance(choices, dict):
        choices = [choices]
    if isinstance(choices, list):
        for choice in choices:
            if isinstance(choice, dict) and not choice.get("index"):
                yield choice


def _text_in(part: Mapping[str, Any]) -> str:
    inner = part.get("thinking", part.get("reasoning", part.get("text")))
    if isinstance(inner, str):
        return inner
    if isinstance(inner, list):
        return "".join(
            item["text"]
            for item in inner
            if isinstance(item, dict) and isinstance(item.get("text"), str)
        )
    return ""


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
