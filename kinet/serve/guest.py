"""Serves a client over the line to the program that holds the data folder."""

from __future__ import annotations

from kinet.local.handover import Exchange
from kinet.serve.desk import Claims, Host
from kinet.serve.lines import Line
from kinet.serve.server import Server


class ExchangeLines:
    """The lines that a `kinet serve` passes on, which found the data folder in use."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange

    async def hear(self) -> Line | None:
        """The next line; None when the client or its `kinet serve` has ended."""
        message = await self._exchange.hear()
        if message is None or "line" not in message:
            return None
        return Line(str(message["line"]), str(message.get("problem", "")))

    async def tell(self, text: str) -> None:
        """Passes a line back."""
        await self._exchange.tell({"line": text})


async def serve_guest(host: Host, exchange: Exchange, claims: Claims) -> None:
    """Returns when the client has gone and all of it is stored."""
    await Server(host, ExchangeLines(exchange), claims).run()
