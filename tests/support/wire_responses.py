"""Turns scripted replies into the SSE bytes of OpenAI Responses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.support.replies import Reply

SEALED = "c2VhbGVk/+=="


def responses_stream(reply: Reply, tokens_in: int) -> Iterator[Any]:
    """The events of a response."""
    yield _event("response.created", response={"id": "r", "model": reply.model, "output": []})
    index = 0
    output: list[dict[str, Any]] = []
    if reply.reasoning:
        item = {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": SEALED}
        yield _event("response.output_item.added", output_index=index, item=item)
        yield _event(
            "response.reasoning_summary_text.delta", output_index=index, delta=reply.reasoning
        )
        item = {**item, "summary": [{"type": "summary_text", "text": reply.reasoning}]}
        yield _event("response.output_item.done", output_index=index, item=item)
        output.append(item)
        index += 1
    if reply.pieces:
        item = {"type": "message", "id": "msg", "role": "assistant", "content": []}
        yield _event("response.output_item.added", output_index=index, item=item)
        for piece in reply.pieces:
            if isinstance(piece, str):
                yield _event("response.output_text.delta", output_index=index, delta=piece)
            else:
                yield piece
        item = {**item, "content": [{"type": "output_text", "text": reply.text}]}
        yield _event("response.output_item.done", output_index=index, item=item)
        output.append(item)
        index += 1
    for call in reply.calls:
        item = {"type": "function_call", "id": f"f{index}", "call_id": call.id}
        item |= {"name": call.name, "arguments": ""}
        yield _event("response.output_item.added", output_index=index, item=item)
        for part in call.pieces():
            if isinstance(part, str):
                kind = "response.function_call_arguments.delta"
                yield _event(kind, output_index=index, delta=part)
            else:
                yield part
        item = {**item, "arguments": call.arguments}
        yield _event("response.output_item.done", output_index=index, item=item)
        output.append(item)
        index += 1
    yield _end(reply, tokens_in, output)


def _end(reply: Reply, tokens_in: int, output: list[dict[str, Any]]) -> bytes:
    response: dict[str, Any] = {"id": "r", "model": reply.model, "output": output}
    response["status"] = "completed"
    kind = "response.completed"
    if reply.finish == "length":
        kind, response["status"] = "response.incomplete", "incomplete"
        response["incomplete_details"] = {"reason": "max_output_tokens"}
    if reply.with_usage:
        counted = tokens_in if reply.tokens_in is None else reply.tokens_in
        said = 1 + (len(reply.text) + sum(len(call.arguments) for call in reply.calls)) // 4
        response["usage"] = {
            "input_tokens": counted,
            "input_tokens_details": {"cached_tokens": reply.cache_read},
            "output_tokens": said if reply.tokens_out is None else reply.tokens_out,
        }
    return _event(kind, response=response)


def responses_problems(body: dict[str, Any]) -> list[str]:
    """Everything a strict Responses server would refuse in this request; empty if legal."""
    problems: list[str] = []
    if body.get("store") is not False:
        problems.append("the server was asked to keep the conversation")
    if "previous_response_id" in body:
        problems.append("a response that no server kept is referred to")
    open_calls: list[str] = []
    items = body.get("input", [])
    for number, item in enumerate(items):
        where = f"input[{number}]"
        kind = item.get("type") or item.get("role")
        if kind == "function_call_output":
            if item.get("call_id") not in open_calls:
                problems.append(f"{where}: an output nobody asked for")
            else:
                open_calls.remove(item["call_id"])
            if not item.get("output"):
                problems.append(f"{where}: an empty output")
            continue
        if kind == "function_call":
            open_calls.append(item.get("call_id"))
            problems += _bad_arguments(where, item.get("arguments"))
            continue
        if open_calls and kind != "reasoning":
            problems.append(f"{where}: calls {open_calls} have no output")
            open_calls = []
        if kind in ("user", "assistant") and not item.get("content"):
            problems.append(f"{where}: no content")
        if kind == "reasoning" and item.get("encrypted_content") != SEALED:
            problems.append(f"{where}: the seal of the reasoning is not that which was given")
    if open_calls:
        problems.append(f"the last calls {open_calls} have no output")
    if not items or items[-1].get("role") == "assistant":
        problems.append("the last item is not from the user or a tool")
    return problems


def _bad_arguments(where: str, text: Any) -> list[str]:
    try:
        return [] if isinstance(json.loads(text), dict) else [f"{where}: no object"]
    except (TypeError, ValueError):
        return [f"{where}: arguments are not JSON"]


def _event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()
