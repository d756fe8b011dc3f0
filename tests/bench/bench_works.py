"""The longest works of a person's common acts on the window's thread.

A window over a store of 5,000 sessions: typing into a long text, settings, palette, search in the
sidebar, a step of 5 MB, narrower and wider with 1,000 messages, from session to session, a group
of 200 steps, long code wrapped, finding in 1 MB, a zoom and a theme. Prints one JSON object a line:
{"name", "value", "limit", "pass", "raw"}; exits 1 on a miss. Run it from the project's folder:
python -m tests.bench.bench_works [WORDS], with words only the acts whose names hold one of them.
Counted is the thread's own work between two beats of the loop, the median of five times and the
first: a busy machine does not count. Beside it stands a floor of the same run, a plain text of 200
lines that is filled and painted.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit

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
from kinet.ui.look.theme import load_fonts
from kinet.ui.palette.palette import Palette
from kinet.ui.transcript.entries.steps_group import StepGroup
from kinet.ui.window.settling import settle
from tests.bench.bench_long_session import turns
from tests.bench.bench_transcript import report
from tests.bench.bench_window import run
from tests.bench.transcript_texts import answer
from tests.support.live_window import LiveWindow, live_window
from tests.support.window import until

SESSIONS, TIMES = 5_000, 5
LONG, STEPS, TEXTS = "long", "steps", "texts"
# Milliseconds; what takes longer is felt. For a quiet machine.
LIMIT = 50.0


def _steps() -> list[Event]:
    """One turn with 200 steps, the last of which printed 5 MB."""
    usage = Usage(1000, 50)
    events: list[Event] = [
        TurnStarted(STEPS, "t", 1.7e9),
        MessageCompleted(Message("user", "Do a lot", id="t")),
    ]
    for number in range(200):
        call, large = f"c{number}", number == 199
        arguments = {"command": f"ls {number}"}
        asked = Message("assistant", "", (ToolCall(call, "shell", str(arguments)),))
        lines = 100_000 if large else 20
        output = "".join(f"line {line} of {number}, and some words more\n" for line in range(lines))
        events += [
            MessageCompleted(asked, usage=usage, cost=0.001),
            ToolStarted(call, "shell", arguments),
            ToolFinished(call, "shell", False, f"{lines} lines", output, output[:4000], {}, 0.1),
            StepFinished(usage, 0.001, 0, 1.0),
        ]
    return [
        *events,
        MessageCompleted(Message("assistant", "Done."), usage=usage, cost=0.001),
        TurnFinished("completed", duration_s=2.0, at=1.7e9),
    ]


def _texts() -> list[Event]:
    """An answer of 1 MB and one with 3,000 long lines of code."""
    code = "".join(
        f"value_{n} = compute({n}, 'some words that make the line longer than it is wide', "
        f"option={n % 7}, other={n % 11})\n"
        for n in range(3_000)
    )
    events: list[Event] = []
    for number, text in enumerate((answer(1_000_000, 5), f"```python\n{code}```\n")):
        turn = f"x{number}"
        events += [
            TurnStarted(TEXTS, turn, 1.7e9),
            MessageCompleted(Message("user", f"Text {number}", id=turn)),
            MessageCompleted(Message("assistant", text), usage=Usage(1, 1), cost=0.0),
            StepFinished(Usage(1, 1), 0.0, 0, 1.0),
            TurnFinished("completed", duration_s=2.0, at=1.7e9),
        ]
    return events


def fill(home: Path) -> None:
    """A data folder with many sessions."""
    store = SessionStore(Database(home / FILE_NAME))
    for number in range(SESSIONS):
        id_ = f"s{number}"
        store.create(NewSession(id_, title=f"Session {number} about parsers and figs"))
        last = store.put(id_, turns(1, number * 4 + 1))
        if number % 200 == 199:
            last.result()
    for id_, events in ((LONG, turns(400)), (STEPS, _steps()), (TEXTS, _texts())):
        store.create(NewSession(id_, title=f"The {id_} one")).result()
        store.put(id_, events).result()
    store.database.close()


class Works:
    """Does an act some times; the longest work between two beats, first and then."""

    def __init__(self, live: LiveWindow, wanted: list[str]) -> None:
        self.live, self._wanted = live, wanted
        self.passed = True

    async def do(self, name: str, *acts: Callable[[], object], settle_s: float = 0.25) -> None:
        """`acts` one after the other, for each time one."""
        if self._wanted and not any(word in name for word in self._wanted):
            return
        found = []
        for number in range(max(TIMES, len(acts))):
            found.append(await self._longest(acts[number % len(acts)], settle_s))
        first, later = found[0], statistics.median(found[1:])
        print(f"{name}: first {first:.1f}, then {later:.1f} ms", file=sys.stderr)
        self.passed &= report(f"WORKS {name}, longest work, ms", [first, later], LIMIT)

    async def _longest(self, act: Callable[[], object], settle_s: float) -> float:
        await asyncio.sleep(0.05)
        began = time.thread_time()
        act()
        longest = 0.0
        end = time.perf_counter() + settle_s
        while time.perf_counter() < end:
            await asyncio.sleep(0.002)
            now = time.thread_time()
            longest, began = max(longest, now - began), now
        return 1000 * longest


async def use(home: Path, wanted: list[str]) -> bool:
    """All acts; False if a limit was missed."""
    async with live_window(home) as live:
        window = live.window
        window.resize(1200, 800)
        settle(window.desk, asyncio.get_running_loop())  # type: ignore[arg-type]
        await asyncio.sleep(0.5)
        works = Works(live, wanted)
        plain = QPlainTextEdit()
        plain.resize(800, 600)
        plain.show()
        lines = "\n".join(f"line {n} of a plain text" for n in range(200))
        await works.do("floor", lambda: (plain.clear(), plain.setPlainText(lines), plain.repaint()))
        plain.close()
        await _type(works)
        await _open_parts(works)
        await _read(works)
        return works.passed


async def _type(works: Works) -> None:
    edit = works.live.panel.composer.edit
    edit.setFocus()
    for name, text in (
        ("typing in 100 KB", "Some words to write on. " * 4_000),
        ("typing in 100 KB of lines", "Some words to write on.\n" * 4_000),
        ("typing in 30,000 Chinese letters", "在一个很长的段落里继续写下去。" * 2_000),
    ):
        await works.do(f"{name}: set", lambda text=text: works.live.type(text))
        works.live.type(text)
        await asyncio.sleep(0.5)
        await works.do(name, lambda: QTest.keyClick(edit, Qt.Key.Key_A))
        await works.do(f"{name}: line", lambda: edit.insertPlainText("\n"))
    works.live.type("")


async def _open_parts(works: Works) -> None:
    window = works.live.window
    actions = window.core.keys.actions

    def palette(words: str) -> None:
        found = window.findChildren(Palette)
        if found:
            found[-1].field.setText(words)

    def close() -> None:
        for one in window.findChildren(Palette):
            one.close_palette()

    await works.do("palette opened", *[actions["palette"].trigger, close] * 3)
    actions["palette"].trigger()
    await works.do(
        "palette narrowed", *[lambda w=w: palette(w) for w in ("s", "se", "set", "", "z")]
    )
    close()
    search = window.parts.sidebar.search
    words = ("f", "fi", "fig", "figs 49", "", "parsers")
    await works.do("sidebar search", *[lambda w=w: search.setText(w) for w in words], settle_s=0.6)
    search.setText("")

    def settings(open_: bool) -> None:
        if open_:
            actions["settings"].trigger()
        else:
            window.parts.models.settings.dialog.accept()

    opening = [lambda: settings(True), lambda: settings(False)] * 3
    await works.do("settings opened", *opening, settle_s=0.6)


async def _read(works: Works) -> None:
    live, window = works.live, works.live.window
    choose = window.parts.sidebar.session_chosen.emit

    async def show(id_: str) -> Any:
        choose(id_)
        await until(lambda: live.panel.session_id == id_ and live.panel.transcript.is_idle(), 240)
        await asyncio.sleep(0.3)
        return live.panel.transcript

    await show(LONG)
    sizes = [(1000 + 40 * n, 700 + 10 * n) for n in range(6)]
    await works.do("resized", *[lambda s=s: window.resize(*s) for s in sizes])
    await works.do("zoom", *[lambda z=z: window.look.set_zoom(z) for z in (150, 100) * 3])
    await works.do("theme", *[lambda t=t: window.look.choose(t) for t in ("dark", "light") * 3])
    ids = ("s1", "s2", LONG, "s1", "s2", LONG)
    await works.do("switched", *[lambda i=i: choose(i) for i in ids], settle_s=0.8)
    transcript = await show(STEPS)
    group = next(e for e in transcript.stage.flow.entries if isinstance(e, StepGroup))

    def unfold() -> None:
        group.open = not group.open
        transcript.stage.touch(group)

    await works.do("200 steps unfolded", unfold)
    steps = window.parts.steps
    shown = [lambda: transcript.open_step(-1), steps.close] * 3
    await works.do("step of 5 MB", *shown, settle_s=0.8)
    steps.close()
    transcript = await show(TEXTS)
    find = [lambda w=w: transcript.find_next(w) for w in ("stream", "e", "parser", "th", "value_2")]
    await works.do("find in 1 MB", *find, settle_s=0.8)
    transcript.clear_find()
    entry = transcript.stage.flow.entries[-2]
    run_ = next(piece.run for piece in entry.pieces if piece.run is not None)

    def wrap() -> None:
        run_.wrap = not run_.wrap
        transcript.stage.touch(entry)

    if hasattr(run_, "wrap"):
        await works.do("code wrapped", wrap)


def main(wanted: list[str]) -> int:
    """Runs the bench; 1 if a limit was missed."""
    application = QApplication([])
    application.setQuitOnLastWindowClosed(False)
    load_fonts()
    with tempfile.TemporaryDirectory() as place:
        home = Path(os.environ.get("KINET_BENCH_HOME", place)) / "works"
        if not (home / FILE_NAME).exists():
            fill(home)
        passed = run(use(home, wanted))
    return 0 if passed else 1


if __name__ == "__main__":
    code = main(sys.argv[1:])
    # Qt's widgets go in no good order at the end of the process.
    os._exit(code)
