"""Replays wire cases over loopback HTTP, byte for byte and pause for pause.

A request to any path below /case/<id>/ gets the answer recorded in that case; every request is kept
in `log`.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import re
import socket
import struct
import sys
import time
from email.utils import formatdate
from http import HTTPStatus
from pathlib import Path

MIN_GAP_S = 0.003  # pause between pieces, so that each one travels by itself
RESET_GAP_S = 0.06  # lets the peer read what was sent before the reset
STALL_S = 60.0  # how long a stalled connection stays open
LINGER = "hh" if sys.platform == "win32" else "ii"

OK_OPENAI = (
    'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":'
    '[{"index":0,"delta":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],'
    '"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}\n\ndata: [DONE]\n\n'
)
OK_ANTHROPIC = "".join(
    f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
    for event in (
        {
            "type": "message_start",
            "message": {
                "id": "m",
                "type": "message",
                "role": "assistant",
                "model": "m",
                "content": [],
                "stop_reason": None,
                "stop_sequence": None,
                "usage": {"input_tokens": 1, "output_tokens": 1},
            },
        },
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "ok"}},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": 1},
        },
        {"type": "message_stop"},
    )
)


def load_cases(*directories: str | Path) -> dict[str, dict]:
    """Read every case file below the given directories."""
    cases: dict[str, dict] = {}
    for directory in directories:
        for path in sorted(Path(directory).rglob("*.json")):
            case = json.loads(path.read_text(encoding="utf-8"))
            if isinstance(case, dict) and "id" in case:
                cases[case["id"]] = case
    return cases


def piece_bytes(piece: dict) -> bytes:
    """The bytes of one body piece."""
    if "b64" in piece:
        return base64.b64decode(piece["b64"])
    return piece["text"].encode("utf-8")


def fill(value: str) -> str:
    """Replace {{http_date+N}} by the date N seconds from now."""
    return re.sub(
        r"\{\{http_date([+-]\d+)\}\}",
        lambda found: formatdate(time.time() + int(found[1]), usegmt=True),
        value,
    )


def default_answer(protocol: str) -> dict:
    """A plain successful stream, for cases that only look at the request."""
    text = OK_ANTHROPIC if protocol == "anthropic" else OK_OPENAI
    return {
        "status": 200,
        "headers": {"content-type": "text/event-stream"},
        "body_chunks": [{"text": text}],
        "close": "clean",
    }


class ReplayServer:
    """A loopback HTTP/1.1 server that answers from recorded cases."""

    def __init__(self, cases: dict[str, dict]):
        self.cases = cases
        self.log: dict[str, list[dict]] = {}
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task] = set()

    async def start(self) -> str:
        """Listen and return the base URL."""
        self._server = await asyncio.start_server(self._connection, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        """Stop listening and end the connections that are still open."""
        if self._server:
            self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def __aenter__(self) -> str:
        return await self.start()

    async def __aexit__(self, *exc_info) -> None:
        await self.stop()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            request = await self._read_request(reader)
            if request:
                await self._answer(request, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            if not writer.is_closing():
                writer.close()

    @staticmethod
    async def _read_request(reader: asyncio.StreamReader) -> dict | None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, target, _ = head[0].split(" ", 2)
        headers = {}
        for line in head[1:]:
            name, colon, value = line.partition(":")
            if colon:
                headers[name.strip().lower()] = value.strip()
        body = b""
        if headers.get("transfer-encoding", "").lower() == "chunked":
            while size := int((await reader.readline()).split(b";")[0], 16):
                body += await reader.readexactly(size)
                await reader.readline()
        elif length := int(headers.get("content-length", 0)):
            body = await reader.readexactly(length)
        try:
            parsed = json.loads(body) if body else None
        except ValueError:
            parsed = body.decode("utf-8", "replace")
        return {"method": method, "target": target, "headers": headers, "body": parsed}

    async def _answer(self, request: dict, reader, writer) -> None:
        target = request["target"]
        found = re.match(r"/case/([^/?]+)(.*)$", target)
        if not found or found[1] not in self.cases:
            raise AssertionError(f"no case at {target}")
        case, seen = self.cases[found[1]], self.log.setdefault(found[1], [])
        seen.append(
            {
                "method": request["method"],
                "path": found[2],
                "headers": request["headers"],
                "body": request["body"],
            }
        )
        answer = case.get("http") or default_answer(case.get("protocol", "openai"))
        if isinstance(answer, list):  # one answer per request, the last one repeats
            answer = answer[min(len(seen), len(answer)) - 1]
        await self._replay(answer, reader, writer)
        return

    async def _replay(self, answer: dict, reader, writer) -> None:
        pieces = [
            (piece_bytes(p), p.get("delay_ms", 0) / 1000) for p in answer.get("body_chunks", [])
        ]
        close, framing = answer.get("close", "clean"), answer.get("framing", "chunked")
        if answer["status"]:  # status 0: nothing at all is sent back
            writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            headers = {name: fill(str(value)) for name, value in answer.get("headers", {}).items()}
            if framing == "chunked":
                headers["transfer-encoding"] = "chunked"
            elif framing == "length":
                headers.setdefault("content-length", str(sum(len(data) for data, _ in pieces)))
            headers["connection"] = "close"
            reason = (
                HTTPStatus(answer["status"]).phrase if answer["status"] in set(HTTPStatus) else "-"
            )
            head = [f"HTTP/1.1 {answer['status']} {reason}"]
            head += [f"{name}: {value}" for name, value in headers.items()]
            await self._send(writer, ("\r\n".join(head) + "\r\n\r\n").encode("latin-1"))
            for data, delay in pieces:
                await asyncio.sleep(max(delay, MIN_GAP_S))
                if framing == "chunked" and data:
                    data = b"%x\r\n%b\r\n" % (len(data), data)
                await self._send(writer, data)
        if close == "stall":
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(reader.read(), answer.get("stall_s", STALL_S))
        elif close == "reset":
            await asyncio.sleep(RESET_GAP_S)
            writer.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack(LINGER, 1, 0)
            )
            writer.transport.abort()
        elif close == "clean" and answer["status"] and framing == "chunked":
            await self._send(writer, b"0\r\n\r\n")
        # close "cut": the connection ends although the body has not
        if not writer.is_closing():
            writer.close()

    @staticmethod
    async def _send(writer, data: bytes) -> None:
        writer.write(data)
        await writer.drain()
