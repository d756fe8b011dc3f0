"""Helps to test the transcript: events of a turn, a shown transcript, and a settled screen."""

from __future__ import annotations

import time
from collections.abc import Iterable

from PySide6.QtCore import QPoint, Qt, QThreadPool
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from kinet.core.completion import Usage
from kinet.core.events import (
    Event,
    FilesChanged,
    MessageCompleted,
    StepFinished,
    StepStarted,
    TextDelta,
    ThinkingDelta,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
    is_saved,
)
from kinet.core.messages import Message, ToolCall
from kinet.ui.look.theme import load_theme
from kinet.ui.transcript.presenter import Presenter
from kinet.ui.transcript.stage.selection import Place
from kinet.ui.transcript.view import Transcript

CODE = "def total(lines):\n\tvalue = sum(lines)  # a\u00a0b\n    return value\n"
ANSWER = f"""Three invoices do **not** match:

1. The first, see `totals.py`.
2. The second, see [the page](https://example.org/page).

| Invoice | Sum |
|---|--:|
| one | 1.00 |
| two | 22.50 |

```python totals.py
{CODE}```

That is all.
"""


def asked(text: str) -> MessageCompleted:
    """The person's message."""
    return MessageCompleted(Message("user", text))


def said(text: str) -> MessageCompleted:
    """The model's message."""
    return MessageCompleted(Message("assistant", text), usage=Usage(1200, 80, 900), cost=0.0042)


def turn(answer: str = ANSWER) -> list[Event]:
    """A turn with thinking, two calls and an answer that streams."""
    call = Message("assistant", "", (ToolCall("c1", "read_file"),), reasoning="Let me see.")
    return [
        TurnStarted("s"),
        asked("Match `invoices/` with the bank."),
        StepStarted(1),
        ThinkingDelta("Let me "),
        ThinkingDelta("see."),
        MessageCompleted(call, usage=Usage(1000, 50, 0), cost=0.002, thought_s=3.0),
        ToolStarted("c1", "read_file", {"path": "totals.py"}),
        ToolFinished("c1", "read_file", False, "12 lines", "content", "", {}, 0.2),
        ToolStarted("c2", "edit_file", {"path": "totals.py"}),
        ToolFinished("c2", "edit_file", False, "", "done", "", {"added": 3, "removed": 1}, 0.1),
        FilesChanged(("totals.py",), "c2"),
        StepFinished(Usage(1000, 50), 0.002, 0, 4.0),
        StepStarted(2),
        *(TextDelta(answer[place : place + 7]) for place in range(0, len(answer), 7)),
        said(answer),
        StepFinished(Usage(1200, 80, 900), 0.0042, 900, 2.0),
        TurnFinished("completed", None, "", 6.0, 1_760_000_000.0),
    ]


def saved(events: Iterable[Event]) -> list[Event]:
    """What the store would keep."""
    return [event for event in events if is_saved(event)]


def shown(width: int = 800, height: int = 600, mode: str = "light") -> Transcript:
    """An empty transcript on screen."""
    transcript = Transcript(load_theme("dark" if mode == "dark" else "light"))
    transcript.resize(width, height)
    transcript.show()
    QApplication.processEvents()
    return transcript


def live(transcript: Transcript, events: Iterable[Event]) -> Presenter:
    """Shows events as they would happen."""
    presenter = Presenter(transcript)
    for event in events:
        presenter.show(event)
    settle(transcript)
    return presenter


# Seconds.
_PATIENCE = 20.0


def settle(transcript: Transcript) -> None:
    """Turns the loop until nothing is left to show, lay out or paint."""
    # Not so many turns: they take no time, and what is drawn is gathered for a while.
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        # Formulas are drawn in a thread.
        QThreadPool.globalInstance().waitForDone()
        transcript.stage.pacer.flush()
        QApplication.processEvents()
        if transcript.is_idle():
            return
    raise AssertionError("the transcript never comes to rest")


def picture(transcript: Transcript) -> QImage:
    """What is on screen."""
    settle(transcript)
    return transcript.grab().toImage()


def entry_number(transcript: Transcript, kind: str) -> int:
    """The number of the first entry of a kind."""
    return next(n for n, e in enumerate(transcript.stage.flow.entries) if e.kind == kind)


def point_of(transcript: Transcript, entry: int, x: int, y: int) -> QPoint:
    """A point of an entry, in the viewport."""
    top = transcript.stage.flow.top_of(entry) - transcript.verticalScrollBar().value()
    return QPoint(transcript.stage.column[0] + x, top + y)


def click(transcript: Transcript, entry: int, action: str) -> None:
    """Clicks what an entry offers under this name."""
    stage = transcript.stage
    made = stage.flow.entries[entry]
    hit = next(h for h in made.hits(stage.flow.style, stage.flow.width) if h.action == action)
    centre = hit.rect.center()
    where = point_of(transcript, entry, centre.x(), centre.y())
    QTest.mouseClick(transcript.viewport(), Qt.MouseButton.LeftButton, pos=where)
    settle(transcript)


def select(transcript: Transcript, first: tuple[int, int, int], last: tuple[int, int, int]) -> str:
    """The text that copying gives for a selection from one place to another."""
    transcript.selection.set(Place(*first), Place(*last))
    return transcript.selection.text()


def on_screen(transcript: Transcript) -> QImage:
    """The very pixels of the screen, without painting anything anew."""
    screen = transcript.screen()
    return screen.grabWindow(transcript.winId()).toImage()
