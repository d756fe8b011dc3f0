"""Makes stream items of chat-completion chunks, whatever servers make of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kinet.core.completion import Completion
from kinet.core.events import TextDelta, ThinkingDelta, ToolArgumentsDelta
from kinet.providers.protocols.event_decoder import EventDecoder
from kinet.providers.protocols.reasoning_pieces import ReasoningDetails, plain_reasoning
from kinet.providers.protocols.reply import completion, finished_call
from kinet.providers.protocols.think_tags import Piece, ThinkTagSplitter
from kinet.providers.protocols.tool_call_pieces import CallAssembler
from kinet.providers.protocols.usage import UNKNOWN, openai_usage
from kinet.providers.protocols.wire_names import ToolNames
from kinet.providers.transport.surrogates import TextJoiner, cleaned
from kinet.providers.vendors import Vendor


class ChatDecoder(EventDecoder):
    """Makes stream items of chat-completion chunks."""

    def __init__(self, model: str, vendor: Vendor, names: ToolNames) -> None:
        super().__init__(model, names)
        self._vendor = vendor
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
        self._refused = False

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

    def _is_answer(self, document: Mapping[str, Any]) -> bool:
        return "choices" in document

    def _document(self, document: Mapping[str, Any]) -> None:
        self._event("", document)

    def _before_failure(self, value: Any) -> None:
        # Text that shares a chunk with an error is not lost.
        for choice in _ours(value.get("choices") if isinstance(value, dict) else None):
            self._choice({**choice, "finish_reason": None})

    def _event(self, name: str, value: Mapping[str, Any]) -> None:
        self._answered_by(value.get("model"))
        if value.get("usage"):
            self._take_usage(value["usage"])
        groq = value.get("x_groq")
        if isinstance(groq, dict):
            self._take_usage(groq.get("usage"))
        for choice in _ours(value.get("choices")):
            self._choice(choice)

    def _choice(self, choice: Mapping[str, Any]) -> None:
        self._started = True
        if choice.get("usage"):
            self._take_usage(choice["usage"])
        delta = choice.get("delta")
        if not isinstance(delta, dict) or (not delta and "message" in choice):
            delta = choice.get("message")
        if isinstance(delta, dict):
            self._delta(delta)
        elif isinstance(choice.get("text"), str):
            self._text(choice["text"])
        reason = choice.get("finish_reason")
        if reason:
            self._end_with(reason)

    def _delta(self, delta: Mapping[str, Any]) -> None:
        content = delta.get("content")
        if len(delta) == 1 and isinstance(content, str):
            # By far the most frequent delta.
            self._text(content)
            return
        self._reasoning_of(delta)
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
        for growth in grown:
            name = cleaned(self._names.own(growth.call.name))
            position, text = growth.call.position, cleaned(growth.text)
            self._made.append(ToolArgumentsDelta(position, name, text))

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

    def _take_usage(self, raw: Any) -> None:
        found = openai_usage(raw, total_tells_reasoning=self._vendor.total_tells_reasoning)
        if found is not None:
            self._usage = found


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
