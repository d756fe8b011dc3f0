"""T7 and T10: 100,000 pieces at full speed in the window's loop, beside plain asyncio.

A process of its own sends the pieces over HTTP; the same provider reads them once in plain asyncio
without a window, once in Qt's loop with a window on screen that paints. Prints {value, limit,
pass}: the ratio of the times (limit 1.5), and the longest time in which the window's timer did not
come (limit 50 ms): in processor time of its thread, and by the clock, which on a busy machine
counts the turns of others too. Exits 1 on a miss.

    python tests/bench/bench_flood.py [PIECES]
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = str(Path(__file__).resolve().parents[2])
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
PIECE = b'data: {"choices":[{"index":0,"delta":{"content":"word "}}]}\n\n'
END = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
RUNS = 3


async def serve(pieces: int) -> None:
    """Prints its port, then answers every request with the pieces, as fast as they are taken."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD)
        for _ in range(0, pieces, 50):
            writer.write(PIECE * 50)
            await writer.drain()
        writer.write(END)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def read(port: int) -> float:
    """Seconds that one answer takes."""
    from kinet.core.messages import Message
    from kinet.core.profile import ModelProfile
    from kinet.providers.base import ModelRequest
    from kinet.providers.catalog import create_provider

    provider = create_provider(ModelProfile("b", f"http://127.0.0.1:{port}/v1", "b"), None)
    began = time.perf_counter()
    async for _ in provider.stream(ModelRequest(messages=(Message("user", "Talk"),))):
        pass
    seconds = time.perf_counter() - began
    await provider.close()
    return seconds


def in_the_window(port: int, runs: int) -> tuple[list[float], list[float], list[float]]:
    """(seconds of each answer, longest gap of the window's timer in each, in ms: in processor time
    of this thread and by the clock)."""
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication, QLabel

    from kinet.ui.kit.event_loop import EventLoop

    app = QApplication(sys.argv[:1])
    label = QLabel("0")
    label.show()
    beats: list[tuple[float, float]] = []

    def now() -> tuple[float, float]:
        return time.thread_time(), time.perf_counter()

    timer = QTimer()
    timer.setInterval(10)

    def beat() -> None:
        beats.append(now())
        label.setText(str(len(beats)))

    timer.timeout.connect(beat)
    timer.start()
    loop = EventLoop(app)
    asyncio.set_event_loop(loop)
    seconds, gaps, by_clock = [], [], []
    for _ in range(runs):
        beats.clear()
        beats.append(now())
        seconds.append(loop.run_until_complete(read(port)))
        beats.append(now())
        pairs = list(itertools.pairwise(beats))
        gaps.append(max(after[0] - before[0] for before, after in pairs) * 1000)
        by_clock.append(max(after[1] - before[1] for before, after in pairs) * 1000)
    loop.close()
    return seconds, gaps, by_clock


def report(name: str, raw: list[float], limit: float) -> bool:
    """Prints one figure, the median; True if it holds."""
    value = round(statistics.median(raw), 3)
    shown = {"name": name, "value": value, "limit": limit, "pass": value <= limit}
    print(json.dumps({**shown, "raw": [round(item, 3) for item in raw]}))
    return value <= limit


def main() -> int:
    """Measures and judges."""
    sys.path.insert(0, ROOT)
    if sys.argv[1:2] == ["--serve"]:
        asyncio.run(serve(int(sys.argv[2])))
    pieces = sys.argv[1] if len(sys.argv) > 1 else "100000"
    command = [sys.executable, __file__, "--serve", pieces]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        try:
            plain = [asyncio.run(read(port)) for _ in range(RUNS)]
            window, gaps, by_clock = in_the_window(port, RUNS)
        finally:
            server.kill()
    ratios = [ours / theirs for ours, theirs in zip(window, plain, strict=True)]
    good = [
        report("T7 in the window to plain asyncio", ratios, 1.5),
        report("T7 longest stall, ms", gaps, 50.0),
        report("T7 longest stall by the clock, ms", by_clock, 50.0),
    ]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
