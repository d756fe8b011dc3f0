"""The tools of one run: looked up by name, told to the model, their arguments made ready."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from kinet.core.errors import ToolError
from kinet.core.messages import ToolSchema
from kinet.tools.base import Access, Arguments, Tool
from kinet.tools.repair import repaired
from kinet.tools.schema import complaints, parameters_for


class Toolbox:
    """An immutable set of tools, sorted by name so that the bytes of a request stay equal."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools = {tool.name: tool for tool in sorted(tools, key=lambda tool: tool.name)}

    def names(self) -> tuple[str, ...]:
        """All names, sorted."""
        return tuple(self._tools)

    def schemas(self) -> tuple[ToolSchema, ...]:
        """What the model is told of each tool, sorted by name."""
        return tuple(
            ToolSchema(tool.name, tool.description, parameters_for(tool))
            for tool in self._tools.values()
        )

    def find(self, name: str) -> Tool | None:
        """The tool of exactly this name, or None."""
        return self._tools.get(name)

    def nearest(self, name: str) -> list[str]:
        """Up to three names that look like `name`, the nearest first."""
        return difflib.get_close_matches(name.lower(), self._tools, n=3, cutoff=0.4)

    def prepare(self, name: str, arguments: Mapping[str, Any]) -> tuple[Tool, Arguments]:
        """The tool and its checked arguments. ToolError says in one message all that is wrong."""
        tool = self._tools.get(name)
        if tool is None:
            raise ToolError(self._unknown(name), kind="unknown-tool")
        parameters = parameters_for(tool)
        values = repaired(arguments, parameters)
        if hasattr(tool, "parameters") and (wrong := complaints(values, parameters)):
            told = f"{'; '.join(wrong[:5])}. It takes: {_signature(parameters)}."
            raise ToolError(f"Wrong arguments for {name}: {told}", kind="arguments")
        try:
            return tool, tool.arguments.model_validate(values)
        except ValidationError as exc:
            raise ToolError(_complaint(name, exc, parameters), kind="arguments") from exc

    def with_more(self, tools: Iterable[Tool]) -> Toolbox:
        """These tools beside those that are here; a name that is here already stays what it is."""
        more = tuple(tools)
        return Toolbox((*more, *self._tools.values())) if more else self

    def only(self, names: Iterable[str]) -> Toolbox:
        """The tools of these names; names that are not here are left out."""
        wanted = set(names)
        return Toolbox(tool for tool in self._tools.values() if tool.name in wanted)

    def read_only(self) -> Toolbox:
        """The tools that only read, and start no agent of their own."""
        return Toolbox(
            tool
            for tool in self._tools.values()
            if tool.access is Access.READ and tool.name not in _NOT_FOR_SUB_AGENTS
        )

    def _unknown(self, name: str) -> str:
        near = self.nearest(name)
        hint = f"Did you mean {' or '.join(near)}?" if near else ""
        return f"There is no tool {name!r}. {hint} Available: {', '.join(self._tools)}.".replace(
            "  ", " "
        )


# A sub-agent starts no further one and asks nobody.
_NOT_FOR_SUB_AGENTS = frozenset({"dispatch_agent", "ask_user", "skill", "todo"})

_KINDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "array": "list",
    "object": "object",
}


def _complaint(name: str, error: ValidationError, schema: Mapping[str, Any]) -> str:
    problems = [_problem(item) for item in error.errors(include_url=False)[:5]]
    return f"Wrong arguments for {name}: {'; '.join(problems)}. It takes: {_signature(schema)}."


def _problem(item: Mapping[str, Any]) -> str:
    where = ".".join(str(step) for step in item["loc"]) or "the arguments"
    match item["type"]:
        case "missing":
            return f"{where} is missing"
        case "extra_forbidden":
            return f"{where} is not known"
        case "value_error":
            said = str(item["msg"]).removeprefix("Value error, ")
            return said if not item["loc"] else f"{where}: {said}"
        case _:
            given = repr(item["input"])
            shown = given if len(given) <= 60 else given[:57] + "…"
            wanted = str(item["msg"]).removeprefix("Input ")
            return f"{where} {wanted[:1].lower()}{wanted[1:]} (got {shown})"


def _signature(schema: Mapping[str, Any]) -> str:
    required = schema.get("required", [])
    fields = []
    for name, field in schema.get("properties", {}).items():
        kind = _KINDS.get(str(field.get("type")), "value")
        fields.append(f"{name} ({kind}{'' if name in required else ', optional'})")
    return ", ".join(fields) or "no arguments"
