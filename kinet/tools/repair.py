"""Repairs what models commonly get wrong in arguments, where the meaning is beyond doubt."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

# Other names that models were taught for the same field. Used only where the field itself is
# missing and the tool has no field of that name.
_OTHER_NAMES = {
    "file_path": "path",
    "filepath": "path",
    "filename": "path",
    "file": "path",
    "directory": "path",
    "cmd": "command",
    "script": "command",
    "timeout": "timeout_s",
    "old_str": "old_string",
    "new_str": "new_string",
    "old_text": "old_string",
    "new_text": "new_string",
    "text": "content",
    "contents": "content",
    "regex": "pattern",
    "prompt": "task",
    "uri": "url",
    "todos": "items",
}
# Text fields whose value is a name or a command and may come wrapped as in a message. Fields that
# hold a file's text are never touched.
_UNWRAPPED = frozenset({"path", "command", "pattern", "url", "query", "glob", "ref"})
_FENCE = re.compile(r"\A\s*```[\w+-]*[ \t]*\n(.*?)\n?[ \t]*```\s*\Z", re.DOTALL)
_WHOLE_NUMBER = re.compile(r"\A[ \t]*[+-]?\d{1,15}[ \t]*\Z")
_NUMBER = re.compile(r"\A[ \t]*[+-]?\d{1,15}(\.\d{1,15})?[ \t]*\Z")


def repaired(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """A copy in which numbers, lists and names fit `schema`; what is in doubt stays as it came."""
    properties: Mapping[str, Any] = schema.get("properties", {})
    required = schema.get("required", [])
    out: dict[str, Any] = {}
    for name, value in arguments.items():
        known = _known_name(name, properties, arguments)
        if value is None and known in properties and known not in required:
            continue
        out[known] = _fitted(known, value, properties[known]) if known in properties else value
    return out


def _known_name(name: str, properties: Mapping[str, Any], arguments: Mapping[str, Any]) -> str:
    if name in properties:
        return name
    other = _OTHER_NAMES.get(name, name)
    return other if other in properties and other not in arguments else name


def _fitted(name: str, value: Any, schema: Mapping[str, Any]) -> Any:
    wanted = schema.get("type")
    if wanted != "array" and isinstance(value, list) and len(value) == 1:
        value = value[0]
    if wanted == "array":
        return _as_list(value, schema)
    if wanted == "object" and isinstance(value, str):
        return _parsed(value, dict)
    if wanted == "string":
        return _as_text(name, value)
    if isinstance(value, str):
        return _as_scalar(value, wanted)
    return value


def _as_list(value: Any, schema: Mapping[str, Any]) -> Any:
    if isinstance(value, str):
        value = _parsed(value, list)
    if not isinstance(value, list):
        value = [value]
    inner = schema.get("items", {})
    if inner.get("type") == "object":
        return [repaired(item, inner) if isinstance(item, Mapping) else item for item in value]
    return value


def _as_text(name: str, value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and name in _UNWRAPPED:
        fenced = _FENCE.match(value)
        return fenced.group(1) if fenced else value
    return value


def _as_scalar(value: str, wanted: Any) -> Any:
    if wanted == "integer" and _WHOLE_NUMBER.match(value):
        return int(value)
    if wanted == "number" and _NUMBER.match(value):
        return float(value)
    if wanted == "boolean" and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    return value


def _parsed(text: str, kind: type) -> Any:
    fenced = _FENCE.match(text)
    try:
        value = json.loads(fenced.group(1) if fenced else text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, kind) else text
