"""A model server in a process of its own that keeps its connections and notes when they close.

Run as a program it prints its port. It answers in OpenAI's protocol: a last message of "never end"
is answered with words until the client hangs up, any other with a sentence. `GET /noted` gives
{"connections": how many were opened, "closed": [monotonic seconds, per endless answer]}.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time

_ENDLESS = "never end"
_connections = 0
_closed: list[float] = []


async def serve() -> None:
    """Serves until the process is ended."""
    server = await asyncio.start_server(_connection, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def _connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    global _connections
    counted = False
    with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            length = next(
                (
                    line[15:]
                    for line in head.lower().split("\r\n")
                    if line[:15] == "content-length:"
                ),
                "0",
            )
            body = await reader.readexactly(int(length))
            if head.startswith("GET /noted"):
                _whole(writer, {"connections": _connections, "closed": _closed})
                continue
            if head.startswith("GET"):
                _whole(writer, {"object": "list", "data": [{"id": "kept", "object": "model"}]})
                continue
            _connections += not counted
            counted = True
            await _answer(json.loads(body), reader, writer)
    writer.close()


async def _answer(asked: dict, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    )
    if _ENDLESS in json.dumps(asked["messages"][-1]):
        hung_up = asyncio.ensure_future(reader.read(1))
        while not hung_up.done():
            _piece(writer, {"choices": [{"index": 0, "delta": {"content": "word "}}]})
            await asyncio.wait({hung_up}, timeout=0.01)
        _closed.append(time.monotonic())
        # A reset is how a client may hang up.
        hung_up.exception()
        raise ConnectionResetError
    _piece(writer, {"choices": [{"index": 0, "delta": {"content": "A short answer."}}]})
    _piece(writer, {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    _chunk(writer, b"data: [DONE]\n\n")
    writer.write(b"0\r\n\r\n")
    await writer.drain()


def _piece(writer: asyncio.StreamWriter, choices: dict) -> None:
    event = {"id": "x", "object": "chat.completion.chunk", "model": "kept", **choices}
    _chunk(writer, b"data: " + json.dumps(event).encode() + b"\n\n")


def _chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")


def _whole(writer: asyncio.StreamWriter, value: dict) -> None:
    data = json.dumps(value).encode()
    head = (
        f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(data)}\r\n\r\n"
    )
    writer.write(head.encode() + data)


if __name__ == "__main__":
    asyncio.run(serve())
