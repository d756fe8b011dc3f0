"""Turns an arguments model into the small, flat JSON schema that the model is told."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from kinet.tools.base import Arguments

# Words of pydantic's schemas that cost tokens and tell a model nothing. That a field is unknown it
# is told by its name when it gives one.
_DROPPED = frozenset({"title", "default", "$defs", "description", "additionalProperties"})
# Nobody gives fewer lines or seconds; who does is told.
_OBVIOUS = (0, 1)


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
