"""Plays the answers of a report on a failure again, from a server of this computer alone."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

from kinet.core.errors import StoreError

FORMAT = 1
# Seconds; pauses between pieces that are longer are not waited for.
_LONGEST_PAUSE = 0.5


def read_report(text: str) -> Mapping[str, Any]:
    """The parsed report. StoreError if it is none."""
    try:
        report = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise StoreError(f"This is not a report of Kinet: {exc}.") from exc
    if not isinstance(report, Mapping) or report.get("kinet_report") != FORMAT:
        raise StoreError("This is not a report of Kinet, or one of another version.")
    profile, exchanges = report.get("profile"), report.get("exchanges")
    if not isinstance(profile, Mapping) or not isinstance(exchanges, list):
        raise StoreError("This report lacks its profile or its exchanges.")
    return report


@asynccontextmanager
async def replayed(exchanges: Sequence[Mapping[str, Any]]) -> AsyncIterator[str]:
    """A server that gives these answers in their order; its address without a path.

    When they are used up it refuses in words. What was cut is cut again, pauses are short.
    """
    rest = list(exchanges)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while await _read(reader):
                whole = await _play(rest.pop(0) if rest else _USED_UP, writer)
                if not whole:
                    break
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        port = server.sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.close()


_USED_UP: Mapping[str, Any] = {
    "status": 400,
    "content_type": "application/json",
    "pieces": [[0.0, '{"error": {"message": "The report holds no further answer."}}']],
    "ended": "whole",
}


async def _read(reader: asyncio.StreamReader) -> bool:
    """Reads one request; False when there is none any more."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
    await reader.readexactly(length)
    return bool(head)


async def _play(exchange: Mapping[str, Any], writer: asyncio.StreamWriter) -> bool:
    """Sends one answer; False if the connection is to be broken off."""
    status = int(exchange.get("status") or 0)
    if not status:
        return False
    lines = [f"HTTP/1.1 {status} Replayed", "transfer-encoding: chunked"]
    lines.append(f"content-type: {exchange.get('content_type') or 'text/event-stream'}")
    lines += [f"{name}: {value}" for name, value in dict(exchange.get("headers") or {}).items()]
    writer.write("\r\n".join([*lines, "", ""]).encode("latin-1", "replace"))
    before = 0.0
    for at, piece in exchange.get("pieces") or ():
        await asyncio.sleep(min(_LONGEST_PAUSE, max(0.0, float(at) - before)))
        before = float(at)
        data = _bytes(piece)
        if data:
            writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            await writer.drain()
    if exchange.get("ended") != "whole":
        return False
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    return True


def _bytes(piece: Any) -> bytes:
    if isinstance(piece, Mapping):
        return base64.b64decode(str(piece.get("base64", "")))
    return str(piece).encode("utf-8", "replace")
