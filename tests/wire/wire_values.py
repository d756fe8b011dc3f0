"""Finds values in requests, for the rules of the wire cases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any


def select(value: Any, path: str) -> Iterator[Any]:
    """All values at a path such as messages[*].content or tools[0].function.name."""
    steps = re.findall(r"[^.\[\]]+|\[[^\]]*\]", path)
    values = [value]
    for step in steps:
        following: list[Any] = []
        for item in values:
            if step == "[*]":
                following += item if isinstance(item, list) else []
            elif step.startswith("["):
                number = int(step[1:-1])
                if isinstance(item, list) and -len(item) <= number < len(item):
                    following.append(item[number])
            elif isinstance(item, dict) and step in item:
                following.append(item[step])
        values = following
    yield from values


def walk(value: Any) -> Iterator[Any]:
    """Every value inside a JSON value, itself included."""
    yield value
    if isinstance(value, dict):
        value = list(value.values())
    for item in value if isinstance(value, list) else ():
        yield from walk(item)


def texts(value: Any) -> str:
    """All strings of a JSON value in their order, joined by line feeds."""
    return "\n".join(item for item in walk(value) if isinstance(item, str))


def blocks(message: dict) -> list[dict]:
    """The content of a message as a list of blocks."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content or [] if isinstance(block, dict)]


def messages(request: dict) -> list[dict]:
    return request["body"].get("messages", [])


def tool_uses(request: dict) -> list[dict]:
    return [
        block
        for message in messages(request)
        for block in blocks(message)
        if block.get("type") == "tool_use"
    ]


def is_anthropic(request: dict) -> bool:
    return request.get("path", "").split("?")[0].endswith("/messages")
