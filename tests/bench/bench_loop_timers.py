"""T11: how many timers the window's loop holds after a stream of 100,000 pieces over HTTP.

Prints one JSON object a line: {"name", "value", "limit", "pass", "raw"}; exits 1 on a miss. The
stream is read through the same provider as in the program, inside Qt's loop.

    python tests/bench/bench_loop_timers.py [PIECES]
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from kinet.core.messages import Message
from kinet.core.profile import ModelProfile
from kinet.providers.base import ModelRequest
from kinet.providers.catalog import create_provider
from kinet.ui.kit.event_loop import EventLoop

PIECE = b'data: {"choices":[{"index":0,"delta":{"content":"word "}}]}\n\n'
END = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


class Firehose(threading.Thread):
    """Sends the pieces one write at a time, as fast as they are taken."""

    def __init__(self, pieces: int) -> None:
        super().__init__(daemon=True)
        self.pieces, self.port = pieces, 0
        self.started = threading.Event()

    def run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self.started.set()
        await server.serve_forever()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD)
        for number in range(self.pieces):
            writer.write(PIECE)
            if number % 4 == 0:
                await writer.drain()
                await asyncio.sleep(0)
        writer.write(END)
        await writer.drain()
        writer.close()


async def read(loop: EventLoop, port: int) -> tuple[int, int]:
    """(pieces read, most timers held on the way)."""
    profile = ModelProfile("bench", f"http://127.0.0.1:{port}/v1", "bench")
    provider = create_provider(profile, None)
    request = ModelRequest(messages=(Message("user", "Talk"),))
    count = most = 0
    async for _ in provider.stream(request):
        count += 1
        if count % 500 == 0:
            most = max(most, loop.live_timers)
            # A coroutine that is always ready would starve the window.
            await asyncio.sleep(0)
    await provider.close()
    return count, max(most, loop.live_timers)


def main() -> int:
    """Measures and judges."""
    pieces = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    hose = Firehose(pieces)
    hose.start()
    hose.started.wait(10)
    app = QApplication(sys.argv[:1])
    loop = EventLoop(app)
    asyncio.set_event_loop(loop)
    began = time.perf_counter()
    count, most = loop.run_until_complete(read(loop, hose.port))
    seconds = time.perf_counter() - began
    loop.close()
    raw = {"items": count, "seconds": round(seconds, 2)}
    good = most <= 100
    line = {"name": "T11 live timers", "value": most, "limit": 100, "pass": good, "raw": raw}
    print(json.dumps(line))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
