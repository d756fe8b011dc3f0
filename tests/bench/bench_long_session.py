"""A session of 100,000 messages in the real window over a real store: nothing of it stalls.

Opens it, shows its end, and does with it what people do: scroll to the top, find, outline, copy
all, zoom, theme, write it out, leave it. Prints one JSON object a line: {"name", "value", "limit",
"pass", "raw"}; exits 1 on a miss. Run it from the project's folder: python -m
tests.bench.bench_long_session [MESSAGES]; a folder in KINET_BENCH_HOME keeps the session for the
next run. Limits are for a quiet machine. A stall is the time between two beats of the loop by the
clock, or what the whole process has worked meanwhile if that is less: so neither other programs
count, nor threads that let the window turn, but a collector of garbage that stops everything does,
whatever thread it began in.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from kinet.core.completion import Usage
from kinet.core.events import (
    Event,
    MessageCompleted,
    StepFinished,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from kinet.core.messages import Message, ToolCall
from kinet.store.database import FILE_NAME, Database
from kinet.store.sessions import NewSession, SessionStore
from kinet.ui.kit import tasks
from kinet.ui.kit.tasks import spawn
from kinet.ui.look.theme import load_fonts
from kinet.ui.palette.palette import Palette
from kinet.ui.transcript.view import Transcript
from kinet.ui.window.export_desk import ExportDesk
from kinet.ui.window.settling import settle
from tests.bench.bench_transcript import memory, report
from tests.bench.bench_window import run
from tests.bench.transcript_texts import answer, prose
from tests.support.live_window import LiveWindow, live_window
from tests.support.window import until

SHORT, LONG = "short", "long"
# So many turns are saved at once.
_PORTION = 500


def turns(count: int, first: int = 0) -> list[Event]:
    """So many turns of 2.5 messages: every fourth has a step."""
    events: list[Event] = []
    for number in range(first, first + count):
        chance = random.Random(number)
        turn, call = f"t{number}", f"c{number}"
        usage = Usage(1000, 50)
        asked = Message("user", f"Question {number}: {prose(chance)}", id=turn)
        events += [TurnStarted(LONG, turn, 1.7e9), MessageCompleted(asked)]
        if number % 4 == 0:
            arguments = {"command": f"ls {number}"}
            calling = Message("assistant", "", (ToolCall(call, "shell", str(arguments)),))
            output = "".join(f"line {line} of {number}\n" for line in range(20))
            events += [
                MessageCompleted(calling, usage=usage, cost=0.001),
                ToolStarted(call, "shell", arguments),
                ToolFinished(call, "shell", False, "20 lines", output, output, {}, 0.1),
                StepFinished(usage, 0.001, 0, 1.0),
            ]
        said = Message("assistant", answer(chance.choice((200, 400, 900)), number))
        events += [
            MessageCompleted(said, usage=usage, cost=0.001),
            StepFinished(usage, 0.001, 0, 1.0),
            TurnFinished("completed", duration_s=2.0, at=1.7e9),
        ]
    return events


def fill(home: Path, messages: int) -> None:
    """A data folder with a short session and a long one."""
    store = SessionStore(Database(home / FILE_NAME))
    store.create(NewSession(LONG, title="The long one")).result()
    for first in range(0, messages * 2 // 5, _PORTION):
        store.put(LONG, turns(_PORTION, first)).result()
    store.create(NewSession(SHORT, title="The short one")).result()
    store.put(SHORT, turns(2)).result()
    store.database.close()


class Beats:
    """The loop's beats of 5 ms: the longest pause of each act."""

    def __init__(self) -> None:
        self.worst = (0.0, 0.0, 0.0)
        self._task = asyncio.ensure_future(self._watch())

    async def _watch(self) -> None:
        while True:
            began = time.perf_counter(), time.process_time(), time.thread_time()
            await asyncio.sleep(0.005)
            ended = time.perf_counter(), time.process_time(), time.thread_time()
            wall, process, thread = (1000 * (b - a) for a, b in zip(began, ended, strict=True))
            self.worst = max(self.worst, (min(wall, process), wall, thread))

    def take(self) -> tuple[float, float, float]:
        """(stall, by the clock, the thread's own work) of the longest pause since the last call."""
        worst, self.worst = self.worst, (0.0, 0.0, 0.0)
        return worst

    def end(self) -> None:
        self._task.cancel()


class Reader:
    """The person in front of the window."""

    def __init__(self, live: LiveWindow, beats: Beats) -> None:
        self.live, self.beats = live, beats
        self.passed = True

    @property
    def transcript(self) -> Any:
        return self.live.panel.transcript

    async def do(self, name: str, act: Callable[[], object], done: Callable[[], object]) -> float:
        """One act until `done`; seconds until then."""
        await asyncio.sleep(0.05)
        self.beats.take()
        began = time.perf_counter()
        act()
        await until(done, 240)
        spent = time.perf_counter() - began
        await until(self.transcript.is_idle, 240)
        await asyncio.sleep(0.05)
        self.tell(name, spent)
        return spent

    def tell(self, name: str, spent: float) -> None:
        stall, wall, thread = self.beats.take()
        note = {"s": round(spent, 2), "clock": round(wall), "thread": round(thread)}
        print(name, note, f"{memory():.0f} MB", file=sys.stderr)
        self.passed &= report(f"LONG {name}, longest stall, ms", [stall], 100.0)


async def use(home: Path, out: Path, messages: int) -> bool:
    """The whole use; False if a limit was missed."""
    async with live_window(home) as live:
        # As the program does after its start.
        settle(live.window.desk, asyncio.get_running_loop())  # type: ignore[arg-type]
        await asyncio.sleep(0.5)
        beats = Beats()
        person = Reader(live, beats)
        choose = live.window.parts.sidebar.session_chosen.emit
        await person.do("short session", lambda: choose(SHORT), lambda: _is_whole(live, SHORT))
        await _open(person, choose, messages)
        await _look_about(person)
        await _take_out(person, out, messages)
        await _leave(person, choose)
        beats.end()
        return person.passed


async def _open(person: Reader, choose: Callable[[str], None], messages: int) -> None:
    live = person.live
    last = f"Question {messages * 2 // 5 - 1}:"
    began = time.perf_counter()
    await asyncio.sleep(0.05)
    person.beats.take()
    choose(LONG)
    await until(lambda: _shows(live, last), 240)
    person.passed &= report(
        "LONG seconds until its end is on screen", [time.perf_counter() - began], 0.5
    )
    await until(lambda: _is_whole(live, LONG), 240)
    await asyncio.sleep(0.5)
    person.tell("open", time.perf_counter() - began)


async def _look_about(person: Reader) -> None:
    live, window, transcript = person.live, person.live.window, person.transcript
    bar = transcript.verticalScrollBar()
    for name, part in (("top", 0.0), ("middle", 0.5), ("end", 1.0)):
        value = int(bar.maximum() * part)
        await person.do(name, lambda value=value: bar.setValue(value), lambda: True)
    found: list[tuple[int, int]] = []
    transcript.found.connect(lambda number, of: found.append((number, of)))
    for name, count in (("find", 1), ("find next", 2)):
        act = lambda: _find(transcript, "parser", found)  # noqa: E731
        await person.do(name, act, lambda count=count: len(found) >= count)
    await person.do("end of find", transcript.clear_find, lambda: True)
    await person.do("outline", window.core.keys.actions["outline"].trigger, lambda: _listed(live))
    outline = window.findChild(Palette, "outline")
    assert outline is not None
    await person.do("outline narrowed", lambda: outline.field.setText("question 7"), lambda: True)
    await person.do("outline closed", outline.close_palette, lambda: True)
    for zoom in (150, 100):
        await person.do(f"zoom {zoom}", lambda zoom=zoom: window.look.set_zoom(zoom), lambda: True)
    await person.do("theme", lambda: window.look.choose("dark"), lambda: True)
    await person.do("resize", lambda: window.resize(1000, 700), lambda: True)
    await person.do("step", lambda: transcript.open_step(-1), lambda: True)


async def _take_out(person: Reader, out: Path, messages: int) -> None:
    live, transcript = person.live, person.transcript
    clipboard = QGuiApplication.clipboard()
    await person.do("select all", transcript.selection.all, lambda: True)
    await person.do("copy all", transcript.copy, lambda: transcript.copier.is_idle)
    questions = clipboard.text().count("Question ")
    person.passed &= report(
        "LONG questions missing in the copy", [messages * 2 // 5 - questions], 0
    )
    transcript.selection.clear()
    session = live.panel.session
    assert session is not None
    spoken = tuple(session.conversation.messages)
    for form in ("md", "json"):
        path = out / f"talk.{form}"
        export = ExportDesk(live.window.parts)._write(path, live.panel.title, spoken)
        await person.do(f"export {form}", _starter(export), lambda path=path: _is_done(path))


def _starter(work: Coroutine[Any, Any, None]) -> Callable[[], object]:
    return lambda: spawn(work, "export")


async def _leave(person: Reader, choose: Callable[[str], None]) -> None:
    desk = person.live.window.desk
    panel = person.live.panel
    await person.do("away", lambda: choose(SHORT), lambda: _is_whole(person.live, SHORT))
    await person.do("let go", lambda: desk._drop(panel), lambda: True)
    again = lambda: _is_whole(person.live, LONG)  # noqa: E731
    await person.do("open again", lambda: choose(LONG), again)


def _listed(live: LiveWindow) -> bool:
    outline = live.window.findChild(Palette, "outline")
    return outline is not None and "result" in outline.count.text()


def _is_done(path: Path) -> bool:
    return path.exists() and not [t for t in tasks.running() if t.get_name() == "export"]


def _find(transcript: Any, text: str, found: list[tuple[int, int]]) -> None:
    answer = transcript.find_next(text)
    if answer is not None:
        found.append(answer)


def _is_whole(live: LiveWindow, session_id: str) -> bool:
    """All of the session is there, and nothing is left to do for it."""
    return live.panel.session_id == session_id and live.panel.transcript.is_idle()


def _shows(live: LiveWindow, last: str) -> bool:
    """The last screen of the long session is painted."""
    for transcript in live.window.findChildren(Transcript):
        seen = transcript.stage.flow.entries[-12:]
        if transcript.isVisible() and any(last in entry.markdown() for entry in seen):
            return not transcript.stage._unpainted
    return False


def main(messages: int) -> int:
    """Runs the bench; 1 if a limit was missed."""
    application = QApplication([])
    application.setQuitOnLastWindowClosed(False)
    load_fonts()
    with tempfile.TemporaryDirectory() as place:
        home = Path(os.environ.get("KINET_BENCH_HOME", place)) / "home"
        if not (home / FILE_NAME).exists():
            fill(home, messages)
        passed = run(use(home, Path(place), messages))
    return 0 if passed else 1


if __name__ == "__main__":
    code = main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
    # Qt's widgets go in no good order at the end of the process.
    os._exit(code)
