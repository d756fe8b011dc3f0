"""Writes answers of chat completions and what is expected of them, in few words."""

from __future__ import annotations

import json
from typing import Any

Sibling = tuple[str, Any, dict[str, Any]]
PAIR = [("c1", "look", {"at": "x"}), ("c2", "write", {"n": 2})]


def chunk(delta: Any = None, finish: str | None = None, **more: Any) -> str:
    """One event of chat completions."""
    choice = {"index": 0, "delta": {} if delta is None else delta, "finish_reason": finish}
    return line({"id": "c", "object": "chat.completion.chunk", "choices": [choice], **more})


def line(value: Any) -> str:
    """One event with a JSON value."""
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"


def tool(*entries: dict[str, Any], finish: str | None = None) -> str:
    """An event with fragments of calls: `name` and `args` stand for the function."""
    made = []
    for entry in entries:
        rest = {key: value for key, value in entry.items() if key not in ("name", "args")}
        function = {"name": entry["name"]} if "name" in entry else {}
        if "args" in entry:
            function["arguments"] = entry["args"]
        made.append({**rest, "function": function})
    return chunk({"tool_calls": made}, finish)


def end(finish: str = "stop", **more: Any) -> str:
    """The finish and the end mark."""
    return chunk({}, finish, **more) + "data: [DONE]\n\n"


def said(text: str = "Hi there", finish: str | None = "stop", **more: Any) -> dict[str, Any]:
    """The expectation of an answer."""
    return {"content": text, "tool_calls": [], "finish": finish, **more}


def called(*calls: tuple[str | None, str, Any], finish: str = "tool_calls", **more: Any) -> Any:
    """The expectation of calls: id (None for any), name, arguments."""
    wanted = [
        {"name": name, "arguments": arguments} | ({"id": id_} if id_ else {})
        for id_, name, arguments in calls
    ]
    return {"content": "", "tool_calls": wanted, "finish": finish, **more}


def usage_of(raw: Any, **wanted: int) -> Sibling:
    """An answer whose last chunk carries this usage."""
    body = chunk({"content": "Hi there"}) + chunk({}, "stop")
    return "openai", body + line({"choices": [], "usage": raw}) + "data: [DONE]\n\n", said(**wanted)


def finish_of(word: Any, wanted: str | list[str]) -> Sibling:
    """An answer that ends with this finish reason."""
    return "openai", chunk({"content": "Hi there"}) + end(word), said(finish=wanted)


def thought(field: str, **more: Any) -> Sibling:
    """An answer with its thinking under this name."""
    body = chunk({field: "First "}) + chunk({field: "think.", **more}) + chunk({"content": "Hi"})
    return "openai", body + end(), said("Hi", reasoning="First think.")


def tagged(*pieces: str, reasoning: str, content: str, finish: str = "stop") -> Sibling:
    """An answer whose thinking stands in its text."""
    body = "".join(chunk({"content": piece}) for piece in pieces)
    return "openai", body + end(finish), said(content, finish, reasoning=reasoning)
