"""A loopback HTTP server that plays replies in each protocol and refuses illegal histories.

It runs in a thread of its own, so that it serves async tests, widget tests and child processes:

    with ScriptedServer(asks_for("grep", pattern="x"), says("Done.")) as server:
        profile = server.profile("anthropic")
        ...
    assert server.problems == []
    server.bodies[0]["messages"]
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from kinet.core.profile import ModelProfile, WireProtocol
from tests.support.replies import (
    Call,
    Cut,
    Gate,
    Reply,
    Silence,
    asks_for,
    asks_raw,
    breaks,
    fails,
    for_ever,
    hangs,
    says,
    says_and_asks,
)
from tests.support.strict import anthropic_problems, openai_problems
from tests.support.wire_forms import anthropic_stream, openai_stream
from tests.support.wire_ollama import ollama_problems, ollama_stream
from tests.support.wire_responses import responses_problems, responses_stream

# The words of a script come with the server that plays it.
__all__ = [
    "Call",
    "Cut",
    "Gate",
    "Recorded",
    "Reply",
    "ScriptedServer",
    "Silence",
    "asks_for",
    "asks_raw",
    "breaks",
    "fails",
    "for_ever",
    "hangs",
    "says",
    "says_and_asks",
]

# How long a gate or a silence lasts if nobody ends it: longer than any test, shorter than for ever.
_PATIENCE_S = 20.0


# What a strict server of each protocol refuses, and how it answers; by the end of the path.
_OPENAI: tuple[Any, Any] = (openai_problems, openai_stream)
_FORMS: dict[str, tuple[Any, Any]] = {
    "messages": (anthropic_problems, anthropic_stream),
    "responses": (responses_problems, responses_stream),
    # Ollama's own; the compatible one ends in "completions".
    "chat": (ollama_problems, ollama_stream),
}


@dataclass
class Recorded:
    """One request. Times are monotonic; `closed_at` is when the client hung up, None if not yet."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float
    answered_at: float | None = None
    closed_at: float | None = None
    closed: threading.Event = field(default_factory=threading.Event)


class ScriptedServer:
    """Plays the script; when it is used up, says "Done."."""

    def __init__(self, *script: Reply | Iterable[Reply], strict: bool = True) -> None:
        self.requests: list[Recorded] = []
        self.problems: list[str] = []
        self.base_url = ""
        self._strict = strict
        self._script: list[Iterator[Reply]] = []
        self._arrived = threading.Condition()
        self.replies(*script)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The payloads of all model requests, in order."""
        return [request.body for request in self.requests]

    def replies(self, *script: Reply | Iterable[Reply]) -> None:
        """Adds replies (or iterators of replies, also endless ones) to the script."""
        for item in script:
            self._script.append(iter([item] if isinstance(item, Reply) else item))

    def clear(self) -> None:
        """Forgets the rest of the script."""
        self._script.clear()

    def profile(self, protocol: WireProtocol = "openai", **fields: Any) -> ModelProfile:
        """A profile that points here."""
        fields = {"window": 128_000, "model": "scripted", **fields}
        return ModelProfile("scripted", self.base_url, protocol=protocol, **fields)

    def wait_for_requests(self, count: int, timeout: float = 10.0) -> bool:
        """Waits until `count` requests have come; for tests that are not async."""
        with self._arrived:
            return self._arrived.wait_for(lambda: len(self.requests) >= count, timeout)

    def __enter__(self) -> ScriptedServer:
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(started,), daemon=True)
        self._thread.start()
        started.wait(10)
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join(10)

    def _run(self, started: threading.Event) -> None:
        asyncio.run(self._serve(started))

    async def _serve(self, started: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._ending = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        self.base_url = f"http://127.0.0.1:{port}/v1"
        started.set()
        await self._ending.wait()
        server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ", 2)
        pairs = (line.partition(":") for line in head[1:] if ":" in line)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        raw = await reader.readexactly(int(headers.get("content-length", "0")))
        if method == "GET":
            models = json.dumps({"object": "list", "data": [{"id": "scripted", "object": "model"}]})
            await _send_whole(writer, 200, models)
            return
        if path.endswith("/api/show"):
            # What Ollama knows of a model: nothing.
            await _send_whole(writer, 404, "{}")
            return
        request = Recorded(path, headers, json.loads(raw), time.monotonic())
        with self._arrived:
            self.requests.append(request)
            self._arrived.notify_all()
        watch = asyncio.ensure_future(_hung_up(reader, request))
        try:
            await self._play(request, len(raw), writer, watch)
        finally:
            request.answered_at = time.monotonic()
            watch.cancel()

    async def _play(
        self,
        request: Recorded,
        size: int,
        writer: asyncio.StreamWriter,
        watch: asyncio.Future[None],
    ) -> None:
        problems, form = _FORMS.get(request.path.rpartition("/")[2], _OPENAI)
        found = problems(request.body)
        if found and self._strict:
            self.problems += found
            refusal = {
                "type": "error",
                "error": {"type": "invalid_request_error", "message": found[0]},
            }
            await _send_whole(writer, 400, json.dumps(refusal))
            return
        reply = self._next()
        if reply.status != 200:
            await _send_whole(writer, reply.status, reply.body, dict(reply.headers))
            return
        if isinstance(next(iter(reply.pieces), None), Silence):
            await asyncio.wait({watch}, timeout=_PATIENCE_S)
            return
        writer.write(_head(200, {"content-type": "text/event-stream", "connection": "close"}))
        for item in form(reply, size // 4):
            if isinstance(item, Silence):
                await asyncio.wait({watch}, timeout=_PATIENCE_S)
                return
            if isinstance(item, Cut):
                writer.transport.abort()
                return
            if isinstance(item, Gate):
                await _pass(item, watch)
                continue
            writer.write(item)
            await writer.drain()
            # Lets each piece travel by itself.
            await asyncio.sleep(0)

    def _next(self) -> Reply:
        while self._script:
            reply = next(self._script[0], None)
            if reply is not None:
                return reply
            self._script.pop(0)
        return says("Done.")


async def _pass(gate: Gate, watch: asyncio.Future[None]) -> None:
    gate.reached.set()
    opened = asyncio.ensure_future(asyncio.to_thread(gate.opened.wait, _PATIENCE_S))
    await asyncio.wait({opened, watch}, return_when=asyncio.FIRST_COMPLETED)
    # The waiting thread must not outlive the server.
    gate.opened.set()
    await opened


async def _hung_up(reader: asyncio.StreamReader, request: Recorded) -> None:
    with contextlib.suppress(ConnectionError):
        await reader.read()
    request.closed_at = time.monotonic()
    request.closed.set()


async def _send_whole(
    writer: asyncio.StreamWriter, status: int, body: str, headers: dict[str, str] | None = None
) -> None:
    data = body.encode()
    head = {"content-type": "application/json", "content-length": str(len(data))}
    writer.write(_head(status, {**head, "connection": "close", **(headers or {})}) + data)
    await writer.drain()


def _head(status: int, headers: dict[str, str]) -> bytes:
    lines = [
        f"HTTP/1.1 {status} Scripted",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
