"""Turns an arguments model into the small, flat JSON schema that the model is told."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from kinet.tools.base import Arguments, Tool

# Words of pydantic's schemas that cost tokens and tell a model nothing. That a field is unknown it
# is told by its name when it gives one.
_DROPPED = frozenset({"title", "default", "$defs", "description", "additionalProperties"})
# Nobody gives fewer lines or seconds; who does is told.
_OBVIOUS = (0, 1)


def parameters_for(tool: Tool) -> Mapping[str, Any]:
    """The JSON schema of a tool's arguments: its own, or that of its arguments model."""
    own: Mapping[str, Any] | None = getattr(tool, "parameters", None)
    return parameters_of(tool.arguments) if own is None else own


def complaints(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> list[str]:
    """What is plainly wrong with arguments that no model of ours checks.

    Names, presence and kinds of the first level; for the rest whoever wrote the schema has to look.
    """
    fields = _table(schema.get("properties"))
    missing = [f"{name} is missing" for name in schema.get("required", ()) if name not in arguments]
    unknown = []
    if schema.get("additionalProperties") is False:
        unknown = [f"{name} is not known" for name in arguments if name not in fields]
    wrong = [
        f"{name} has to be {_KINDS[wanted][0]}"
        for name, value in arguments.items()
        if (wanted := _table(fields.get(name)).get("type")) in _KINDS
        and not _is_of(value, str(wanted))
    ]
    return [*missing, *unknown, *wrong]


_KINDS: dict[Any, tuple[str, tuple[type, ...]]] = {
    "string": ("a text", (str,)),
    "integer": ("a whole number", (int,)),
    "number": ("a number", (int, float)),
    "boolean": ("true or false", (bool,)),
    "array": ("a list", (list, tuple)),
    "object": ("an object", (Mapping,)),
}


def _is_of(value: Any, kind: str) -> bool:
    if isinstance(value, bool) and kind != "boolean":
        return False
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _KINDS[kind][1])


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


@cache
def parameters_of(arguments: type[Arguments]) -> Mapping[str, Any]:
    """The JSON schema of `arguments`, without references, titles and defaults.

    Made once for each class: for all tools it takes a tenth of a second, and every turn asks.
    """
    whole = arguments.model_json_schema()
    flat = _flat(whole, whole.get("$defs", {}))
    flat.setdefault("properties", {})
    return flat


def _flat(node: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in node:
        return _flat(definitions[node["$ref"].rsplit("/", 1)[-1]], definitions)
    if "anyOf" in node:
        kinds = [kind for kind in node["anyOf"] if kind.get("type") != "null"]
        described = {"description": node["description"]} if "description" in node else {}
        if len(kinds) == 1:
            return _flat({**kinds[0], **described}, definitions)
    out: dict[str, Any] = {}
    for key, value in node.items():
        if key == "description" and "properties" not in node:
            out[key] = value
        elif key == "properties":
            out[key] = {name: _flat(field, definitions) for name, field in value.items()}
        elif key == "items":
            out[key] = _flat(value, definitions)
        elif key == "minimum" and value in _OBVIOUS:
            continue
        elif key not in _DROPPED:
            out[key] = value
    return out
