"""The window's loop and a killed program: servers mind neither."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from mcp_kit import ODD, is_alive

ROOT = Path(__file__).resolve().parents[2]

CALLING = """
import asyncio, json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from mcp_kit import Kit, SESSION, odd

async def main():
    kit = Kit(Path(sys.argv[2]))
    try:
        standing = await kit.start(odd=odd("good"), bad=odd("exits"))
        output = await kit.call("odd__echo", text="through this loop")
        waiting = asyncio.ensure_future(kit.call("odd__wait"))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        told = [output.content, waiting.cancelled(), type(asyncio.get_running_loop()).__module__]
        print(json.dumps([*told, dict(standing.failed)]))
    finally:
        await kit.end()
"""
PLAIN = CALLING + "asyncio.run(main())"
QT = (
    CALLING
    + """
from PySide6.QtCore import QCoreApplication
import qasync
app = QCoreApplication([])
with qasync.QEventLoop(app) as loop:
    loop.run_until_complete(main())
"""
)


def ran(code: str, folder: Path) -> list[object]:
    done = subprocess.run(
        [sys.executable, "-c", code, str(ODD.parent), str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"},
    )
    assert done.returncode == 0, done.stderr
    told: list[object] = json.loads(done.stdout.splitlines()[-1])
    return told


def test_servers_are_asked_from_a_plain_loop_and_from_that_of_the_window(tmp_path: Path) -> None:
    failed = {"bad": "It ended before it was ready (exit code 3)."}
    plain, qt = ran(PLAIN, tmp_path), ran(QT, tmp_path)
    assert plain[:2] == qt[:2] == ["through this loop", True]
    assert plain[3] == qt[3] == failed
    assert str(qt[2]).startswith("qasync")


KILLED = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from mcp_kit import Kit, odd

async def main():
    kit = Kit(Path(sys.argv[2]))
    await kit.start(odd=odd("stubborn", Path(sys.argv[2]) / "notes"))
    print("ready", flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


def test_a_killed_program_leaves_no_server_behind(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(ODD.parent), str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        words = (tmp_path / "notes").read_text().split()
        pids = [int(word) for word in words if word.isdigit()]
        assert len(pids) == 2
        assert all(is_alive(pid) for pid in pids)
        os.kill(program.pid, signal.SIGKILL)
    until = time.monotonic() + 10
    while any(is_alive(pid) for pid in pids) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(is_alive(pid) for pid in pids)
