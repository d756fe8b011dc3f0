"""The servers that a folder brings along, read from the text that was trusted."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from kinet.mcp.definition import KEPT, ServerDefinition, name_trouble, read_definition
from kinet.policy.visible import visible_line


@dataclass(frozen=True, slots=True)
class FolderServers:
    """What `.mcp.json` lists; `problems` has a sentence for each entry that cannot be used."""

    servers: tuple[ServerDefinition, ...] = ()
    problems: tuple[str, ...] = ()


def folder_servers(text: str, folder: str, off: Collection[str] = ()) -> FolderServers:
    """The servers of a list; `off` are those switched off by the person: `folder::name[/tool]`."""
    try:
        entries: Any = json.loads(text)["mcpServers"]
        items = list(entries.items())
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return FolderServers(
            (), (".mcp.json cannot be read as a list of servers.",) if text else ()
        )
    found: dict[str, ServerDefinition] = {}
    problems: list[str] = []
    for name, entry in items:
        try:
            if trouble := name_trouble(str(name)):
                raise ValueError(trouble.rstrip("."))
            server = read_definition(str(name), entry, place="folder", folder=folder)
            if KEPT in json.dumps([*server.env.values(), *server.headers.values(), server.url]):
                # The keychain's items go by the name of a server, which a folder may choose.
                raise ValueError(f"{name}: a folder's server gets nothing from the keychain")
        except ValueError as exc:
            problems.append(visible_line(f".mcp.json: {exc}."))
            continue
        found[server.name] = _switched(server, folder, off)
    return FolderServers(tuple(found.values()), tuple(problems))


def off_key(folder: str, name: str, tool: str = "") -> str:
    """How a switched-off server or tool of a folder is written in the settings."""
    return f"{folder}::{name}" + (f"/{tool}" if tool else "")


def _switched(server: ServerDefinition, folder: str, off: Collection[str]) -> ServerDefinition:
    head = off_key(folder, server.name)
    tools = frozenset(key[len(head) + 1 :] for key in off if key.startswith(f"{head}/"))
    enabled = server.enabled and head not in off
    return replace(server, enabled=enabled, tools_off=server.tools_off | tools)
