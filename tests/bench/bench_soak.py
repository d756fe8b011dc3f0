"""An hour of use without its pauses: 100 turns, 20 sessions; nothing grows, stalls or is left.

Streams with steps and thinking, switches sessions, scrolls, resizes, searches, zooms, selects and
copies, opens steps. Prints one JSON object a line: {"name", "value", "limit", "pass", "raw"};
exits 1 on a miss. Run it from the project's folder: python -m tests.bench.bench_soak [TURNS].
Stalls are the thread's own work between two beats, so that a busy machine does not count.
"""

from __future__ import annotations

import asyncio
import gc
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QTimer, qInstallMessageHandler
from PySide6.QtWidgets import QApplication, QWidget

from kinet.core.completion import Usage
from kinet.core.events import (
    Event,
    MessageCompleted,
    StepFinished,
    StepStarted,
    TextDelta,
    ThinkingDelta,
    ToolFinished,
    ToolStarted,
    TurnFinished,
)
from kinet.core.messages import Message, ToolCall
from kinet.ui.kit import tasks
from kinet.ui.look.theme import load_fonts
from kinet.ui.main_window import MainWindow
from kinet.ui.window.settling import settle
from tests.bench.bench_transcript import memory, report
from tests.bench.bench_window import run
from tests.bench.transcript_texts import answer
from tests.support.fake_program import FakeProgram
from tests.support.shell_window import shell_window
from tests.support.window import until

SESSIONS = 20
# The offscreen platform says this of every window.
_HARMLESS = "This plugin does not support propagateSizeHints()"


async def script(session: Any, text: str, approver: Any) -> AsyncIterator[Event]:
    """A turn: thinking, a step with long output, an answer in pieces."""
    number = int(text.rpartition(" ")[2])
    call = f"c{number}"
    yield StepStarted(1)
    yield ThinkingDelta("Let me see what there is. " * 8)
    asked = Message("assistant", "", (ToolCall(call, "shell"),), reasoning="Let me see.")
    yield MessageCompleted(asked, usage=Usage(1000, 50, 0), cost=0.002, thought_s=1.0)
    yield ToolStarted(call, "shell", {"command": f"ls {number}"})
    output = "".join(f"line {line} of {number}\n" for line in range(400))
    yield ToolFinished(call, "shell", False, "400 lines", output, output[:2000], {}, 0.1)
    yield StepFinished(Usage(1000, 50), 0.002, 0, 1.0)
    yield StepStarted(2)
    whole = answer(4000, number % 50)
    for start in range(0, len(whole), 60):
        yield TextDelta(whole[start : start + 60])
        await asyncio.sleep(0.001)
    yield MessageCompleted(Message("assistant", whole), usage=Usage(1200, 900), cost=0.01)
    yield StepFinished(Usage(1200, 900), 0.01, 900, 1.0)
    yield TurnFinished("completed", duration_s=1.0)


class Hour:
    """The person: each act by itself, and how long the thread worked on it and after it."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window
        self.longest: dict[str, float] = {}

    async def do(self, name: str, act: Callable[[], object]) -> None:
        """One act, then a moment for what follows from it."""
        began = time.thread_time()
        act()
        spent = (time.thread_time() - began) * 1000
        self.longest[name] = max(self.longest.get(name, 0.0), spent)
        await asyncio.sleep(0.02)

    async def turn(self, number: int) -> None:
        """One turn and what a person does meanwhile and afterwards."""
        window, desk = self.window, self.window.desk
        if number < SESSIONS:
            await self.do("new", desk.new)
        await self.do("send", lambda: window.panel.send(f"Turn {number}"))
        panel = window.panel
        wide, high = 1000 + number % 7 * 60, 700 + number % 3 * 50
        await self.do("resize", lambda: window.resize(wide, high))
        bar = panel.transcript.verticalScrollBar()
        await self.do("scroll", lambda: bar.setValue(number * 37 % 2000))
        if number % 4 == 3:
            # Reads elsewhere while this one writes.
            await self.do("switch", lambda: desk.step(1))
        await until(lambda: not panel.runner.running, 120)
        transcript = window.panel.transcript
        await self.do("find", lambda: transcript.find_next("stream"))
        await self.do("find in steps", lambda: transcript.find_next("line 321", backwards=True))
        await self.do("clear", transcript.clear_find)
        await self.do("select", transcript.selection.all)
        await self.do("copy", lambda: transcript.copy(plain=bool(number % 2)))
        await self.do("unselect", transcript.selection.clear)
        await self.do("step", lambda: transcript.open_step(-1))
        await self.do("zoom", lambda: window.look.set_zoom((80, 100, 120, 150)[number % 4]))
        if number % 10 == 9:
            theme = "dark" if number % 20 == 9 else "light"
            await self.do("theme", lambda: window.look.choose(theme))
        await self.do("switch", lambda: desk.step(1))
        await until(lambda: window.panel.transcript.is_idle(), 120)


# Turns until everything was done once.
_ROUND = 20


async def _watch(stalls: list[float]) -> None:
    """Notes how much the thread has worked between two beats of 5 ms."""
    while True:
        began = time.thread_time()
        await asyncio.sleep(0.005)
        stalls.append((time.thread_time() - began) * 1000)


async def hour(turns: int, sizes: list[float], stalls: list[float]) -> dict[str, Any]:
    """The whole use; what is left at its end, and the longest acts."""
    with tempfile.TemporaryDirectory() as place:
        program = FakeProgram(Path(place))
        program.script = script
        async with shell_window(program) as window:
            # As the program does after its start.
            settle(window.desk, asyncio.get_running_loop())  # type: ignore[arg-type]
            watch = asyncio.ensure_future(_watch(stalls))
            person = Hour(window)
            for number in range(turns):
                await person.turn(number)
                sizes.append(memory())
            watch.cancel()
            window.look.set_zoom(100)
            await asyncio.sleep(2.5)
            timers = [timer for timer in window.findChildren(QTimer) if timer.isActive()]
            left: dict[str, Any] = {"acts": person.longest}
            left["timers"] = len([t for t in timers if t.interval() < 1000])
            left["widgets"] = len(window.findChildren(QWidget))
        await asyncio.sleep(0.1)
        left["tasks"] = len(tasks.running())
        return left


def main(turns: int) -> int:
    """Runs the bench; 1 if a limit was missed."""
    application = QApplication([])
    application.setQuitOnLastWindowClosed(False)
    load_fonts()
    warnings: list[str] = []
    qInstallMessageHandler(
        lambda kind, context, text: None if text == _HARMLESS else warnings.append(text)
    )
    sizes: list[float] = []
    stalls: list[float] = []
    left = run(hour(turns, sizes, stalls))
    qInstallMessageHandler(None)
    gc.collect()
    for one in sorted(set(warnings))[:5]:
        print(one, file=sys.stderr)
    # Ten minutes of the hour are a sixth of its turns. All acts come around in 20 turns, and what
    # is on screen meanwhile makes 10 MB of difference.
    early = statistics.median(sizes[turns // 6 :][:_ROUND])
    late = statistics.median(sizes[-_ROUND:])
    print({"MB": [round(size) for size in sizes[:: max(1, turns // 20)]]}, file=sys.stderr)
    acts = sorted(left.pop("acts").items(), key=lambda item: -item[1])
    print({name: round(value) for name, value in acts}, file=sys.stderr)
    print({"longest": [round(s) for s in sorted(stalls)[-8:]], **left}, file=sys.stderr)
    passed = report("SOAK memory at the end against ten minutes, ratio", [late / early], 1.05)
    passed &= report("SOAK longest work in one turn of the loop, ms", [max(stalls)], 100.0)
    passed &= report("SOAK warnings of Qt", [len(warnings)], 0)
    passed &= report("SOAK fast timers left", [left["timers"]], 0)
    return 0 if report("SOAK tasks left", [left["tasks"]], 0) and passed else 1


if __name__ == "__main__":
    code = main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
    # Qt's widgets go in no good order at the end of the process.
    os._exit(code)
