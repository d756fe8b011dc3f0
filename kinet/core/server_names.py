"""The names of servers' tools: a server's own word, behind the server's name."""

from __future__ import annotations

# No tool of Kinet's own has it in its name.
_BETWEEN = "__"


def server_and_tool(name: str) -> tuple[str, str] | None:
    """Server and tool in the name of a call, None for a tool of Kinet's own."""
    server, between, tool = name.partition(_BETWEEN)
    return (server, tool) if between and server and tool else None
