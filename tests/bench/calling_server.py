"""A model server in a process of its own that keeps its connections and asks for a tool each time.

It speaks every protocol, by the address it is asked at. It prints its port, asks for TOOL (look or
read_file) STEPS times, each time with other arguments, and ends with a text.

    python tests/bench/calling_server.py STEPS TOOL
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.support.replies import Reply, asks_for, says
from tests.support.wire_forms import anthropic_stream, openai_stream
from tests.support.wire_responses import responses_stream


@contextmanager
def served(steps: int, tool: str) -> Iterator[str]:
    """Starts the server for a run of a bench; gives its address."""
    command = [sys.executable, __file__, str(steps), tool]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.kill()


async def serve(steps: int, tool: str) -> None:
    """Serves until the process is ended."""
    numbers = itertools.count()

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
                length = head.partition("content-length:")[2].split("\r\n")[0]
                await reader.readexactly(int(length or 0))
                number = next(numbers)
                reply = _call(tool, number) if number < steps else says("x")
                writer.write(_answer(head.split(" ")[1], reply))
                await writer.drain()
        writer.close()

    # A limit that a head with its body, which comes in one piece, does not meet.
    server = await asyncio.start_server(connection, "127.0.0.1", 0, limit=4 * 1024 * 1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def _call(tool: str, number: int) -> Reply:
    if tool == "look":
        return asks_for("look", word=str(number))
    return asks_for("read_file", path="a.txt", limit=number + 1)


def _answer(path: str, reply: Reply) -> bytes:
    pieces = b"".join(_stream(path, reply))
    head = (
        "HTTP/1.1 200 OK\r\n"
        f"content-type: {'application/x-ndjson' if '/api/' in path else 'text/event-stream'}\r\n"
        f"content-length: {len(pieces)}\r\n\r\n"
    )
    return head.encode() + pieces


def _stream(path: str, reply: Reply) -> Iterable[bytes]:
    # Few, so that nothing is compacted.
    reply = reply.counting(1_000)
    if "/api/" in path:
        return _ollama_lines(reply)
    forms = {"messages": anthropic_stream, "responses": responses_stream}
    return forms.get(path.rpartition("/")[2], openai_stream)(reply, 0)


def _ollama_lines(reply: Reply) -> Iterator[bytes]:
    message: dict[str, object] = {"role": "assistant", "content": reply.text}
    if reply.calls:
        calls = [
            {"function": {"name": call.name, "arguments": json.loads(call.arguments)}}
            for call in reply.calls
        ]
        message["tool_calls"] = calls
    counts = {"prompt_eval_count": 1_000, "eval_count": 5}
    for line in ({"message": message, "done": False}, {"done": True, "done_reason": "stop"}):
        yield (
            json.dumps({"model": "m", **line, **(counts if line["done"] else {})}).encode() + b"\n"
        )


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), sys.argv[2]))
