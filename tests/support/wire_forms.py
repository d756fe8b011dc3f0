"""Turns scripted replies into the SSE bytes of each protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.support.replies import Reply

# An item of a stream: bytes to send, or an act (Gate, Silence, Cut) of the script.
Item = Any


def openai_stream(reply: Reply, tokens_in: int) -> Iterator[Item]:
    """The chunks of a chat-completions stream."""
    start = {"role": "assistant", "content": ""}
    yield _data({**_openai_frame(start), "model": reply.model})
    if reply.reasoning:
        yield _openai_chunk({"reasoning_content": reply.reasoning})
    for piece in reply.pieces:
        yield _openai_chunk({"content": piece}) if isinstance(piece, str) else piece
    for index, call in enumerate(reply.calls):
        head = {"name": call.name, "arguments": ""}
        yield _openai_chunk(
            {"tool_calls": [{"index": index, "id": call.id, "type": "function", "function": head}]}
        )
        for part in call.pieces():
            piece = {"index": index, "function": {"arguments": part}}
            yield _openai_chunk({"tool_calls": [piece]}) if isinstance(part, str) else part
    finish = reply.finish or ("tool_calls" if reply.calls else "stop")
    yield _openai_chunk({}, finish)
    if reply.with_usage:
        usage = {
            "prompt_tokens": _tokens_in(reply, tokens_in),
            "completion_tokens": _tokens_out(reply),
            "prompt_tokens_details": {"cached_tokens": reply.cache_read},
        }
        usage["total_tokens"] = usage["prompt_tokens"] + usage["completion_tokens"]
        yield _data({"id": "c", "object": "chat.completion.chunk", "choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def anthropic_stream(reply: Reply, tokens_in: int) -> Iterator[Item]:
    """The events of a Messages stream."""
    message = {"id": "m", "type": "message", "role": "assistant", "model": reply.model}
    message |= {"content": [], "stop_reason": None, "stop_sequence": None}
    if reply.with_usage:
        fresh = _tokens_in(reply, tokens_in) - reply.cache_read
        usage = {"input_tokens": fresh, "output_tokens": min(1, _tokens_out(reply))}
        message["usage"] = {**usage, "cache_read_input_tokens": reply.cache_read}
    yield _event("message_start", message=message)
    index = 0
    if reply.reasoning:
        yield _event(
            "content_block_start", index=0, content_block={"type": "thinking", "thinking": ""}
        )
        for delta in (
            {"type": "thinking_delta", "thinking": reply.reasoning},
            {"type": "signature_delta", "signature": "c2lnbmVk/+=="},
        ):
            yield _event("content_block_delta", index=0, delta=delta)
        yield _event("content_block_stop", index=0)
        index = 1
    if reply.pieces:
        yield _event("content_block_start", index=index, content_block={"type": "text", "text": ""})
        for piece in reply.pieces:
            if isinstance(piece, str):
                delta = {"type": "text_delta", "text": piece}
                yield _event("content_block_delta", index=index, delta=delta)
            else:
                yield piece
        yield _event("content_block_stop", index=index)
        index += 1
    for call in reply.calls:
        block = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        yield _event("content_block_start", index=index, content_block=block)
        for part in call.pieces():
            if isinstance(part, str):
                delta = {"type": "input_json_delta", "partial_json": part}
                yield _event("content_block_delta", index=index, delta=delta)
            else:
                yield part
        yield _event("content_block_stop", index=index)
        index += 1
    words = {"length": "max_tokens", "": "tool_use" if reply.calls else "end_turn"}
    stop = {"stop_reason": words.get(reply.finish, reply.finish), "stop_sequence": None}
    counted = {"usage": {"output_tokens": _tokens_out(reply)}} if reply.with_usage else {}
    yield _event("message_delta", delta=stop, **counted)
    yield _event("message_stop")


def _openai_chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    return _data(_openai_frame(delta, finish))


def _openai_frame(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "choices": [choice]}


def _data(value: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


def _event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


def _tokens_in(reply: Reply, measured: int) -> int:
    return measured if reply.tokens_in is None else reply.tokens_in


def _tokens_out(reply: Reply) -> int:
    if reply.tokens_out is not None:
        return reply.tokens_out
    return 1 + (len(reply.text) + sum(len(call.arguments) for call in reply.calls)) // 4
