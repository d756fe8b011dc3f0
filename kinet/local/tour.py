"""The guided tour: a loopback server that speaks the OpenAI protocol with no model behind it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kinet.local.tour_guide import answer
from kinet.local.tour_turn import Reply, read_turn

MODEL = "guided-tour"
# Tokens the tour pretends to have room for, so that the gauge shows something.
WINDOW = 32_000
CHARACTERS_PER_TOKEN = 4
LARGEST_BODY = 32_000_000

# A word and the blank after it: streamed like this it reads as if somebody wrote.
_WORDS = re.compile(r"\S+\s*|\s+")
_REASONS = {200: "OK", 400: "Bad Request", 404: "Not Found", 413: "Content Too Large"}


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds before the first piece, per word of thinking, per word of text, per call."""

    first: float = 0.35
    thinking: float = 0.045
    word: float = 0.022
    call: float = 0.12


AT_ONCE = Pace(0, 0, 0, 0)


class TourServer:
    """Answers on 127.0.0.1 at a free port until closed. It reaches nothing and keeps nothing."""

    def __init__(self, pace: Pace | None = None) -> None:
        self.pace = pace or Pace()
        self.base_url = ""
        self.requests = 0
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def start(self) -> str:
        """Starts listening; the address for a profile. A second start changes nothing."""
        if self._server is None:
            self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
            port = self._server.sockets[0].getsockname()[1]
            self.base_url = f"http://127.0.0.1:{port}/v1"
        return self.base_url

    async def close(self) -> None:
        """Ends all answers and stops listening."""
        server, self._server = self._server, None
        if server is None:
            return
        server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await server.wait_closed()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while await self._one_request(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            # The other side went away; there is nobody left to tell.
            pass
        except asyncio.CancelledError:
            if self._server is not None:
                raise
        finally:
            self._connections.discard(task)
            writer.close()

    async def _one_request(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Reads a request and answers it; False when the connection is to end."""
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {k.strip().lower(): v.strip() for k, _, v in (x.partition(":") for x in lines)}
        method, path = (*first.split(" "), "", "")[:2]
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > LARGEST_BODY:
            await _send_error(writer, 413, "The request is too large for the tour.")
            return False
        body = await reader.readexactly(int(length))
        self.requests += 1
        path = path.partition("?")[0].rstrip("/")
        if method == "GET" and path.endswith("/models"):
            await _send_json(writer, 200, {"object": "list", "data": [_model()]})
        elif method == "POST" and path.endswith("/chat/completions"):
            await self._chat(writer, body)
        else:
            await _send_error(writer, 404, f"The tour knows no {method} {path}.")
        return headers.get("connection", "").lower() != "close"

    async def _chat(self, writer: asyncio.StreamWriter, raw: bytes) -> None:
        try:
            body = json.loads(raw)
        except ValueError:
            body = None
        if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
            await _send_error(writer, 400, "The request is not a chat with messages.")
            return
        reply = answer(read_turn(body))
        usage = _usage(body, reply)
        if body.get("stream"):
            await self._stream(writer, reply, usage)
        else:
            await _send_json(writer, 200, _whole(reply, usage))

    async def _stream(
        self, writer: asyncio.StreamWriter, reply: Reply, usage: dict[str, Any]
    ) -> None:
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
            b"cache-control: no-store\r\ntransfer-encoding: chunked\r\n\r\n"
        )
        name = f"chatcmpl-tour-{secrets.token_hex(6)}"
        delay = self.pace.first
        for delta, pause in self._deltas(reply):
            await asyncio.sleep(delay)
            delay = pause
            await _send_event(writer, _chunk(name, delta))
        end = "tool_calls" if reply.calls else "stop"
        await _send_event(writer, _chunk(name, {}, end))
        await _send_event(writer, {**_chunk(name, {}), "choices": [], "usage": usage})
        await _send_chunk(writer, b"data: [DONE]\n\n")
        writer.write(b"0\r\n\r\n")
        await writer.drain()

    def _deltas(self, reply: Reply) -> Iterator[tuple[dict[str, Any], float]]:
        """The pieces of the answer, each with the pause after it."""
        yield {"role": "assistant", "content": ""}, 0.0
        for word in _WORDS.findall(reply.reasoning):
            yield {"reasoning_content": word}, self.pace.thinking
        for word in _WORDS.findall(reply.text):
            yield {"content": word}, self.pace.word
        for index, call in enumerate(_wire_calls(reply)):
            yield {"tool_calls": [{"index": index, **call}]}, self.pace.call


def _wire_calls(reply: Reply) -> list[dict[str, Any]]:
    return [
        {
            "id": f"call_{secrets.token_hex(8)}",
            "type": "function",
            "function": {
                "name": call.name,
                "arguments": json.dumps(dict(call.arguments), ensure_ascii=False),
            },
        }
        for call in reply.calls
    ]


def _usage(body: Mapping[str, Any], reply: Reply) -> dict[str, Any]:
    """Plausible counts. Nothing is said of a cache: there is none."""
    prompt = json.dumps([body.get("messages"), body.get("tools")], ensure_ascii=False)
    calls = json.dumps([dict(call.arguments) for call in reply.calls], ensure_ascii=False)
    tokens_in = max(1, len(prompt) // CHARACTERS_PER_TOKEN)
    written = len(reply.text) + len(reply.reasoning) + (len(calls) if reply.calls else 0)
    tokens_out = max(1, written // CHARACTERS_PER_TOKEN)
    return {
        "prompt_tokens": tokens_in,
        "completion_tokens": tokens_out,
        "total_tokens": tokens_in + tokens_out,
    }


def _model() -> dict[str, Any]:
    return {"id": MODEL, "object": "model", "created": 0, "owned_by": "kinet"}


def _chunk(name: str, delta: Mapping[str, Any], end: str | None = None) -> dict[str, Any]:
    return {
        "id": name,
        "object": "chat.completion.chunk",
        "created": int(time.time()),
        "model": MODEL,
        "choices": [{"index": 0, "delta": dict(delta), "finish_reason": end}],
    }


def _whole(reply: Reply, usage: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    if reply.calls:
        message["tool_calls"] = _wire_calls(reply)
    end = "tool_calls" if reply.calls else "stop"
    return {
        "id": f"chatcmpl-tour-{secrets.token_hex(6)}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": end}],
        "usage": usage,
    }


async def _send_event(writer: asyncio.StreamWriter, value: Mapping[str, Any]) -> None:
    await _send_chunk(writer, f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode())


async def _send_chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(b"%x\r\n%s\r\n" % (len(data), data))
    await writer.drain()


async def _send_error(writer: asyncio.StreamWriter, status: int, message: str) -> None:
    error = {"message": message, "type": "invalid_request_error", "code": None}
    await _send_json(writer, status, {"error": error})


async def _send_json(writer: asyncio.StreamWriter, status: int, value: object) -> None:
    body = json.dumps(value, ensure_ascii=False).encode()
    writer.write(
        f"HTTP/1.1 {status} {_REASONS[status]}\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\n\r\n".encode()
    )
    with contextlib.suppress(ConnectionError):
        await writer.drain()
        writer.write(body)
        await writer.drain()
