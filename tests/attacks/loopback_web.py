"""A web of a few hosts on this machine: the real transport talks to it in place of the network."""

from __future__ import annotations

import asyncio
import base64
import ssl
import zlib
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import Any

import httpcore
import httpx

CERTIFICATES = Path(__file__).parent / "certificates"


class LoopbackWeb:
    """Answers as an entry of the corpus says; remembers what was asked and connected to."""

    def __init__(self, responses: list[dict[str, Any]]) -> None:
        self._responses = {response["url"]: response for response in responses}
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.connected: list[str] = []
        self._servers: list[asyncio.Server] = []
        self._ports: dict[bool, int] = {}

    async def __aenter__(self) -> LoopbackWeb:
        wrong = any(response.get("tls") for response in self._responses.values())
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(CERTIFICATES / ("wrong.pem" if wrong else "right.pem"))
        for secure in (False, True):
            server = await asyncio.start_server(
                self._serve(secure), "127.0.0.1", 0, ssl=context if secure else None
            )
            self._servers.append(server)
            self._ports[secure] = server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        for server in self._servers:
            server.close()

    def transport(self) -> httpx.AsyncBaseTransport:
        """The real transport, whose sockets end here whatever address they are made for."""
        context = ssl.create_default_context(cafile=CERTIFICATES / "authority.pem")
        transport = httpx.AsyncHTTPTransport(verify=context, trust_env=False)
        transport._pool._network_backend = _Detour(self)
        return transport

    def port_for(self, port: int) -> int:
        return self._ports[port not in (80, 8080)]

    def _serve(self, secure: bool) -> Callable[..., Any]:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                headers = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
                scheme = "https" if secure else "http"
                url = f"{scheme}://{headers['host']}{head[0].split(' ')[1]}"
                self.requests.append((url, headers))
                await _answer(writer, self._responses.get(url, {"body": {"text": "a page"}}))
            except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
                pass
            finally:
                writer.close()

        return handle


class _Detour(httpcore.AsyncNetworkBackend):
    def __init__(self, web: LoopbackWeb) -> None:
        self._web = web
        self._real = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        self._web.connected.append(host)
        return await self._real.connect_tcp("127.0.0.1", self._web.port_for(port), timeout)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


async def _answer(writer: asyncio.StreamWriter, response: dict[str, Any]) -> None:
    headers = {"content-type": "text/plain", **response.get("headers", {})}
    if "location" in response:
        headers["location"] = response["location"]
    lines = [f"HTTP/1.1 {response.get('status', 200)} OK", "connection: close"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    async for piece in _body(response.get("body", {})):
        writer.write(piece)
        await writer.drain()
        # Without data to write, drain alone never gives the client its turn.
        await asyncio.sleep(0)


async def _body(body: dict[str, Any]) -> AsyncIterator[bytes]:
    if "text" in body:
        yield body["text"].encode("utf-8", "surrogatepass")
    elif "b64" in body:
        yield base64.b64decode(body["b64"])
    elif "gzip_of_zeros" in body:
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        for _ in range(body["gzip_of_zeros"] >> 20):
            yield packer.compress(bytes(1 << 20))
        yield packer.flush()
    elif "endless" in body:
        while True:
            yield body["endless"].encode() * 65_536
    elif "drip" in body:
        while True:
            yield b"x"
            await asyncio.sleep(1 / body["drip"])
