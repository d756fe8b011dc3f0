"""Hands work to the program that holds a data folder: loopback lines behind a private token."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import os
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from kinet.core import atomic_write
from kinet.core.errors import KinetError
from kinet.local.handover_place import ADDRESS_FILE

LARGEST_LINE = 64 * 1024 * 1024
# Bytes that may lie unread; then the other side waits with what it has to tell.
_MOST_UNREAD = 1024 * 1024
# Seconds for an owner to answer the first line: it is on this computer and has nothing to look up.
ANSWER_SECONDS = 3.0

Message = dict[str, Any]


class Exchange:
    """One connection between a command and the owner, seen from either side."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        # What came of the next line so far.
        self._begun = bytearray()

    async def tell(self, message: Mapping[str, Any]) -> None:
        """Sends one message. ConnectionError if the other side is gone."""
        self.put(message)
        await self._writer.drain()

    def put(self, message: Mapping[str, Any]) -> None:
        """Sends a small message and waits for nobody who reads it."""
        line = json.dumps(message, ensure_ascii=False, default=str)
        self._writer.write(line.encode("utf-8", "replace") + b"\n")

    async def hear(self) -> Message | None:
        """The next message; None when the other side has ended, or sends what is none."""
        try:
            line = await self._line()
            said = None if line is None else json.loads(line)
        except (ConnectionError, ValueError):
            return None
        return said if isinstance(said, dict) else None

    async def _line(self) -> bytes | None:
        """The next line; None where it is not whole or too long."""
        while True:
            try:
                end = await self._reader.readuntil(b"\n")
            except asyncio.IncompleteReadError:
                return None
            except asyncio.LimitOverrunError as exc:
                # A long one is taken bit by bit, so that no more than that lies unread in memory.
                self._begun += await self._reader.readexactly(exc.consumed)
                if len(self._begun) > LARGEST_LINE:
                    return None
                continue
            line, self._begun = bytes(self._begun + end), bytearray()
            return line

    async def messages(self) -> AsyncIterator[Message]:
        """Everything that still comes."""
        while (message := await self.hear()) is not None:
            yield message

    def close(self) -> None:
        """Ends the connection."""
        self._writer.close()


Work = Callable[[Exchange, Message], Awaitable[None]]


class HandoverServer:
    """Listens on 127.0.0.1 and has `work` done for every message that knows the token.

    `work` raises KinetError for what cannot be done; the sentence goes to the one who asked.
    """

    def __init__(self, home: Path, work: Work) -> None:
        self._path, self._work = home / ADDRESS_FILE, work
        self._token = secrets.token_hex(32)
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._writing: asyncio.Future[None] | None = None

    async def start(self) -> None:
        """Begins to listen. OSError if that cannot be: then nobody is answered."""
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, limit=_MOST_UNREAD)
        self._server = server
        place = {"port": server.sockets[0].getsockname()[1], "token": self._token}
        place["process"] = os.getpid()
        # Beside the loop, which may be a window's that is about to be used. Ended by `close`.
        self._writing = asyncio.ensure_future(
            asyncio.to_thread(atomic_write.write_bytes, self._path, json.dumps(place).encode())
        )
        await asyncio.shield(self._writing)

    async def close(self) -> None:
        """Ends what is being done for others and stops listening."""
        server, self._server = self._server, None
        if server is None:
            return
        if self._writing is not None:
            # Else it could come after it was taken away.
            await asyncio.wait([self._writing])
        with contextlib.suppress(OSError):
            self._path.unlink()
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        exchange = Exchange(reader, writer)
        try:
            first = await asyncio.wait_for(exchange.hear(), ANSWER_SECONDS)
            token = str(first.get("token", "")) if first is not None else ""
            if first is not None and hmac.compare_digest(token.encode(), self._token.encode()):
                await exchange.tell({"welcome": True})
                await self._do(exchange, first)
        except (ConnectionError, TimeoutError, asyncio.CancelledError):
            # Whoever asked is gone, or we are: there is nobody to tell.
            pass
        finally:
            exchange.close()
            self._tasks.discard(task)

    async def _do(self, exchange: Exchange, message: Message) -> None:
        try:
            await self._work(exchange, message)
        except KinetError as exc:
            await exchange.tell({"error": {"message": exc.message, "hint": exc.hint}})


async def hand_over(home: Path, message: Mapping[str, Any]) -> Exchange | None:
    """Gives `message` to the owner of `home`; None if none answers. The answers follow."""
    try:
        place = json.loads((home / ADDRESS_FILE).read_bytes())
        port, token = int(place["port"]), str(place["token"])
        connecting = asyncio.open_connection("127.0.0.1", port, limit=_MOST_UNREAD)
        exchange = Exchange(*await asyncio.wait_for(connecting, ANSWER_SECONDS))
    except (OSError, ValueError, KeyError, TypeError, TimeoutError):
        return None
    try:
        await exchange.tell({**message, "token": token})
        welcome = await asyncio.wait_for(exchange.hear(), ANSWER_SECONDS)
    except (ConnectionError, TimeoutError):
        welcome = None
    if welcome is None or not welcome.get("welcome"):
        exchange.close()
        return None
    return exchange
