"""T3, T4, T5, T6 and T9 of the transcript, as ratios or bounds.

Times are those of this thread alone, so that a busy machine changes little; T6 looks at the clock.
Prints one JSON object a line: {"name", "value", "limit", "pass", "raw"}; exits 1 on a miss. Run it
from the project's folder: python -m tests.bench.bench_transcript; T3 T4 T5 T6 T9 behind it choose.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QMainWindow, QPlainTextEdit, QWidget

from kinet.core.events import Event, MessageCompleted, TextDelta, TurnStarted
from kinet.core.messages import Message
from kinet.ui.look.theme import load_fonts, load_theme
from kinet.ui.transcript.presenter import Presenter
from kinet.ui.transcript.view import Transcript
from tests.bench.transcript_texts import answer, conversation, hostile

RUNS = 3


def report(name: str, raw: list[float], limit: float) -> bool:
    """Prints the median of the runs beside its limit."""
    value = statistics.median(raw)
    passed = value <= limit
    samples = [round(sample, 2) for sample in raw]
    line = {"name": name, "value": round(value, 2), "limit": limit, "pass": passed, "raw": samples}
    print(json.dumps(line), flush=True)
    return passed


def window(widget: QWidget) -> QMainWindow:
    """A window of 900 by 900 that shows the widget."""
    made = QMainWindow()
    made.setCentralWidget(widget)
    made.resize(900, 900)
    made.show()
    QApplication.processEvents()
    return made


def view(events: list[Event]) -> tuple[Transcript, QMainWindow]:
    """A transcript with these events."""
    transcript = Transcript(load_theme("light"))
    shown = window(transcript)
    transcript.load(events)
    settle(transcript)
    return transcript, shown


def settle(transcript: Transcript, most: int = 20_000) -> float:
    """Turns the event loop until nothing is left to do; the longest turn in ms."""
    worst = 0.0
    for _ in range(most):
        began = time.thread_time()
        QApplication.processEvents()
        worst = max(worst, (time.thread_time() - began) * 1000)
        if transcript.is_idle():
            break
    return worst


def stream(transcript: Transcript, text: str, size: int) -> list[float]:
    """Streams a text in pieces; the milliseconds of each flush with its paint."""
    presenter = Presenter(transcript)
    presenter.show(TurnStarted("bench"))
    times = []
    for start in range(0, len(text), size):
        presenter.show(TextDelta(text[start : start + size]))
        began = time.thread_time()
        transcript.stage.pacer.flush()
        QApplication.processEvents()
        times.append((time.thread_time() - began) * 1000)
    return times


def t3() -> bool:
    """The last tenth of a long answer costs no more than the first."""
    passed = True
    for history in (0, 2000):
        events = conversation(history)
        raw = []
        for _ in range(RUNS):
            transcript, shown = view(events)
            times = stream(transcript, answer(100_000), 200)
            part = len(times) // 10
            raw.append(statistics.median(times[-part:]) / statistics.median(times[:part]))
            shown.close()
        passed &= report(f"T3 growth with {history} messages before", raw, 1.3)
    return passed


def t4() -> bool:
    """Flush and paint against a raw append to a plain text view."""
    text = answer(100_000)
    raw = []
    for _ in range(RUNS):
        plain = QPlainTextEdit()
        plain.setReadOnly(True)
        shown = window(plain)
        floor = []
        for start in range(0, len(text), 200):
            began = time.thread_time()
            cursor = plain.textCursor()
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(text[start : start + 200])
            plain.verticalScrollBar().setValue(plain.verticalScrollBar().maximum())
            QApplication.processEvents()
            floor.append((time.thread_time() - began) * 1000)
        shown.close()
        transcript, shown = view(conversation(200))
        times = stream(transcript, text, 200)
        raw.append(statistics.median(times) / statistics.median(floor))
        shown.close()
    return report("T4 flush and paint against a plain append", raw, 3.0)


def t5() -> bool:
    """Opening a long conversation."""
    some, few, many = conversation(2000), conversation(200), conversation(10_000)
    ratios, times, sizes = [], [], []
    for _ in range(RUNS):
        gc.collect()
        before = memory()
        times.append(opening(some))
        sizes.append(memory() - before)
        short = opening(few)
        ratios.append(opening(many) / short)
    passed = report("T5 10,000 messages against 200", ratios, 6.0)
    passed &= report("T5 2,000 messages, ms", times, 50.0)
    # Only the first opening takes memory; the later ones use it again.
    return report("T5 2,000 messages, MB", [max(sizes)], 40.0) and passed


def opening(events: list[Event]) -> float:
    """Milliseconds until a conversation is on screen."""
    transcript = Transcript(load_theme("light"))
    shown = window(transcript)
    began = time.thread_time()
    transcript.load(events)
    QApplication.processEvents()
    spent = (time.thread_time() - began) * 1000
    settle(transcript)
    shown.close()
    return spent


def memory() -> float:
    """Resident megabytes of this process."""
    pages = Path("/proc/self/statm")
    if pages.exists():
        return int(pages.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def t6() -> bool:
    """1,000 pieces a second for eight seconds."""
    stalls99, worst, shares, delays = [], [], [], []
    for _ in range(RUNS):
        gaps, lags, share = firehose(8.0)
        stalls99.append(sorted(gaps)[int(len(gaps) * 0.99)])
        worst.append(max(gaps))
        shares.append(share)
        delays.append(sorted(lags)[int(len(lags) * 0.99)])
    passed = report("T6 stall p99, ms", stalls99, 20.0)
    passed &= report("T6 stall max, ms", worst, 50.0)
    passed &= report("T6 CPU, % of a core", shares, 40.0)
    return report("T6 latency p99, ms", delays, 110.0) and passed


def firehose(seconds: float) -> tuple[list[float], list[float], float]:
    """(gaps of the event loop, latencies of the pieces, CPU share) while text streams."""
    transcript, shown = view(conversation(200))
    presenter = Presenter(transcript)
    presenter.show(TurnStarted("bench"))
    text = answer(100_000)
    size = max(1, int(len(text) / (seconds * 1000)))
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    arrived: list[float] = []
    lags: list[float] = []
    gaps: list[float] = []
    last = [time.perf_counter()]
    began = time.perf_counter()
    place = [0]

    def feed() -> None:
        due = int((time.perf_counter() - began) * 1000)
        while place[0] < min(due, len(pieces)):
            presenter.show(TextDelta(pieces[place[0]]))
            arrived.append(time.perf_counter())
            place[0] += 1
        now = time.perf_counter()
        gaps.append((now - last[0]) * 1000)
        last[0] = now

    def shifted() -> None:
        if transcript.stage.pacer.is_idle:
            now = time.perf_counter()
            lags.extend((now - moment) * 1000 for moment in arrived)
            arrived.clear()

    transcript.stage.shifted.connect(shifted)
    timer = QTimer()
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(feed)
    timer.start(2)
    cpu = time.process_time()
    end = QTimer()
    end.setSingleShot(True)
    end.timeout.connect(QApplication.quit)
    end.start(int(seconds * 1000))
    QApplication.exec()
    share = 100 * (time.process_time() - cpu) / (time.perf_counter() - began)
    timer.stop()
    shown.close()
    return gaps[5:], lags, share


def t9() -> bool:
    """No hostile text holds the event loop for long, opened or streamed."""
    passed = True
    for name, make in hostile().items():
        text = make()
        events: list[Event] = [
            MessageCompleted(Message("user", "hi")),
            MessageCompleted(Message("assistant", text)),
        ]
        transcript = Transcript(load_theme("light"))
        shown = window(transcript)
        began = time.thread_time()
        transcript.load(events)
        worst = (time.thread_time() - began) * 1000
        worst = max(worst, settle(transcript))
        bar = transcript.verticalScrollBar()
        for part in (0.0, 0.5, 1.0):
            bar.setValue(int(bar.maximum() * part))
            worst = max(worst, settle(transcript))
        shown.close()
        passed &= report(f"T9 {name}, opened, ms", [worst], 100.0)
        transcript, shown = view([])
        times = stream(transcript, text[:400_000], 4096)
        shown.close()
        passed &= report(f"T9 {name}, streamed, ms", [max(times)], 100.0)
    return passed


def main(chosen: list[str]) -> int:
    """Runs the benches; 1 if one missed its limit."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QApplication([])
    load_fonts()
    # Lexers and the parser load once per process; that is the start's cost, not a stream's.
    view([MessageCompleted(Message("assistant", f"x `y`\n\n{answer(3000)}"))])
    benches: dict[str, Callable[[], bool]] = {"T3": t3, "T4": t4, "T5": t5, "T6": t6, "T9": t9}
    results = [bench() for name, bench in benches.items() if not chosen or name in chosen]
    del application
    return 0 if all(results) else 1


if __name__ == "__main__":
    code = main(sys.argv[1:])
    # Qt's widgets go in no good order at the end of the process.
    os._exit(code)
