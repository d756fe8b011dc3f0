"""Turns scripted replies into the lines of Ollama's own chat API, and says what it would refuse."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.support.replies import Reply


def ollama_stream(reply: Reply, tokens_in: int) -> Iterator[Any]:
    """The lines of an answer. Calls come whole there; a piece of one that stalls still stalls."""
    if reply.reasoning:
        yield _line(reply, {"role": "assistant", "content": "", "thinking": reply.reasoning})
    for piece in reply.pieces:
        if isinstance(piece, str):
            yield _line(reply, {"role": "assistant", "content": piece})
        else:
            yield piece
    for call in reply.calls:
        yield from (part for part in call.pieces() if not isinstance(part, str))
        function = {"name": call.name, "arguments": _value(call.arguments)}
        yield _line(
            reply, {"role": "assistant", "content": "", "tool_calls": [{"function": function}]}
        )
    more: dict[str, Any] = {"done": True, "done_reason": reply.finish or "stop"}
    if reply.with_usage:
        more["prompt_eval_count"] = tokens_in if reply.tokens_in is None else reply.tokens_in
        said = 1 + len(reply.text) // 4
        more["eval_count"] = said if reply.tokens_out is None else reply.tokens_out
    yield _line(reply, {"role": "assistant", "content": ""}, **more)


def ollama_problems(body: dict[str, Any]) -> list[str]:
    """What its templates make nonsense of in this request; empty if all is well."""
    problems: list[str] = []
    waiting = 0
    for number, message in enumerate(body.get("messages", [])):
        where = f"messages[{number}]"
        role, content = message.get("role"), message.get("content")
        if not isinstance(content, str):
            problems.append(f"{where}: the content is no text")
        if role == "tool":
            waiting -= 1
            if waiting < 0:
                problems.append(f"{where}: a result that was not asked for")
            continue
        if waiting > 0:
            problems.append(f"{where}: {waiting} calls have no result")
        if role == "system" and number:
            problems.append(f"{where}: a system message after the first")
        elif role not in ("system", "user", "assistant"):
            problems.append(f"{where}: unknown role {role!r}")
        if role == "user" and not (content or message.get("images")):
            problems.append(f"{where}: an empty user message")
        waiting = len(message.get("tool_calls") or ())
    if waiting > 0:
        problems.append(f"the last {waiting} calls have no result")
    if not body.get("options", {}).get("num_ctx"):
        problems.append("no window was asked for")
    return problems


def _line(reply: Reply, message: dict[str, Any], **more: Any) -> bytes:
    value = {"model": reply.model, "message": message, "done": False, **more}
    return json.dumps(value).encode() + b"\n"


def _value(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments
