"""Makes stream items of the events of an Anthropic message."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kinet.core.completion import Completion
from kinet.core.events import TextDelta, ThinkingDelta, ToolArgumentsDelta
from kinet.providers.protocols.event_decoder import EventDecoder
from kinet.providers.protocols.reply import completion, finished_call, whole_object
from kinet.providers.protocols.tool_call_pieces import check_calls
from kinet.providers.protocols.usage import AnthropicUsage
from kinet.providers.protocols.wire_names import ToolNames
from kinet.providers.transport.surrogates import TextJoiner, cleaned


@dataclass
class _OpenBlock:
    kind: str
    raw: dict[str, Any]
    pieces: list[str] = field(default_factory=list)
    joiner: TextJoiner = field(default_factory=TextJoiner)
    signature: list[str] = field(default_factory=list)
    position: int = 0

    def text(self) -> str:
        return "".join(self.pieces)


class MessageDecoder(EventDecoder):
    """Makes stream items of Messages events."""

    def __init__(self, model: str, names: ToolNames) -> None:
        super().__init__(model, names)
        self._blocks: list[_OpenBlock] = []
        # Which block an index means now: some gateways use one index again and again.
        self._at: dict[int, _OpenBlock] = {}
        self._newest = 0
        self._calls = 0
        self._usage = AnthropicUsage()

    def flush(self) -> None:
        """Makes items of what was held back to the end."""
        for block in self._blocks:
            rest = block.joiner.finish()
            if rest:
                self._grow(block, rest)

    def completion(self, *, partial: bool = False) -> Completion:
        """The answer so far."""
        content: list[str] = []
        reasoning: list[str] = []
        calls = []
        for block in self._blocks:
            if block.kind == "text":
                content.append(block.text())
            elif block.kind == "thinking":
                reasoning.append(block.text())
            elif block.kind == "tool_use":
                id_, name = str(block.raw.get("id") or ""), str(block.raw.get("name") or "")
                calls.append(finished_call(id_, self._names.own(name), _input(block), {}))
        kept = self._kept_blocks()
        return completion(
            content="".join(content),
            reasoning="".join(reasoning) or None,
            calls=calls,
            finish=self._finish,
            usage=self._usage.usage(),
            model=self._model or self._asked_model,
            vendor={"anthropic": kept} if kept else {},
            partial=partial,
        )

    def _is_answer(self, document: Mapping[str, Any]) -> bool:
        return isinstance(document.get("content"), list)

    def _document(self, document: Mapping[str, Any]) -> None:
        self._begin(document)
        for index, block in enumerate(document["content"]):
            if isinstance(block, dict):
                self._open(index, block)
        self._end_with(document.get("stop_reason"))

    def _event(self, name: str, value: dict[str, Any]) -> None:
        kind = value.get("type")
        match kind if isinstance(kind, str) else name:
            case "message_start":
                self._begin(value.get("message"))
            case "content_block_start":
                block = value.get("content_block")
                if isinstance(block, dict):
                    self._open(_index(value, self._newest + 1), block)
            case "content_block_delta":
                delta = value.get("delta")
                if isinstance(delta, dict):
                    self._delta(_index(value, self._newest), delta)
            case "message_delta":
                self._started = True
                self._usage.update(value.get("usage"))
                delta = value.get("delta")
                if isinstance(delta, dict):
                    self._end_with(delta.get("stop_reason"))
            case "message_stop":
                self._ended = True
            case _:
                pass

    def _begin(self, message: Any) -> None:
        self._started = True
        if isinstance(message, dict):
            self._usage.update(message.get("usage"))
            self._answered_by(message.get("model"))

    def _open(self, index: int, raw: Mapping[str, Any]) -> None:
        self._started = True
        kind = str(raw.get("type") or "")
        block = _OpenBlock(kind, dict(raw))
        if kind == "tool_use":
            block.position = self._calls
            self._calls += 1
            check_calls(self._calls)
        self._add(index, block)
        signature = raw.get("signature")
        if isinstance(signature, str):
            block.signature.append(signature)
        for field_name in ("text", "thinking"):
            text = raw.get(field_name)
            if kind == field_name and isinstance(text, str) and text:
                self._grow(block, block.joiner.feed(text))

    def _delta(self, index: int, delta: Mapping[str, Any]) -> None:
        self._started = True
        kind = delta.get("type")
        block = self._at.get(index)
        if block is None:
            # A text without its beginning is still text; anything else would be a guess.
            if kind != "text_delta":
                return
            block = _OpenBlock("text", {"type": "text"})
            self._add(index, block)
        match kind, block.kind:
            case ("text_delta", "text"):
                self._grow(block, block.joiner.feed(_text(delta, "text")))
            case ("thinking_delta", "thinking"):
                self._grow(block, block.joiner.feed(_text(delta, "thinking")))
            case ("signature_delta", "thinking"):
                block.signature.append(_text(delta, "signature"))
            case ("input_json_delta", "tool_use" | "server_tool_use"):
                self._grow(block, _text(delta, "partial_json"))
            case ("citations_delta", "text"):
                block.raw.setdefault("citations", [])
                if isinstance(block.raw["citations"], list):
                    block.raw["citations"] = [*block.raw["citations"], delta.get("citation")]
            case _:
                pass

    def _grow(self, block: _OpenBlock, text: str) -> None:
        if not text:
            return
        block.pieces.append(text)
        if block.kind == "text":
            self._made.append(TextDelta(text))
        elif block.kind == "thinking":
            self._made.append(ThinkingDelta(text))
        elif block.kind == "tool_use":
            name = self._names.own(str(block.raw.get("name") or ""))
            self._made.append(ToolArgumentsDelta(block.position, cleaned(name), cleaned(text)))

    def _kept_blocks(self) -> list[dict[str, Any]]:
        """The blocks in their order, if any of them has to go back as it came."""
        if not any(_must_go_back(block) for block in self._blocks):
            return []
        return [_kept(block) for block in self._blocks]

    def _add(self, index: int, block: _OpenBlock) -> None:
        self._blocks.append(block)
        self._at[index] = block
        self._newest = index


def _must_go_back(block: _OpenBlock) -> bool:
    if block.kind == "thinking":
        return any(block.signature)
    if block.kind == "text":
        return bool(block.raw.get("citations"))
    return block.kind in ("redacted_thinking", "server_tool_use") or block.kind.endswith("_result")


def _kept(block: _OpenBlock) -> dict[str, Any]:
    out = {key: value for key, value in block.raw.items() if key != "cache_control"}
    if block.kind in ("text", "thinking"):
        out[block.kind] = block.text()
    if block.kind == "thinking":
        out["signature"] = "".join(block.signature)
    if block.kind in ("tool_use", "server_tool_use"):
        text = whole_object(_input(block))
        out["input"] = json.loads(text) if text is not None else {}
    return out


def _input(block: _OpenBlock) -> str:
    """The input's text: the fragments, or what came at the beginning where there were none."""
    text = block.text()
    if not text.strip() and isinstance(block.raw.get("input"), dict):
        return json.dumps(block.raw["input"], ensure_ascii=False)
    return text


def _index(value: Mapping[str, Any], default: int) -> int:
    index = value.get("index")
    return index if isinstance(index, int) and not isinstance(index, bool) else default


def _text(delta: Mapping[str, Any], name: str) -> str:
    value = delta.get(name)
    return value if isinstance(value, str) else ""
