"""A small server of the official package: `official_server.py [streamable-http|sse PORT]`."""

from __future__ import annotations

import sys

import anyio
from mcp.server.mcpserver import Context, Image, MCPServer

app = MCPServer("official")


@app.tool(title="Sum of two")
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@app.tool()
async def slow(seconds: float, ctx: Context) -> str:
    """Takes its time and tells how far it is."""
    for step in range(int(seconds * 10)):
        await ctx.report_progress(step, seconds * 10, "reading")
        await anyio.sleep(0.1)
    return "done"


@app.tool()
def draw() -> Image:
    """A picture of one point."""
    import base64

    point = (
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5E"
        "rkJggg=="
    )
    return Image(data=base64.b64decode(point), format="png")


@app.tool()
def fail() -> str:
    """Fails."""
    raise ValueError("nothing to be done")


@app.prompt(title="Review of a file")
def review(path: str, tone: str = "kind") -> str:
    """Reviews."""
    return f"Review {path} in a {tone} tone.\u200b"


if len(sys.argv) > 2:
    app.run(sys.argv[1], port=int(sys.argv[2]))  # type: ignore[call-overload]
else:
    app.run("stdio")
