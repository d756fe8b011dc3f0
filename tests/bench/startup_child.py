"""One start of a program, for `bench_startup`: prints its time stamps as JSON, then ends.

Words: `bare` (an empty QMainWindow) or `kinet` (the whole window). CLOCK_MONOTONIC seconds.
"""

from __future__ import annotations

import json
import os
import sys
import time

STAMPS: dict[str, object] = {"python": time.monotonic()}
HEAVY = ("asyncio", "qasync", "httpx", "pydantic", "keyring", "markdown_it", "pygments", "sqlite3")


def finish() -> None:
    """Prints and leaves without the cost of an orderly end."""
    with open("/proc/self/statm") as file:
        STAMPS["memory_mb"] = int(file.read().split()[1]) * 4096 / 1e6
    print(json.dumps(STAMPS), flush=True)
    os._exit(0)


def bare() -> None:
    """The floor."""
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication, QMainWindow

    app = QApplication(sys.argv[:1])
    window = QMainWindow()
    window.resize(1200, 800)
    window.show()
    app.processEvents()
    STAMPS["paint"] = time.monotonic()
    STAMPS["loop"] = time.monotonic()
    QTimer.singleShot(3000 if "stay" in sys.argv else 0, finish)
    app.exec()


def kinet(home: str) -> None:
    """The window, through the same calls as the program."""
    from kinet.cli.arguments import build_parser

    build_parser().parse_args([])
    from pathlib import Path

    from kinet.app import create_application, first_window
    from kinet.runtime import create_runtime

    runtime = create_runtime(Path(home))
    app = create_application()
    window = first_window(runtime)
    window.show()
    app.processEvents()
    STAMPS["paint"] = time.monotonic()
    STAMPS["early"] = [name for name in HEAVY if name in sys.modules]
    import asyncio

    from PySide6.QtCore import QEvent, Qt, QTimer
    from PySide6.QtGui import QKeyEvent

    from kinet.ui.kit.event_loop import EventLoop

    loop = EventLoop(app)
    asyncio.set_event_loop(loop)
    gaps = [time.perf_counter(), 0.0]

    def tick() -> None:
        now = time.perf_counter()
        gaps[1] = max(gaps[1], now - gaps[0])
        gaps[0] = now

    async def live() -> None:
        STAMPS["loop"] = time.monotonic()
        window.begin()
        timer = QTimer()
        timer.setTimerType(Qt.TimerType.PreciseTimer)
        timer.timeout.connect(tick)
        gaps[0] = time.perf_counter()
        timer.start(2)
        await window.filled()
        STAMPS["ready"] = time.monotonic()
        await asyncio.sleep(1.0)
        STAMPS["worst_turn_ms"] = gaps[1] * 1000
        if "stay" in sys.argv:
            timer.stop()
            began = time.process_time()
            await asyncio.sleep(10.0)
            STAMPS["idle_cpu_percent"] = (time.process_time() - began) * 10
            finish()
        gaps[1], began = 0.0, time.perf_counter()
        key = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_End, Qt.KeyboardModifier.NoModifier)
        app.postEvent(window.panel.composer.edit, key)
        while not window.core.warm_up.is_done:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        STAMPS["warm_ms"] = (time.perf_counter() - began) * 1000
        await asyncio.sleep(0.5)
        STAMPS["worst_warm_turn_ms"] = gaps[1] * 1000
        finish()

    loop.run_until_complete(live())


if __name__ == "__main__":
    bare() if sys.argv[1] == "bare" else kinet(sys.argv[2])
