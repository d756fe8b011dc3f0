"""Makes of what a server lists the tools that a model may be told: names, texts, schemas."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kinet.policy.hidden import without_hidden
from kinet.policy.visible import visible_line

# What all providers take: letters, digits, _ and -, 64 characters.
_LONGEST_NAME = 64
_ODD = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST_DESCRIPTION = 1_024
_LONGEST_TEXT = 400
_LARGEST_SCHEMA = 24 * 1024
_DEEPEST = 12
_MOST_NODES = 2_000
# Providers take 128 tools in all; our own are some two dozen.
MOST_TOOLS = 90
_MOST_LISTED = 1_000
_CHARACTERS_PER_TOKEN = 4
# Words of a schema that all providers take; everything else is left out for the model.
_KEPT_WORDS = frozenset({
    "type", "description", "enum", "const", "properties", "required", "items", "anyOf", "oneOf",
    "allOf", "minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength", "format",
    "additionalProperties", "default", "pattern",
})  # fmt: skip
_TYPES = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """One tool of a server. `name` is the server's own, `call_name` what the model calls.

    `read_only` and `destructive` are the server's own claims. `definition` is the hash of all that
    the server said of it; `problem` says why it is not offered, "" if it is.
    """

    name: str
    call_name: str
    title: str = ""
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    read_only: bool = False
    destructive: bool = False
    definition: str = ""
    problem: str = ""

    @property
    def tokens(self) -> int:
        """About how much it weighs in each request."""
        told = len(self.call_name) + len(self.description)
        told += len(json.dumps(self.parameters, ensure_ascii=False))
        return -(-told // _CHARACTERS_PER_TOKEN)


@dataclass(frozen=True, slots=True)
class Offer:
    """All tools of a server by name, and notes for the person."""

    tools: tuple[OfferedTool, ...] = ()
    notes: tuple[str, ...] = ()


def offer_of(server: str, listed: Sequence[Any], identity: str) -> Offer:
    """The tools in a list as it came. Nothing in it makes this fail.

    `identity` is what the server itself is: a tool of the same words elsewhere is another one.
    """
    notes: list[str] = []
    tools: dict[str, OfferedTool] = {}
    nameless = twins = hidden = 0
    for raw in listed[:_MOST_LISTED]:
        name = raw.get("name") if isinstance(raw, Mapping) else None
        if not isinstance(name, str) or not name.strip():
            nameless += 1
            continue
        tool, was_hidden = _tool(server, name, raw, identity)
        hidden += was_hidden
        if tool.call_name in tools:
            twins += 1
            continue
        tools[tool.call_name] = tool
    if len(listed) > _MOST_LISTED:
        notes.append(f"It lists {len(listed):,} tools; the first {_MOST_LISTED:,} were looked at.")
    if nameless:
        notes.append(f"{_count(nameless, 'tool')} without a name left out.")
    if twins:
        notes.append(f"{_count(twins, 'tool')} with a name that another one has left out.")
    if hidden:
        notes.append(f"Hidden characters were removed from {_count(hidden, 'description')}.")
    return Offer(tuple(tools[name] for name in sorted(tools)), tuple(notes))


def call_name_of(server: str, tool: str) -> str:
    """`server__tool` as providers take it. What had to be changed carries a hash of the original.

    So a name depends on nothing but itself, and no two different ones become the same.
    """
    plain = _ODD.sub("_", tool)
    room = _LONGEST_NAME - len(server) - 2
    if plain == tool and len(tool) <= room:
        return f"{server}__{tool}"
    mark = hashlib.sha256(tool.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{server}__{plain[: room - len(mark) - 1].strip('_') or 'tool'}_{mark}"


def _tool(
    server: str, name: str, raw: Mapping[str, Any], identity: str
) -> tuple[OfferedTool, bool]:
    hints = raw.get("annotations")
    claims = hints if isinstance(hints, Mapping) else {}
    described, hidden = _clean(raw.get("description"), _LONGEST_DESCRIPTION)
    titled = raw.get("title") or claims.get("title")
    title, title_hidden = _clean(titled, 120)
    schema = _Schema()
    parameters = schema.of(raw.get("inputSchema"))
    read_only = claims.get("readOnlyHint") is True
    tool = OfferedTool(
        visible_line(name[:200]),
        call_name_of(server, name),
        " ".join(title.split()),
        described or title or f"The tool {visible_line(name[:80])} of {server}.",
        parameters,
        read_only,
        claims.get("destructiveHint") is True and not read_only,
        _definition(identity, raw),
        schema.problem,
    )
    return tool, hidden or title_hidden or schema.hidden


def _definition(identity: str, raw: Mapping[str, Any]) -> str:
    told = [identity, *(raw.get(key) for key in ("name", "title", "description", "inputSchema"))]
    told.append(raw.get("annotations"))
    try:
        text = json.dumps(told, sort_keys=True, default=str)
    except (ValueError, RecursionError, TypeError):
        # It has no usable schema then, and is not offered.
        text = identity
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _clean(text: Any, longest: int) -> tuple[str, bool]:
    """A text of the server's without what a reader cannot see, and whether there was such."""
    if not isinstance(text, str):
        return "", False
    whole = text.encode("utf-8", "replace").decode("utf-8")
    kept, hidden = without_hidden(whole[: 4 * longest])
    kept = kept.strip()
    return (kept if len(kept) <= longest else kept[: longest - 1].rstrip() + "…"), bool(hidden)


class _Schema:
    """Makes of any schema one that every provider takes; `problem` says why there is none."""

    def __init__(self) -> None:
        self.problem = ""
        self.hidden = False
        self._definitions: Mapping[str, Any] = {}
        self._nodes = 0

    def of(self, raw: Any) -> dict[str, Any]:
        empty: dict[str, Any] = {"type": "object", "properties": {}}
        if raw is None:
            return empty
        if not isinstance(raw, Mapping) or raw.get("type", "object") != "object":
            self.problem = "Its arguments are not described as an object."
            return empty
        found = [raw.get(key) for key in ("$defs", "definitions")]
        self._definitions = {
            key: value
            for table in found
            if isinstance(table, Mapping)
            for key, value in table.items()
        }
        made = self._node(raw, 0, ())
        made["type"] = "object"
        for key in ("anyOf", "oneOf", "allOf", "enum", "const"):
            # Providers refuse these at the top; the server checks its arguments itself.
            made.pop(key, None)
        made.setdefault("properties", {})
        if not self.problem and len(json.dumps(made)) > _LARGEST_SCHEMA:
            self.problem = f"Its arguments take more than {_LARGEST_SCHEMA // 1024} KB to describe."
        return empty if self.problem else made

    def _node(self, node: Any, depth: int, above: tuple[str, ...]) -> dict[str, Any]:
        self._nodes += 1
        if self._nodes > _MOST_NODES:
            # A few definitions that name each other can grow without end.
            self.problem = self.problem or "Its arguments are described at too great length."
        if self.problem or not isinstance(node, Mapping):
            return {}
        if depth > _DEEPEST:
            return {"type": "object"} if "properties" in node else {}
        reference = node.get("$ref")
        if isinstance(reference, str):
            name = reference.rpartition("/")[2]
            if name in above or name not in self._definitions:
                return {}
            merged = {**_mapping(self._definitions[name]), **node}
            merged.pop("$ref")
            return self._node(merged, depth + 1, (*above, name))
        made: dict[str, Any] = {}
        for key in sorted(set(node) & _KEPT_WORDS):
            value = self._value(key, node[key], depth, above)
            if value is not None:
                made[key] = value
        if made.get("type") == "array" and "items" not in made:
            # Some providers refuse a list of nothing in particular.
            made["items"] = {}
        names = made.get("properties")
        if "required" in made:
            known = [name for name in made["required"] if names and name in names]
            made["required"] = known
            if not known:
                del made["required"]
        return made

    def _value(self, key: str, value: Any, depth: int, above: tuple[str, ...]) -> Any:
        if key == "properties":
            return self._properties(value, depth, above)
        if key in ("items", "additionalProperties") and isinstance(value, Mapping):
            return self._node(value, depth + 1, above)
        if key in ("anyOf", "oneOf", "allOf"):
            parts = [self._node(part, depth + 1, above) for part in _list(value)[:50]]
            return parts or None
        if key == "description":
            text, hidden = _clean(value, _LONGEST_TEXT)
            self.hidden |= hidden
            return text or None
        if key == "type":
            return _type(value)
        if key in ("enum", "required"):
            plain = [item for item in _list(value) if isinstance(item, str | int | float | bool)]
            return plain[:500] or None
        if key == "additionalProperties":
            return value if isinstance(value, bool) else None
        if key == "items":
            return {}
        return value if _is_plain(value) else None

    def _properties(self, value: Any, depth: int, above: tuple[str, ...]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name, part in _mapping(value).items():
            if _ODD.search(str(name).replace(".", "_")) or not 0 < len(str(name)) <= 64:
                self.problem = self.problem or (
                    f"The name of an argument cannot be sent: {visible_line(str(name)[:60])}."
                )
            made[str(name)] = self._node(part, depth + 1, above)
        return made


def _type(value: Any) -> Any:
    if isinstance(value, str):
        return value if value in _TYPES else None
    kinds = [kind for kind in _list(value) if isinstance(kind, str) and kind in _TYPES]
    if len(kinds) == 1:
        return kinds[0]
    return kinds or None


def _is_plain(value: Any) -> bool:
    return isinstance(value, int | float | bool) or (isinstance(value, str) and len(value) <= 500)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
