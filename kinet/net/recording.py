"""Keeps what the newest turns sent and what came back, byte for byte: for a report on a failure."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import cast

import httpx

# The turn that asks, "" for what belongs to none. Tasks made within a turn take it along.
asking_turn: ContextVar[str] = ContextVar("asking_turn", default="")

# Turns that are kept, exchanges of one turn, bytes of one body or answer.
_TURNS = 8
_EXCHANGES = 12
_BYTES = 1 << 20


@dataclass
class Exchange:
    """A request and its answer. `pieces` are (seconds since the request, bytes) as they came.

    `ended` is "whole", "cut" (it broke off, or was left) or "error"; `error` says which.
    """

    body: bytes
    status: int = 0
    content_type: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    pieces: list[tuple[float, bytes]] = field(default_factory=list)
    ended: str = "cut"
    error: str = ""
    shortened: bool = False


class Recordings:
    """The exchanges of the newest turns. Safe to use from several threads."""

    def __init__(self) -> None:
        self._turns: OrderedDict[str, list[Exchange]] = OrderedDict()
        self._lock = threading.Lock()

    def begin(self, turn_id: str, body: bytes) -> Exchange:
        """Another request of a turn."""
        exchange = Exchange(body[:_BYTES], shortened=len(body) > _BYTES)
        with self._lock:
            kept = self._turns.setdefault(turn_id, [])
            kept.append(exchange)
            del kept[:-_EXCHANGES]
            while len(self._turns) > _TURNS:
                self._turns.popitem(last=False)
        return exchange

    def of(self, turn_id: str) -> list[Exchange]:
        """What was kept of a turn; [] for one that is too long ago."""
        with self._lock:
            return list(self._turns.get(turn_id, ()))

    def drop(self, turn_id: str) -> None:
        """A turn that went well need not be told about."""
        with self._lock:
            self._turns.pop(turn_id, None)


RECORDINGS = Recordings()


class RecordingTransport(httpx.AsyncBaseTransport):
    """Passes everything on; what belongs to a turn is kept beside. Keys never are: no header of a
    request is looked at."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The answer of the real transport."""
        turn_id = asking_turn.get()
        if not turn_id:
            return await self._inner.handle_async_request(request)
        began = time.monotonic()
        exchange = RECORDINGS.begin(turn_id, await request.aread())
        try:
            response = await self._inner.handle_async_request(request)
        except httpx.TransportError as exc:
            exchange.ended, exchange.error = "error", f"{type(exc).__name__}: {exc}"
            raise
        exchange.status = response.status_code
        exchange.content_type = response.headers.get("content-type", "")
        waits = response.headers.get("retry-after", "")
        exchange.headers = {"retry-after": waits} if waits else {}
        stream = cast(httpx.AsyncByteStream, response.stream)
        response.stream = _Recorded(stream, exchange, began)
        return response

    async def aclose(self) -> None:
        """Closes all connections."""
        await self._inner.aclose()


class _Recorded(httpx.AsyncByteStream):
    """The stream of an answer, kept as it passes."""

    def __init__(self, inner: httpx.AsyncByteStream, exchange: Exchange, began: float) -> None:
        self._inner, self._exchange, self._began = inner, exchange, began
        self._room = _BYTES

    async def __aiter__(self) -> AsyncIterator[bytes]:
        exchange = self._exchange
        try:
            async for piece in self._inner:
                if self._room > 0:
                    seconds = time.monotonic() - self._began
                    exchange.pieces.append((seconds, piece[: self._room]))
                    self._room -= len(piece)
                    exchange.shortened = exchange.shortened or self._room < 0
                yield piece
        except httpx.TransportError as exc:
            exchange.error = f"{type(exc).__name__}: {exc}"
            raise
        exchange.ended = "whole"

    async def aclose(self) -> None:
        """Closes the real stream."""
        await self._inner.aclose()
