"""T20: Stop in the real window closes the connection and stills the screen; one is kept otherwise.

The server runs in a process of its own, so that its clock does not wait for the window. Prints one
JSON object a line: {"name", "value", "limit", "pass", "raw"}; exits 1 on a miss. Run it from the
project's folder: python -m tests.bench.bench_stop.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from kinet.ui.look.theme import load_fonts
from tests.bench.bench_transcript import report
from tests.bench.bench_window import run
from tests.support.live_window import live_window
from tests.support.window import until

STOPS = 5
ASKS = 5


async def _asks(base: str) -> int:
    """How many connections some turns of one session take."""
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        async with live_window(home, server_url=f"{base}/v1", folder=home) as live:
            for number in range(ASKS):
                await live.ask(f"Question {number}")
            return int(noted(base)["connections"])


async def _stops(base: str) -> tuple[list[float], list[float], list[float]]:
    """Milliseconds from Stop to the closed connection and to a screen that stands still, and what
    the window's thread worked in the latter: on a busy machine the rest is waiting."""
    pressed, still, work = [], [], []
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        async with live_window(home, server_url=f"{base}/v1", folder=home) as live:
            await live.ask("Hello.")
            for number in range(STOPS):
                before = len(live.text)
                await live.say("never end")
                await until(lambda before=before: len(live.text) > before + 200)
                spent = time.thread_time()
                pressed.append(time.monotonic())
                live.panel.stop()
                while live.panel.runner.running or not live.panel.transcript.is_idle():  # noqa: ASYNC110
                    await asyncio.sleep(0.001)
                still.append((time.monotonic() - pressed[-1]) * 1000)
                work.append((time.thread_time() - spent) * 1000)
                await until(lambda n=number: len(noted(base)["closed"]) > n)
    closed = noted(base)["closed"]
    return [(b - a) * 1000 for a, b in zip(pressed, closed, strict=True)], still, work


def noted(base: str) -> dict[str, Any]:
    """What the server has noted so far."""
    with urllib.request.urlopen(f"{base}/noted", timeout=5) as answer:
        return json.loads(answer.read())


def main() -> int:
    """Runs the bench; 1 if a limit was missed."""
    application = QApplication([])
    application.setQuitOnLastWindowClosed(False)
    load_fonts()
    program = str(Path(__file__).with_name("keeping_server.py"))
    with subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        base = f"http://127.0.0.1:{server.stdout.readline().strip()}"
        try:
            connections = run(_asks(base))
            closing, still, work = run(_stops(base))
        finally:
            server.kill()
    passed = report("T20 connections for the requests of a session", [connections], 1)
    passed &= report("T20 Stop to the closed connection, worst, ms", [max(closing)], 50.0)
    passed &= report("T20 Stop to a screen that stands still, worst, ms", [max(still)], 100.0)
    print(json.dumps({"closing": closing, "still": still, "work of the window": work}))
    return 0 if passed else 1


if __name__ == "__main__":
    code = main()
    # Qt's widgets go in no good order at the end of the process.
    os._exit(code)
