"""Sends one request and reads its body: errors in our words, silence watched, bytes bounded."""

from __future__ import annotations

import asyncio
import contextlib
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import httpx

from kinet.core.errors import ProtocolError, StalledError
from kinet.net.client import create_client
from kinet.providers.transport.body import BodyWriter
from kinet.providers.transport.failures import Failure, failure_of_response
from kinet.providers.transport.headers import carries_key
from kinet.providers.transport.network_failures import network_error

MAX_ERROR_BYTES = 256 * 1024
# How long an error's own text, or the last bytes after the end mark, are waited for.
ERROR_BODY_SECONDS = 10.0
DRAIN_SECONDS = 0.05
# After a silence, for what lies in the socket while a busy computer let this program wait.
GRACE_SECONDS = 0.05
_INFLATED_AT_ONCE = 64 * 1024


@dataclass(frozen=True, slots=True)
class Call:
    """One request ready to go. `headers` hold the key in clear: never print them."""

    url: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    model: str = ""


class Refused(Exception):
    """The server answered with a status that is no success."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.error.message)
        self.failure = failure


class Connection:
    """Opens answers over one client, which it closes only if it made it."""

    def __init__(self, client: httpx.AsyncClient | None, *, stall_seconds: float = 120.0) -> None:
        self._client = client
        self._owned = client is None
        self._writer = BodyWriter()
        self.stall_seconds = stall_seconds

    def open(self, call: Call) -> OpenAnswer:
        """The answer to `call`, to be entered with `async with`."""
        return OpenAnswer(self.client(), call, self._writer, self.stall_seconds)

    def client(self) -> httpx.AsyncClient:
        """The client, made at the first use."""
        if self._client is None:
            self._client = create_client(stall_seconds=self.stall_seconds)
        return self._client

    async def close(self) -> None:
        """Closes the client if this object made it."""
        if self._owned and self._client is not None:
            client, self._client = self._client, None
            await client.aclose()


class OpenAnswer:
    """One answer while it is read. Entering raises Refused or a ProviderError.

    Leaving closes the connection at once, unless the body was read to its end.
    """

    def __init__(
        self,
        client: httpx.AsyncClient,
        call: Call,
        writer: BodyWriter,
        stall_seconds: float,
    ) -> None:
        self._client = client
        self._call = call
        self._writer = writer
        self._stall_seconds = stall_seconds
        self._response: httpx.Response | None = None
        self._pieces: AsyncIterator[bytes] | None = None
        self._watchdog: Watchdog | None = None

    async def __aenter__(self) -> OpenAnswer:
        url, seconds = self._call.url, self._stall_seconds
        try:
            request = self._client.build_request(
                "POST",
                url,
                headers=dict(self._call.headers),
                content=self._writer.written(self._call.body),
            )
            async with asyncio.timeout(seconds or None):
                self._response = await self._client.send(request, stream=True)
        except TimeoutError as exc:
            raise stalled(seconds) from exc
        except (httpx.HTTPError, httpx.InvalidURL) as exc:
            raise network_error(exc, url) from exc
        if not 200 <= self._response.status_code < 300:
            try:
                raise Refused(await self._refusal(self._response))
            finally:
                await self._response.aclose()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._watchdog is not None:
            await self._watchdog.stop()
        if self._response is not None:
            await self._response.aclose()
        if self._pieces is not None:
            # The generators below are ended here, not by the collector in a task of its own.
            with contextlib.suppress(httpx.HTTPError, httpx.StreamError, StopAsyncIteration):
                await anext(self._pieces)

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """The body as it arrives, decoded, in bounded pieces.

        StalledError after a silence, NetworkError if the connection breaks, ProtocolError for an
        encoding that was not asked for.
        """
        response = self._response
        if response is None:
            return
        unpack = Unpacker(response.headers.get("content-encoding", ""))
        self._watchdog = watchdog = Watchdog(response, self._stall_seconds)
        self._pieces = reading = aiter(response.aiter_raw())
        try:
            async for raw in reading:
                watchdog.feed()
                for piece in unpack.feed(raw):
                    yield piece
        except (httpx.HTTPError, httpx.StreamError) as exc:
            if watchdog.fired:
                raise stalled(watchdog.limit) from exc
            raise network_error(exc, self._call.url) from exc
        if watchdog.fired:
            raise stalled(watchdog.limit)

    def expect_end(self, seconds: float) -> None:
        """From now on only this much silence is waited for: the answer is whole already."""
        if self._watchdog is not None:
            self._watchdog.tighten(seconds)

    async def drain(self) -> None:
        """Reads what is left after the end mark, briefly, so that the connection can be kept."""
        if self._pieces is None:
            return
        with contextlib.suppress(TimeoutError, httpx.HTTPError, httpx.StreamError):
            async with asyncio.timeout(DRAIN_SECONDS):
                async for _ in self._pieces:
                    pass

    async def _refusal(self, response: httpx.Response) -> Failure:
        body = bytearray()
        unpack = Unpacker(response.headers.get("content-encoding", ""))
        # The status says enough if its text does not come.
        with contextlib.suppress(TimeoutError, httpx.HTTPError, ProtocolError):
            async with asyncio.timeout(min(ERROR_BODY_SECONDS, self._stall_seconds or 10.0)):
                async for raw in response.aiter_raw():
                    for piece in unpack.feed(raw):
                        body += piece
                    if len(body) > MAX_ERROR_BYTES:
                        break
        text = bytes(body[:MAX_ERROR_BYTES]).decode(response.charset_encoding or "utf-8", "replace")
        return failure_of_response(
            response.status_code,
            response.headers,
            text,
            model=self._call.model,
            keyless=not carries_key(self._call.headers),
        )


class Watchdog:
    """Closes a response that has been silent for too long; one timer, whatever arrives."""

    def __init__(self, response: httpx.Response, limit: float) -> None:
        self._response = response
        self._loop = asyncio.get_running_loop()
        self._last = self._loop.time()
        self._timer: asyncio.TimerHandle | None = None
        self._closing: asyncio.Task[None] | None = None
        self.limit = limit
        self._late = False
        self.fired = False
        if limit > 0:
            self._timer = self._loop.call_later(limit, self._check)

    def feed(self) -> None:
        """Bytes came."""
        self._last = self._loop.time()

    def tighten(self, limit: float) -> None:
        """Makes the limit smaller."""
        if self.fired or 0 < self.limit <= limit:
            return
        self.limit = limit
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(limit, self._check)

    async def stop(self) -> None:
        """Ends the watch and all it started."""
        if self._timer is not None:
            self._timer.cancel()
        if self._closing is not None:
            await self._closing

    def _check(self) -> None:
        rest = self._last + self.limit - self._loop.time()
        if rest > 0:
            self._late = False
            self._timer = self._loop.call_later(rest, self._check)
            return
        if not self._late:
            # The program itself may have stood still: what has come meanwhile is read first.
            self._late = True
            self._timer = self._loop.call_later(GRACE_SECONDS, self._check)
            return
        self.fired = True
        # The read that waits ends with an error as soon as its connection is closed.
        self._closing = self._loop.create_task(self._response.aclose())


class Unpacker:
    """Undoes gzip and deflate in bounded steps: a small body may unpack to a huge one."""

    def __init__(self, encoding: str) -> None:
        name = encoding.strip().lower()
        if name in ("", "identity"):
            self._inflate = None
        elif name in ("gzip", "x-gzip", "deflate"):
            self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 32)
        else:
            raise ProtocolError(
                f"The server packed its answer as {name[:40]}, which was not asked for.",
                hint="Check whether a proxy changes the answers.",
            )

    def feed(self, raw: bytes) -> Iterator[bytes]:
        """The unpacked bytes, in pieces."""
        if self._inflate is None:
            yield raw
            return
        while raw:
            try:
                piece = self._inflate.decompress(raw, _INFLATED_AT_ONCE)
            except zlib.error as exc:
                raise ProtocolError(
                    "The server's packed answer is damaged.", hint="Send again.", retryable=True
                ) from exc
            raw = self._inflate.unconsumed_tail
            if piece:
                yield piece


def stalled(seconds: float) -> StalledError:
    """For a silence over the limit."""
    shown = f"{seconds:.0f}" if seconds >= 1 else f"{seconds:.1f}"
    return StalledError(
        f"The server has been silent for {shown} second{'' if shown == '1' else 's'}.",
        hint="Send again, or raise the limit in the settings if the server is slow.",
    )
