"""The window while a folder of 10,000 files is looked over for the first time: its longest stop.

Run as `python -m tests.bench.bench_first_look [FILES]`; ends with 1 if the window ever stood longer
than 50 ms. The window types, scrolls and draws all the while, as it would in a running turn.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QObject, QTimer
from PySide6.QtWidgets import QPlainTextEdit

from kinet.app import create_application
from kinet.engine.base import JournalCall
from kinet.workspace.journal import Journal

_LIMIT_S = 0.05
_BEAT_MS = 5


class _Window(QObject):
    """Writes and draws with each beat, and notes how late each came."""

    def __init__(self) -> None:
        super().__init__()
        self.late: list[float] = []
        self._expected = 0.0
        self._count = 0
        self.edit = QPlainTextEdit()
        self.edit.resize(900, 700)
        self.edit.show()
        self.timer = QTimer(self)
        self.timer.setInterval(_BEAT_MS)
        self.timer.timeout.connect(self._beat)
        self.timer.start()

    def _beat(self) -> None:
        now = time.monotonic()
        if self._expected:
            self.late.append(max(0.0, now - self._expected))
        self._count += 1
        self.edit.appendPlainText(f"line {self._count} " + "word " * 12)
        if self._count % 200 == 0:
            self.edit.clear()
        self.edit.viewport().repaint()
        self._expected = time.monotonic() + _BEAT_MS / 1000


def main(files: int) -> int:
    """Prints one line of figures."""
    create_application()
    window = _Window()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "project"
        for number in range(files):
            place = folder / f"d{number % 100}"
            place.mkdir(parents=True, exist_ok=True)
            (place / f"f{number}").write_text(f"line {number}\n" * 50)
        _turn(lambda: time.sleep(1.0))
        idle, window.late = window.late, []
        journal = Journal(Path(name) / "home")
        call = JournalCall("s", "t", "c", "shell", {"command": "x"}, folder)

        def look() -> None:
            asyncio.run(journal.after(asyncio.run(journal.before(call))))

        seconds = _turn(look)
        late = window.late
    line = {
        "bench": "longest stop of the window in a first look, s", "value": round(max(late), 4),
        "limit": _LIMIT_S, "pass": max(late) <= _LIMIT_S, "files": files,
        "p99": round(statistics.quantiles(late, n=100)[98], 4), "idle": round(max(idle), 4),
        "look_s": round(seconds, 2),
    }  # fmt: skip
    print(json.dumps(line))
    return 0 if line["pass"] else 1


def _turn(work: Callable[[], object]) -> float:
    """Turns the loop while `work` runs in a thread; how long it took."""
    done = threading.Event()

    def run() -> None:
        work()
        done.set()

    began = time.monotonic()
    threading.Thread(target=run, daemon=True).start()
    loop = QEventLoop()
    check = QTimer()
    check.setInterval(20)
    check.timeout.connect(lambda: loop.quit() if done.is_set() else None)
    check.start()
    loop.exec()
    return time.monotonic() - began


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
