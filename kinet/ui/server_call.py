"""What a server's tool is called with, as the window tells it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

# Characters of a value that stands beside its name.
_SHORT = 72


def arguments_text(arguments: Mapping[str, Any]) -> str:
    """All arguments, one below the other, so that none can pass for another one.

    What goes on over lines is set in under its name: only names stand at the left edge.
    """
    parts = []
    for name, value in arguments.items():
        shown = value if isinstance(value, str) else _json(value)
        label = " ".join(str(name).split())
        if "\n" not in shown:
            parts.append(f"{label}: {shown}")
            continue
        lines = "\n".join(f"    {line}" for line in shown.split("\n"))
        parts.append(f"{label}:\n{lines}")
    return "\n".join(parts)


def first_words(arguments: Mapping[str, Any]) -> str:
    """What says most of the arguments, on one line: the first text among them, else the first."""
    first = next((item for item in arguments.values() if isinstance(item, str) and item), None)
    if first is None:
        name, first = next(iter(arguments.items()), ("", ""))
        first = f"{name} {_json(first)}" if name else ""
    return " ".join(str(first).split())


def _json(value: Any) -> str:
    """On one line where that is short."""
    line = json.dumps(value, ensure_ascii=False, default=str)
    if len(line) <= _SHORT:
        return line
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)
