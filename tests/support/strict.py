"""What a strict server refuses: histories whose calls and results do not pair, and the like."""

from __future__ import annotations

import json
from typing import Any

_CACHE_MARKS = 4


def openai_problems(body: dict[str, Any]) -> list[str]:
    """Everything a strict chat-completions server would refuse in this request; empty if legal."""
    problems = _own_keys(body)
    waiting: list[str] = []
    for number, message in enumerate(body.get("messages", [])):
        where = f"messages[{number}]"
        role = message.get("role")
        if role == "tool":
            identity = message.get("tool_call_id")
            if not waiting or identity != waiting[0]:
                problems.append(f"{where}: result {identity!r} was not asked for here")
            else:
                waiting.pop(0)
            continue
        if waiting:
            problems.append(f"{where}: calls {waiting} have no result")
            waiting = []
        if role == "system" and number:
            problems.append(f"{where}: a system message after the first")
        elif role not in ("system", "user", "assistant"):
            problems.append(f"{where}: unknown role {role!r}")
        calls = message.get("tool_calls") or []
        if role == "assistant" and not calls and not message.get("content"):
            problems.append(f"{where}: an assistant message without content and calls")
        if role == "user" and not message.get("content"):
            problems.append(f"{where}: an empty user message")
        waiting = [call.get("id") for call in calls]
        if len(set(waiting)) != len(waiting) or not all(waiting):
            problems.append(f"{where}: call ids are empty or repeat")
        problems += [f"{where}: {text}" for text in map(_bad_arguments, calls) if text]
    if waiting:
        problems.append(f"the last calls {waiting} have no result")
    if not body.get("messages") or body["messages"][-1].get("role") == "assistant":
        problems.append("the last message is not from the user or a tool")
    return problems


def anthropic_problems(body: dict[str, Any]) -> list[str]:
    """Everything a strict Messages server would refuse in this request; empty if legal."""
    problems = _own_keys(body)
    if not isinstance(body.get("max_tokens"), int):
        problems.append("max_tokens is missing")
    if json.dumps(body).count('"cache_control"') > _CACHE_MARKS:
        problems.append("more than four cache marks")
    messages = body.get("messages", [])
    waiting: list[str] = []
    for number, message in enumerate(messages):
        where = f"messages[{number}]"
        wanted = "user" if number % 2 == 0 else "assistant"
        if message.get("role") != wanted:
            problems.append(f"{where}: role {message.get('role')!r} where {wanted} must stand")
        blocks = message.get("content")
        if isinstance(blocks, str):
            blocks = [{"type": "text", "text": blocks}]
        if not blocks:
            problems.append(f"{where}: no content")
            continue
        problems += [
            f"{where}: an empty text block"
            for block in blocks
            if block.get("type") == "text" and not str(block.get("text", "")).strip()
        ]
        results = [b.get("tool_use_id") for b in blocks if b.get("type") == "tool_result"]
        if sorted(results) != sorted(waiting):
            problems.append(f"{where}: results {results} for calls {waiting}")
        first = [block.get("type") for block in blocks[: len(results)]]
        if any(kind != "tool_result" for kind in first):
            problems.append(f"{where}: results do not come first")
        waiting = [block.get("id") for block in blocks if block.get("type") == "tool_use"]
        if len(set(waiting)) != len(waiting):
            problems.append(f"{where}: call ids repeat")
    if waiting:
        problems.append(f"the last calls {waiting} have no result")
    if messages and messages[-1].get("role") != "user":
        problems.append("the last message is not from the user")
    return problems


def _bad_arguments(call: dict[str, Any]) -> str:
    text = call.get("function", {}).get("arguments")
    if not isinstance(text, str):
        return "arguments are not a string"
    try:
        value = json.loads(text or "{}")
    except ValueError:
        return f"arguments are not JSON: {text[:40]!r}"
    return "" if isinstance(value, dict) else "arguments are not an object"


def _own_keys(value: Any, where: str = "") -> list[str]:
    """Keys that begin with an underscore are the program's own and must never be sent."""
    if isinstance(value, dict):
        own = [f"{where}.{key} was sent" for key in value if str(key).startswith("_")]
        for key, item in value.items():
            # Argument names inside schemas and calls belong to tools, not to us.
            if key not in ("parameters", "input_schema", "input"):
                own += _own_keys(item, f"{where}.{key}")
        return own
    if isinstance(value, list):
        return [
            text
            for number, item in enumerate(value)
            for text in _own_keys(item, f"{where}[{number}]")
        ]
    return []
