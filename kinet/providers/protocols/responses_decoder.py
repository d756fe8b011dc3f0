"""Makes stream items of the events of an OpenAI response."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kinet.core.completion import Completion
from kinet.core.events import TextDelta, ThinkingDelta, ToolArgumentsDelta
from kinet.providers.protocols.event_decoder import EventDecoder
from kinet.providers.protocols.reply import completion, finish_word, finished_call
from kinet.providers.protocols.tool_call_pieces import check_calls
from kinet.providers.protocols.usage import UNKNOWN, openai_usage
from kinet.providers.protocols.wire_names import ToolNames
from kinet.providers.transport.complaints import Complaint, complaint_of
from kinet.providers.transport.surrogates import TextJoiner, cleaned

_TEXT = ("response.output_text.delta", "response.refusal.delta")
_THINKING = ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")
_ENDS = ("response.completed", "response.incomplete", "response.done")


@dataclass
class _Item:
    kind: str
    raw: dict[str, Any]
    pieces: list[str] = field(default_factory=list)
    joiner: TextJoiner = field(default_factory=TextJoiner)
    position: int = 0

    def text(self) -> str:
        return "".join(self.pieces)


class ResponseDecoder(EventDecoder):
    """Puts a response together from its events, or takes it whole."""

    def __init__(self, model: str, names: ToolNames) -> None:
        super().__init__(model, names)
        self._items: dict[int, _Item] = {}
        self._calls = 0
        self._usage = UNKNOWN
        self._refused = False

    def flush(self) -> None:
        """Makes items of what was held back to the end."""
        for item in self._items.values():
            rest = item.joiner.finish()
            if rest:
                self._grow(item, rest)

    def completion(self, *, partial: bool = False) -> Completion:
        """The answer so far."""
        content: list[str] = []
        reasoning: list[str] = []
        calls = []
        for _, item in sorted(self._items.items()):
            if item.kind == "message":
                content.append(item.text())
            elif item.kind == "reasoning":
                reasoning.append(item.text())
            elif item.kind == "function_call":
                id_ = str(item.raw.get("call_id") or item.raw.get("id") or "")
                name = self._names.own(str(item.raw.get("name") or ""))
                calls.append(finished_call(id_, name, item.text(), {}))
        kept = self._kept()
        return completion(
            content="".join(content),
            reasoning="\n\n".join(text for text in reasoning if text) or None,
            calls=calls,
            finish="content_filter" if self._refused and not calls else self._finish,
            usage=self._usage,
            model=self._model or self._asked_model,
            vendor={"responses": kept} if kept else {},
            partial=partial,
        )

    def _is_answer(self, document: Mapping[str, Any]) -> bool:
        return isinstance(document.get("output"), list)

    def _document(self, document: Mapping[str, Any]) -> None:
        self._end(document)

    def _end_mark(self) -> None:
        """Says nothing here: the final event holds what tells a whole answer from a cut one."""

    def _event(self, name: str, value: dict[str, Any]) -> None:
        kind = value.get("type")
        kind = kind if isinstance(kind, str) else name
        index = _index(value)
        if kind in _ENDS:
            response = value.get("response")
            self._end(response if isinstance(response, dict) else {})
        elif kind in ("response.failed", "response.cancelled"):
            response = value.get("response")
            error = response.get("error") if isinstance(response, dict) else None
            raise self._failure(complaint_of({"error": error}) or Complaint(kind))
        elif kind in ("response.output_item.added", "response.output_item.done"):
            if isinstance(value.get("item"), dict):
                self._take(index, value["item"], done=kind.endswith("done"))
        elif kind in _TEXT:
            self._refused = self._refused or "refusal" in kind
            self._piece(index, "message", value.get("delta"))
        elif kind in _THINKING:
            self._piece(index, "reasoning", value.get("delta"))
        elif kind == "response.reasoning_summary_part.added":
            item = self._items.get(index)
            if item is not None and item.pieces:
                self._grow(item, "\n\n")
        elif kind == "response.function_call_arguments.delta":
            self._piece(index, "function_call", value.get("delta"))
        elif kind in ("response.created", "response.in_progress"):
            self._started = True
            self._name(value.get("response"))

    def _end(self, response: Mapping[str, Any]) -> None:
        self._started = True
        self._name(response)
        output = response.get("output")
        for index, item in enumerate(output if isinstance(output, list) else ()):
            if isinstance(item, dict):
                self._take(index, item, done=True)
        self._usage = openai_usage(response.get("usage")) or self._usage
        details = response.get("incomplete_details")
        reason = details.get("reason") if isinstance(details, dict) else None
        self._finish = finish_word(reason) or finish_word(response.get("status"))
        self._ended = True

    def _take(self, index: int, raw: Mapping[str, Any], *, done: bool) -> None:
        """An item as it began or ended; at its end what the deltas left out is added."""
        self._started = True
        kind = str(raw.get("type") or "")
        item = self._items.get(index)
        if item is None or item.kind != kind:
            item = self._open(index, kind)
        item.raw.update({key: value for key, value in raw.items() if value is not None})
        self._refused = self._refused or (kind == "message" and _refuses(raw))
        if done and not item.pieces:
            self._grow(item, item.joiner.feed(_text_in(kind, raw)))

    def _piece(self, index: int, kind: str, delta: Any) -> None:
        self._started = True
        if not isinstance(delta, str) or not delta:
            return
        item = self._items.get(index) or self._open(index, kind)
        if item.kind == kind:
            is_call = kind == "function_call"
            self._grow(item, delta if is_call else item.joiner.feed(delta))

    def _open(self, index: int, kind: str) -> _Item:
        item = self._items[index] = _Item(kind, {})
        if kind == "function_call":
            item.position = self._calls
            self._calls += 1
            check_calls(self._calls)
        return item

    def _grow(self, item: _Item, text: str) -> None:
        if not text:
            return
        item.pieces.append(text)
        if item.kind == "message":
            self._made.append(TextDelta(text))
        elif item.kind == "reasoning":
            self._made.append(ThinkingDelta(text))
        elif item.kind == "function_call":
            name = self._names.own(str(item.raw.get("name") or ""))
            self._made.append(ToolArgumentsDelta(item.position, cleaned(name), cleaned(text)))

    def _name(self, response: Any) -> None:
        if isinstance(response, dict):
            self._answered_by(response.get("model"))

    def _kept(self) -> list[dict[str, Any]]:
        """Reasoning to be sent back, and what it stood before; nothing if none is sealed."""
        out: list[dict[str, Any]] = []
        sealed = False
        for _, item in sorted(self._items.items()):
            if item.kind == "reasoning" and item.raw.get("encrypted_content"):
                sealed = True
                keys = ("type", "id", "summary", "encrypted_content")
                out.append({"summary": [], **{k: item.raw[k] for k in keys if k in item.raw}})
            elif item.kind == "message":
                out.append({"type": "message"})
            elif item.kind == "function_call":
                out.append({"type": "function_call", "call_id": item.raw.get("call_id")})
        return out if sealed else []


def _text_in(kind: str, raw: Mapping[str, Any]) -> str:
    """The text of a finished item."""
    if kind == "function_call":
        arguments = raw.get("arguments")
        return arguments if isinstance(arguments, str) else ""
    parts = raw.get("content") if kind == "message" else raw.get("summary") or raw.get("content")
    texts = [
        part.get("text") or part.get("refusal")
        for part in (parts if isinstance(parts, list) else ())
        if isinstance(part, dict)
    ]
    joint = "" if kind == "message" else "\n\n"
    return joint.join(text for text in texts if isinstance(text, str))


def _refuses(message: Mapping[str, Any]) -> bool:
    parts = message.get("content")
    parts = parts if isinstance(parts, list) else ()
    return any(isinstance(part, dict) and part.get("type") == "refusal" for part in parts)


def _index(value: Mapping[str, Any]) -> int:
    index = value.get("output_index")
    return index if isinstance(index, int) and not isinstance(index, bool) else 0
