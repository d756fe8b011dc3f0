"""Golden pictures of the transcript and the step panel, light and dark.

They were compared by eye with the mock-ups' checklist when they were made. KINET_PICTURES=write
makes them anew; look at each before it is kept.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QThreadPool
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget

from kinet.core.completion import Usage
from kinet.core.events import (
    Event,
    StepFinished,
    ToolFinished,
    ToolStarted,
    TurnError,
    TurnFinished,
    TurnStarted,
)
from kinet.ui.panel.step_detail import StepDetail
from kinet.ui.steps import StepRecord
from kinet.ui.transcript.entries.reasoning import ReasoningEntry
from kinet.ui.transcript.entries.steps_group import StepGroup
from tests.support.window import apply_look
from tests.ui.transcript_kit import asked, said, saved, settle, shown, turn

PLACE = Path(__file__).parent / "pictures"
# Antialiasing differs a little between versions: so much of a channel, in so many of the 256
# pixels of a tile. A word that is missing, or a button that is new, is more in some tile.
CHANNEL, TILE, MOST = 60, 16, 30

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="letters are drawn otherwise elsewhere"
)

_CODE = "```python totals.py\n" + "".join(
    f'def total_{n}(lines: list[int]) -> int:\n    return sum(lines)  # "{n}"\n' for n in range(4)
)
_WIDE = "```text\n" + "wide " * 60 + "\nshort\n```"
_LISTS = """Before.

- one
- two with `code` and **bold**
  - nested
    1. first
    2. second
- [ ] open
- [x] done

See the note[^1].

[^1]: The note itself, a size smaller.
"""
_QUOTE = "> Quoted words\n> over two lines\n\n---\n\nSo $E = mc^2$ and\n\n$$\n\\frac{a}{b}\n$$\n"
_TABLE = "| Invoice | Note | Sum |\n|---|---|--:|\n" + "".join(
    f"| {n:04} | for the month | {n * 1.5:.2f} |\n" for n in range(1, 7)
)


def _answer(text: str) -> list[Event]:
    return [TurnStarted("s"), asked("Show it."), said(text), TurnFinished("completed")]


def _conversation(
    events: list[Event],
    mode: str,
    *,
    width: int = 800,
    height: int = 560,
    open_all: bool = False,
) -> QWidget:
    transcript = shown(width=width, height=height, mode=mode)
    transcript.load(events)
    settle(transcript)
    for entry in transcript.stage.flow.entries if open_all else ():
        if isinstance(entry, StepGroup | ReasoningEntry):
            transcript._actor.toggle(entry)
    transcript.verticalScrollBar().setValue(0)
    settle(transcript)
    return transcript


def _steps() -> list[Event]:
    return [
        TurnStarted("s"),
        asked("Do it."),
        ToolStarted("a", "read_file", {"path": "src/totals.py"}),
        ToolFinished("a", "read_file", False, "120 lines", "text", duration_s=0.2),
        ToolStarted("b", "edit_file", {"path": "src/totals.py"}),
        ToolFinished("b", "edit_file", False, "", "ok", "", {"added": 3, "removed": 1}, 0.1),
        ToolStarted("c", "shell", {"command": "pytest -q"}),
        ToolFinished("c", "shell", True, "", "1 failed", "", {"exit_code": 1}, 4.5),
        StepFinished(Usage(900, 40), 0.002, 0, 5.0),
        said("One test fails."),
        TurnFinished("completed", duration_s=6.0),
    ]


def _scripts() -> list[Event]:
    """Long words in two directions and without blanks; steps of an agent of its own."""
    long = "季度报告/门店销售明细/二〇二六年第三季度华东华南西南华北各地区汇总表.csv"
    answer = (
        "三个月的销售额合计 4,812.6 万元。\n\n| 地区 | 金额 |\n|---|--:|\n| 华东 | 1,204.5 |\n\n"
        "هذا نص عربي طويل مع `code` و 123 رقم.\n\n- عنصر أول\n\n> اقتباس\n\n> A quote\n"
    )
    return [
        TurnStarted("s"),
        asked("请把第三季度华东华南西南华北各地区的销售表格逐月汇总比较。"),
        ToolStarted("a", "dispatch_agent", {"task": long}),
        ToolStarted("b", "read_file", {"path": long}, "a"),
        ToolFinished("b", "read_file", False, "1,204 rows", "x", "", {}, 0.2, "a"),
        ToolFinished("a", "dispatch_agent", False, "退货率上升", "x", "", {}, 12.0),
        StepFinished(Usage(900, 40), 0.002, 0, 12.0),
        said(answer),
        TurnFinished("completed", duration_s=14.0),
    ]


def _failed() -> list[Event]:
    error = TurnError("auth", "The server did not take the key.", "Look at it in the settings.")
    return [TurnStarted("s"), asked("Hello?"), TurnFinished("failed", error)]


def _panel(mode: str, tab: int, **values: Any) -> QWidget:
    whole = "".join(f"tests/test_{n}.py \x1b[32mPASSED\x1b[0m\n" for n in range(60))
    note = f"\n[… {len(whole) - 600} characters left out …]\n"
    diff = "--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@\n def f():\n-    return 1\n+    return 2\n"
    record = StepRecord(
        "c", "shell", {"command": "pytest -q"}, "done", "60 passed", whole,
        whole[:300] + note + whole[-300:], {"exit_code": 0, "diff": diff}, 4.2,
        **values,
    )  # fmt: skip
    detail = StepDetail()
    detail.resize(400, 560)
    detail.show_step(record, "step 2 of 3")
    detail.show()
    QApplication.processEvents()
    detail.tabs.setCurrentIndex(tab)
    for _ in range(200):
        QApplication.processEvents()
    return detail


def _long_question() -> list[Event]:
    return [TurnStarted("s"), asked("A long question.\n" * 30), said("Short."),
            TurnFinished("completed")]  # fmt: skip


SCENES: dict[str, Callable[[str], QWidget]] = {
    "turn": lambda mode: _conversation([*turn()[:-1], TurnFinished("completed")], mode),
    "code": lambda mode: _conversation(_answer(f"{_CODE}```\n\n{_WIDE}"), mode),
    "folded": lambda mode: _conversation(
        _answer("```\n" + "line\n" * 60 + "```"), mode, height=680
    ),
    "lists": lambda mode: _conversation(_answer(_LISTS), mode),
    "quote": lambda mode: _conversation(_answer(_QUOTE), mode),
    "table": lambda mode: _conversation(_answer(_TABLE), mode),
    "steps": lambda mode: _conversation(_steps(), mode, open_all=True),
    "thought": lambda mode: _conversation(saved(turn()[:-1]), mode, width=520, open_all=True),
    "scripts": lambda mode: _conversation(_scripts(), mode, width=520, open_all=True),
    "failed": lambda mode: _conversation(_failed(), mode),
    "question": lambda mode: _conversation(_long_question(), mode),
    "panel-output": lambda mode: _panel(mode, 0),
    "panel-changes": lambda mode: _panel(mode, 2),
    "panel-cache": lambda mode: _panel(
        mode, 3, usage=Usage(12_000, 80, 9_000), cost=0.0123, cache_note="tools changed"
    ),
}


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("scene", SCENES)
def test_it_looks_as_it_did(app: QApplication, scene: str, mode: str) -> None:
    apply_look(app, mode)
    try:
        widget = SCENES[scene](mode)
        QThreadPool.globalInstance().waitForDone()
        image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
        widget.close()
    finally:
        apply_look(app, "light")
    path = PLACE / f"{scene}-{mode}.png"
    if os.environ.get("KINET_PICTURES") == "write":
        PLACE.mkdir(exist_ok=True)
        assert image.save(str(path))
    kept = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB32)
    assert kept.size() == image.size()
    differing, place = _worst_tile(kept, image)
    if differing > MOST:
        image.save(str(Path(os.environ.get("TMPDIR", "/tmp")) / f"{scene}-{mode}.png"))
    assert differing <= MOST, f"{path.name} is another picture at {place[0]}, {place[1]}"


def test_another_word_is_another_picture(app: QApplication) -> None:
    one = _conversation(_answer("One word."), "light").grab().toImage()
    other = _conversation(_answer("One wort."), "light").grab().toImage()
    form = QImage.Format.Format_RGB32
    assert _worst_tile(one.convertToFormat(form), other.convertToFormat(form))[0] > MOST
    assert _worst_tile(one.convertToFormat(form), one.convertToFormat(form))[0] == 0


def _worst_tile(one: QImage, other: QImage) -> tuple[int, tuple[int, int]]:
    """How many pixels differ visibly in the tile where most do, and where that is."""
    first, second = bytes(one.constBits()), bytes(other.constBits())
    if first == second:
        return 0, (0, 0)
    tiles: Counter[tuple[int, int]] = Counter()
    for place in range(0, len(first), 4):
        if first[place : place + 3] != second[place : place + 3]:
            pairs = zip(first[place : place + 3], second[place : place + 3], strict=True)
            if any(abs(a - b) > CHANNEL for a, b in pairs):
                y, x = divmod(place // 4, one.width())
                tiles[x // TILE * TILE, y // TILE * TILE] += 1
    where, most = max(tiles.items(), key=lambda item: item[1], default=((0, 0), 0))
    return most, where
