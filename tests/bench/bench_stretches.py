"""What once held the window for long: paper, copied formulas, a long output, a flood of it.

Prints one JSON object a line: {"name", "value", "limit", "pass", "raw"}, the longest stretch of
work of the window's thread in ms, by its own processor time; exits 1 on a miss. Run it from the
project's folder: python -m tests.bench.bench_stretches [SECONDS OF FLOOD].
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from kinet.core.events import Event, MessageCompleted, ToolProgress, ToolStarted
from kinet.core.messages import Message
from kinet.ui.kit.garbage import Keeper
from kinet.ui.look.theme import load_fonts
from kinet.ui.panel.step_detail import RAW, StepDetail
from kinet.ui.steps import StepBook, StepRecord
from kinet.ui.transcript.view import Transcript
from kinet.ui.window.export_desk import pdf_steps
from tests.bench.bench_transcript import memory, report
from tests.bench.transcript_texts import answer, prose

_LIMIT = 100.0
_LINES = "".join(f"[{n:07}] compiling module number {n} ✓ -O2 --warn all\n" for n in range(2_000))


def stretch(act: Callable[[], object]) -> float:
    """Milliseconds of the thread's work."""
    began = time.thread_time()
    act()
    return 1000 * (time.thread_time() - began)


def paper(folder: Path) -> bool:
    """A PDF of 500 messages."""
    chance = random.Random(1)
    messages: list[Message] = []
    for number in range(250):
        said = answer(chance.choice((400, 900, 2_000)), number)
        messages += [Message("user", prose(chance)), Message("assistant", said)]
    steps = pdf_steps(folder / "talk.pdf", "Talk", messages)
    worst = 0.0
    ended: list[bool] = []

    def go() -> None:
        step = next(steps, "")
        ended.extend([True] if step == "" else [])

    while not ended:
        worst = max(worst, stretch(go))
    return report("STRETCH of a PDF of 500 messages, ms", [worst], _LIMIT)


def formulas(application: QApplication) -> bool:
    """4,500 entries with 4,500 formulas, copied as their words."""
    transcript = Transcript()
    transcript.resize(900, 700)
    transcript.show()
    events: list[Event] = []
    for number in range(2_250):
        said = f"It is $\\frac{{{number}}}{{x}}$ and\n\n$$\\sum_{{i={number}}}^n x^{number}$$\n"
        events += [
            MessageCompleted(Message("user", f"Ask {number}")),
            MessageCompleted(Message("assistant", said)),
        ]
    transcript.load(events)
    worst, began = 0.0, time.perf_counter()
    for act in (lambda: None, transcript.selection.all, lambda: transcript.copy(plain=True)):
        worst = max(worst, stretch(act))
        while not transcript.is_idle() and time.perf_counter() - began < 120:
            worst = max(worst, stretch(application.processEvents))
    seconds = time.perf_counter() - began
    whole = report("STRETCH of copying formulas, s in all", [seconds], 30.0)
    return report("STRETCH of copying formulas, ms", [worst], _LIMIT) and whole


def output(application: QApplication, seconds: float) -> bool:
    """Both ends of 200 MB in the panel, then a program that prints as fast as it can."""
    panel = StepDetail()
    panel.resize(700, 700)
    panel.show()
    content = (_LINES * 20)[:1_050_000]
    told = f"{content[:3_000]}\n[cut]\n{content[-3_000:]}"
    details = {"kept_whole": True, "characters": 200_000_000}
    record = StepRecord("c1", "shell", {"command": "make"}, "done", "", content, told, details)
    bar, field = panel.output.verticalScrollBar(), panel.find_strip.field

    def find() -> None:
        panel.open_find()
        field.setText("module")
        panel.find_strip.search_now()

    def copy_selected() -> None:
        panel.output.selectAll()
        panel.output.copy()

    acts: dict[str, Callable[[], object]] = {
        "open": lambda: panel.show_step(record),
        "end": lambda: bar.setValue(bar.maximum()),
        "find": find,
        "copy": panel._copy,
        "copy what is selected": copy_selected,
        "raw with a search": lambda: panel.tabs.setCurrentIndex(RAW),
    }
    passed = True
    for name, act in acts.items():
        worst = stretch(act)
        for _ in range(60):
            worst = max(worst, stretch(application.processEvents))
        passed &= report(f"STRETCH of {name} in a long output, ms", [worst], _LIMIT)
    book = StepBook()
    book.apply(ToolStarted("c2", "shell", {"command": "yes"}), time.monotonic())
    started = book.record("c2")
    assert started is not None
    panel.show_step(started)
    piece = _LINES[:65_536]

    def flood() -> None:
        book.apply(ToolProgress("c2", piece))
        panel.append_progress("c2", piece)
        application.processEvents()

    worst, end, before = 0.0, time.perf_counter() + seconds, 0.0
    half = time.perf_counter() + seconds / 4
    while time.perf_counter() < end:
        worst = max(worst, stretch(flood))
        if not before and time.perf_counter() > half:
            before = memory()
    grown = report("STRETCH of a flood, MB more after its first quarter", [memory() - before], 8.0)
    return passed & report("STRETCH of a flood, ms", [worst], _LIMIT) & grown


def main(seconds: float) -> int:
    """Runs all; 1 if a limit was missed."""
    application = QApplication([])
    load_fonts()
    # As the program has it.
    Keeper().begin()
    with tempfile.TemporaryDirectory() as place:
        passed = paper(Path(place))
    passed &= formulas(application)
    passed &= output(application, seconds)
    return 0 if passed else 1


if __name__ == "__main__":
    code = main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0)
    # Qt's widgets go in no good order at the end of the process.
    os._exit(code)
