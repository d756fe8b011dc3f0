"""The way through which requests go, keeping beside what belongs to a turn."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import cast

import httpx

from kinet.net.exchanges import MOST_BYTES, RECORDINGS, Exchange, asking_turn


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
        self._room = MOST_BYTES

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
