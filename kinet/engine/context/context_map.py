"""Measures the parts of a request: system, skills, rules, tools, memory, and each turn."""

from __future__ import annotations

from collections.abc import Sequence

from kinet.core.context_map import ContextMap, ContextShare, ShareKind
from kinet.core.messages import Message, ToolSchema
from kinet.core.server_names import server_and_tool
from kinet.engine.base import Section, TurnRequest
from kinet.engine.context.context import Context
from kinet.engine.context.cut_points import begins_turn
from kinet.engine.context.prompt import text_of
from kinet.engine.context.tokens import size_of_text, size_of_tools

_NAME = 60


def context_map(turn: TurnRequest, context: Context, messages: Sequence[Message]) -> ContextMap:
    """The parts of the request that would leave with these messages."""

    def of_text(kind: ShareKind, name: str, text: str) -> ContextShare:
        return ContextShare(kind, name, context.estimate(size_of_text(text)))

    def of_sections(kind: ShareKind, sections: Sequence[Section]) -> list[ContextShare]:
        return [of_text(kind, section.title, section.text) for section in sections]

    shares = [of_text("system", "Kinet's own words", text_of("base"))]
    shares += of_sections("skills", turn.skills)
    shares += of_sections("rules", (*turn.personal, *turn.rules))
    shares += [
        ContextShare("tools", name, context.estimate(size_of_tools(schemas)))
        for name, schemas in _tools(turn.toolbox.schemas())
    ]
    if turn.memory_text:
        shares.append(of_text("memory", "What is remembered", turn.memory_text))
    for group in _turns(messages):
        kind: ShareKind = "summary" if group[0].kind == "summary" else "turn"
        if any(item.content or item.tool_calls or item.command for item in group):
            shares.append(ContextShare(kind, _name(group[0]), context.estimate_messages(group)))
    return ContextMap(tuple(shares), context.used(), context.window, context.compact_at)


def _tools(schemas: Sequence[ToolSchema]) -> list[tuple[str, list[ToolSchema]]]:
    """Kinet's own tools, then those of each server, with what to call each heap."""
    heaps: dict[str, list[ToolSchema]] = {"": []}
    for schema in schemas:
        known = server_and_tool(schema.name)
        heaps.setdefault(known[0] if known else "", []).append(schema)
    return [
        (f"{server}: {_count(heap)}" if server else _count(heap), heap)
        for server, heap in heaps.items()
    ]


def _count(heap: Sequence[ToolSchema]) -> str:
    return f"{len(heap)} tool{'' if len(heap) == 1 else 's'}"


def _turns(messages: Sequence[Message]) -> list[list[Message]]:
    groups: list[list[Message]] = []
    for message in messages:
        if not groups or begins_turn(message) or groups[-1][0].kind == "summary":
            groups.append([])
        groups[-1].append(message)
    return groups


def _name(first: Message) -> str:
    """What a group is called that begins with this message."""
    if first.kind == "summary":
        return "Summary of what came before"
    if first.kind == "branch":
        return "What another branch did"
    if first.command is None and not begins_turn(first):
        # Its question went into the summary.
        return "The end of an earlier turn"
    said = first.text if first.command is None else first.command.typed()
    text = " ".join(said.split()) or "A picture"
    return text if len(text) <= _NAME else f"{text[: _NAME - 1]}…"
