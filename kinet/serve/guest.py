"""Serves a client over the line to the program that holds the data folder."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any, Protocol

from kinet.local.handover import Exchange
from kinet.serve.desk import Claims, Host
from kinet.serve.lines import Line
from kinet.serve.server import Server

# Characters that are heard without a word of it, and what a line counts beside its text.
_MOST_UNTOLD, _EACH = 64 * 1024, 64
# Seconds to say the last word to one that may not read.
_LAST_WORD = 2.0


class ExchangeLines:
    """The lines that a `kinet serve` passes on, which found the data folder in use.

    With each answer it hears how many of its lines were `heard`: what was not, it keeps.
    """

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self.heard = 0
        # Characters heard since that was told.
        self._untold = 0

    async def hear(self) -> Line | None:
        """The next line; None when the client or its `kinet serve` has ended."""
        message = await self._exchange.hear()
        if message is None or "line" not in message:
            return None
        self.heard += 1
        self._untold += len(str(message["line"])) + _EACH
        if self._untold > _MOST_UNTOLD:
            # Who says much and is not answered is kept a copy of all of it until then.
            self._exchange.put({"heard": self.heard})
            self._untold = 0
        return Line(str(message["line"]), str(message.get("problem", "")))

    async def tell(self, text: str) -> None:
        """Passes a line back."""
        self._untold = 0
        await self._exchange.tell({"line": text, "heard": self.heard})


class GuestWork(Claims, Protocol):
    """What the owner keeps of one client."""

    # Asked before the owner gives the folder away.
    server: Server | None

    @property
    def is_leaving(self) -> bool:
        """True if the owner gives the folder to a window that is about to open."""
        ...


async def serve_guest(
    host: Host, exchange: Exchange, work: GuestWork, seat: Mapping[str, Any] | None
) -> None:
    """Returns when the client has gone and all of it is stored; also when the owner ends.

    Then the `kinet serve` on the other side hears what it needs to go on by itself.
    """
    lines = ExchangeLines(exchange)
    work.server = server = Server(host, lines, work, seat)
    try:
        await server.run()
    finally:
        left = {"left": server.seat, "heard": lines.heard, "to_window": work.is_leaving}
        with contextlib.suppress(ConnectionError, TimeoutError):
            async with asyncio.timeout(_LAST_WORD):
                await exchange.tell(left)
