"""A loopback server that plays scripted answers and keeps what it was asked."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
)


@dataclass
class Asked:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: Any
    connection: int


@dataclass
class Playing:
    """One answer in the making: what a script may do."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    closed: asyncio.Event = field(default_factory=asyncio.Event)

    async def stream(self, *pieces: bytes, end: bool = True) -> None:
        """A good status and these pieces, each a chunk of its own."""
        self.writer.write(STREAM_HEAD)
        for piece in pieces:
            await self.piece(piece)
        if end:
            self.writer.write(b"0\r\n\r\n")
            await self.writer.drain()

    async def piece(self, piece: bytes) -> None:
        """One more chunk."""
        self.writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        await self.writer.drain()

    async def whole(self, status: int, body: bytes = b"", **headers: str) -> None:
        """A status with a body."""
        lines = [f"HTTP/1.1 {status} -", f"content-length: {len(body)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self.writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        await self.writer.drain()

    async def until_closed(self) -> None:
        """Waits for the other side to close."""
        with contextlib.suppress(ConnectionError):
            while await self.reader.read(65536):
                pass
        self.closed.set()


Script = Callable[[Playing], Awaitable[None]]


class ScriptedServer:
    """Plays its scripts in order, the last one again and again; connections stay open."""

    def __init__(self, *scripts: Script) -> None:
        self.scripts = list(scripts)
        self.asked: list[Asked] = []
        self.connections = 0
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> ScriptedServer:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def base_url(self) -> str:
        """Where it listens."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        number = self.connections
        try:
            while True:
                await self._one(reader, writer, number)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _one(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int
    ) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        pairs = [line.partition(":") for line in head[1:] if ":" in line]
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        path = head[0].split(" ")[1]
        self.asked.append(Asked(path, headers, json.loads(body) if body else None, number))
        script = self.scripts[min(len(self.asked), len(self.scripts)) - 1]
        await script(Playing(reader, writer))


def chunk(**delta: Any) -> bytes:
    """One chat-completion chunk as an event."""
    return event({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})


def event(value: Any) -> bytes:
    """One event with this JSON."""
    return b"data: " + json.dumps(value).encode() + b"\n\n"


FINISH = event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
DONE = b"data: [DONE]\n\n"


async def says_ok(play: Playing) -> None:
    """The plain answer "ok"."""
    await play.stream(chunk(content="ok"), FINISH, DONE)
