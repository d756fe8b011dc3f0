"""What the tests of the tools share beside fixtures."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from kinet.tools.base import ToolOutput

Call = Callable[..., Awaitable[ToolOutput]]


class KnownFiles:
    """The hashes a session keeps, in memory."""

    def __init__(self) -> None:
        self.known: dict[Path, str] = {}

    def seen(self, path: Path) -> str | None:
        return self.known.get(path)

    def remember(self, path: Path, digest: str) -> None:
        self.known[path] = digest


async def until(holds: Callable[[], bool]) -> None:
    """Waits for something another process does; fails after 20 s."""
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110 - another process sets no event of this loop
            await asyncio.sleep(0.01)
