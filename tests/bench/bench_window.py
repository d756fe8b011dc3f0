"""N12, N14, T17 and T19 on the transcript and the real window.

Prints one JSON object a line: {"name", "value", "limit", "pass", "raw"}; exits 1 on a miss. Run it
from the project's folder: python -m tests.bench.bench_window [N12 N14 T17 T19]. Longer
with KINET_BENCH_SECONDS (60 for T19).
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow, QPlainTextEdit

from kinet.core.events import Event, MessageCompleted, TextDelta, TurnStarted
from kinet.core.messages import Message
from kinet.markup.page import body_html
from kinet.ui.kit.event_loop import EventLoop
from kinet.ui.look.theme import load_fonts, load_theme
from kinet.ui.transcript.presenter import Presenter
from kinet.ui.transcript.view import Transcript
from tests.bench.bench_transcript import report, settle, view, window
from tests.bench.transcript_texts import answer, conversation
from tests.support.fake_program import FakeProgram
from tests.support.markdown_cases import cases, pieces
from tests.support.shell_window import shell_window
from tests.support.window import apply_look

SECONDS = float(os.environ.get("KINET_BENCH_SECONDS", "15"))


def n12() -> bool:
    """No entry of the corpus holds the loop for 100 ms, opened or streamed in its own pieces."""
    opened, streamed = [], []
    every = cases()
    # As the program does after its start; what the bench holds is no part of a window.
    gc.freeze()
    for case in every:
        arriving = pieces(case)
        transcript = Transcript(load_theme("light"))
        shown = window(transcript)
        events: list[Event] = [MessageCompleted(Message("assistant", "".join(arriving)))]
        began = time.thread_time()
        transcript.load(events)
        opened.append(max((time.thread_time() - began) * 1000, settle(transcript)))
        shown.close()
        transcript, shown = view([])
        streamed.append(worst_turn(transcript, arriving))
        shown.close()
    passed = report("N12 corpus opened, worst turn, ms", [max(opened)], 100.0)
    passed &= report("N12 corpus streamed, worst turn, ms", [max(streamed)], 100.0)
    many = conversation(1_000) * 100
    gc.freeze()
    transcript = Transcript(load_theme("light"))
    shown = window(transcript)
    began = time.thread_time()
    transcript.load(many)
    worst = max((time.thread_time() - began) * 1000, settle(transcript))
    shown.close()
    return report("N12 100,000 messages opened, worst turn, ms", [worst], 100.0) and passed


def worst_turn(transcript: Transcript, arriving: list[str]) -> float:
    """The longest turn of the loop while pieces arrive 4 KB at a time, in ms."""
    presenter = Presenter(transcript)
    presenter.show(TurnStarted("bench"))
    worst = 0.0
    for piece in together(arriving):
        for start in range(0, len(piece), 4096):
            began = time.thread_time()
            presenter.show(TextDelta(piece[start : start + 4096]))
            transcript.stage.pacer.flush()
            QApplication.processEvents()
            worst = max(worst, (time.thread_time() - began) * 1000)
    return max(worst, settle(transcript))


def together(arriving: list[str]) -> list[str]:
    """Single letters as they come within one flush: 30 of them."""
    if len(arriving) < 1000:
        return arriving
    text = "".join(arriving)
    return [text[start : start + 30] for start in range(0, len(text), 30)]


def n14() -> bool:
    """Rendering, hovering, copying and exporting look nothing up and open nothing."""
    caught: list[str] = []
    watching = [False]
    own = (sys.prefix, sys.base_prefix, str(Path(__file__).resolve().parents[2]))

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if not watching[0]:
            return
        if event.startswith("socket.") or event in ("subprocess.Popen", "os.system"):
            caught.append(event)
        if event == "open" and not str(arguments[0]).startswith(own):
            caught.append(f"open {arguments[0]}")

    sys.addaudithook(hook)
    for case in cases():
        text = "".join(pieces(case))[:20_000]
        transcript, shown = view([MessageCompleted(Message("assistant", text))])
        watching[0] = True
        transcript.verticalScrollBar().setValue(0)
        for x in range(100, 800, 80):
            QTest.mouseMove(transcript.viewport(), QPoint(x, 30))
            QApplication.processEvents()
        transcript.selection.all()
        transcript.copy()
        transcript.copy(plain=True)
        body_html(text)
        settle(transcript)
        watching[0] = False
        shown.close()
    QGuiApplication.clipboard().clear()
    for one in sorted(set(caught)):
        print(one, file=sys.stderr)
    return report("N14 look-ups and opens", [len(caught)], 0)


def t19() -> bool:
    """200 pieces a second: CPU against a plain view, gaps between paints, keys meanwhile."""
    floor = run(_typed(None))
    ours = run(_typed(_shown()))
    cpu = ours["cpu"] / max(floor["cpu"], 1e-6)
    passed = report("T19 CPU against a plain view", [cpu], 4.0)
    passed &= report("T19 longest gap between paints, ms", [ours["gap"]], 100.0)
    # On a busy machine this is what of the gap is the window's own doing.
    passed &= report("T19 longest work between paints, ms", [ours["work"]], 50.0)
    passed &= report("T19 last piece to the final screen, ms", [ours["last"]], 50.0)
    return report("T19 key to letter p95, ms", [ours["key"]], 10.0) and passed


class Paints(QObject):
    """Notes when a widget is painted."""

    def __init__(self) -> None:
        super().__init__()
        self.at: list[float] = []
        self.worked: list[float] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.at.append(time.perf_counter())
            self.worked.append(time.thread_time())
        return False


def _shown() -> Transcript:
    transcript = Transcript(load_theme("light"))
    transcript.load(conversation(200))
    return transcript


async def _typed(transcript: Transcript | None) -> dict[str, float]:
    """Streams into a transcript, or a plain view where there is none; letters are typed beside."""
    view = transcript if transcript is not None else QPlainTextEdit()
    field = QPlainTextEdit()
    shown = QMainWindow()
    shown.setCentralWidget(view)
    shown.resize(900, 900)
    shown.show()
    field.resize(400, 80)
    field.show()
    paints, letters = Paints(), Paints()
    (view.viewport()).installEventFilter(paints)
    field.viewport().installEventFilter(letters)
    presenter = Presenter(transcript) if transcript is not None else None
    if presenter is not None:
        presenter.show(TurnStarted("bench"))
    text = answer(int(SECONDS * 200 * 4))
    await asyncio.sleep(0.3)
    keys: list[float] = []
    pending: list[str] = []
    cpu, began = time.process_time(), time.perf_counter()
    flushed = began
    for number in range(int(SECONDS * 200)):
        piece = text[number * 4 : number * 4 + 4]
        if presenter is not None:
            presenter.show(TextDelta(piece))
        else:
            pending.append(piece)
            if time.perf_counter() - flushed > 0.033:
                _append(view, "".join(pending))
                pending.clear()
                flushed = time.perf_counter()
        if number % 40 == 0:
            keys.append(await _key(field, letters))
        await asyncio.sleep(max(0.0, began + (number + 1) / 200 - time.perf_counter()))
    last = time.perf_counter()
    while transcript is not None and not transcript.is_idle():  # noqa: ASYNC110
        await asyncio.sleep(0.001)
    spent, ended = time.process_time() - cpu, time.perf_counter()
    gaps = [(b - a) * 1000 for a, b in zip(paints.at, paints.at[1:], strict=False)] or [0.0]
    work = [(b - a) * 1000 for a, b in zip(paints.worked, paints.worked[1:], strict=False)] or [0.0]
    shown.close()
    field.close()
    return {
        "work": max(work[3:] or [0.0]),
        "cpu": spent / (ended - began),
        "gap": max(gaps[3:] or [0.0]),
        "last": (ended - last) * 1000,
        "key": sorted(keys)[int(len(keys) * 0.95)],
    }


def _append(view: Any, text: str) -> None:
    view.moveCursor(view.textCursor().MoveOperation.End)
    view.insertPlainText(text)
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())


async def _key(field: QPlainTextEdit, letters: Paints) -> float:
    before = len(letters.at)
    began = time.perf_counter()
    QTest.keyClick(field, "a")
    while len(letters.at) == before and time.perf_counter() - began < 0.5:  # noqa: ASYNC110
        await asyncio.sleep(0)
    return (time.perf_counter() - began) * 1000


def t17() -> bool:
    """Nothing happens in a window that nothing happens in."""

    async def rest() -> float:
        with tempfile.TemporaryDirectory() as place:
            async with shell_window(FakeProgram(Path(place))):
                await asyncio.sleep(2.0)
                cpu, began = time.process_time(), time.perf_counter()
                await asyncio.sleep(6.0)
                return 100 * (time.process_time() - cpu) / (time.perf_counter() - began)

    share = run(rest())
    return report("T17 CPU at rest, %", [share], 0.5)


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """Runs one coroutine inside Qt's loop."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    loop = EventLoop(application)
    asyncio.set_event_loop(loop)
    try:
        return loop.run_until_complete(work)
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def main(chosen: list[str]) -> int:
    """Runs the benches; 1 if one missed its limit."""
    application = QApplication([])
    application.setQuitOnLastWindowClosed(False)
    application.setStyle("Fusion")
    load_fonts()
    apply_look(application, "light")
    view([MessageCompleted(Message("assistant", f"x `y` $x$\n\n{answer(6000)}"))])
    body_html(f"`y` $x$\n\n{answer(6000)}")
    benches: dict[str, Callable[[], bool]] = {
        "N12": n12, "N14": n14, "T17": t17, "T19": t19,
    }  # fmt: skip
    results = [bench() for name, bench in benches.items() if not chosen or name in chosen]
    del application
    return 0 if all(results) else 1


if __name__ == "__main__":
    code = main(sys.argv[1:])
    # Qt's widgets go in no good order at the end of the process.
    os._exit(code)
