"""How long the window stands still while answers are compared: 100 ms is the limit.

Run as `python -m tests.bench.bench_compare [KILOBYTES] [MESSAGES]`; ends with 1 on a miss. Two
answers of a megabyte each are laid side by side, compared, walked through and left; and those of
one message among 100,000 are read. What counts is the longest turn of the loop, in its own time.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from kinet.core.alternatives import Alternative
from kinet.core.events import Event, MessageCompleted, TurnFinished, TurnStarted
from kinet.core.messages import Message
from kinet.session.manager import SessionManager
from kinet.session.parts import SessionParts
from kinet.store.database import FILE_NAME, Database
from kinet.store.sessions import NewSession, SessionStore
from kinet.ui.compare.compare_page import ComparePage
from kinet.ui.kit.event_loop import EventLoop
from kinet.ui.look.theme import load_fonts
from tests.bench.transcript_texts import answer
from tests.support.window import apply_look, until

LIMIT = 100.0
_PATIENCE = 300.0
_REST = 0.002


class Watch:
    """Measures turns of the loop: the thread's own time between two ticks, and by the clock."""

    def __init__(self) -> None:
        self.longest = self.by_clock = 0.0
        self._task = asyncio.ensure_future(self._tick())

    async def _tick(self) -> None:
        while True:
            own, clock = time.thread_time(), time.perf_counter()
            await asyncio.sleep(_REST)
            self.longest = max(self.longest, (time.thread_time() - own) * 1000)
            self.by_clock = max(self.by_clock, (time.perf_counter() - clock - _REST) * 1000)

    def end(self, name: str, began: float) -> bool:
        """Stops, and prints what was measured."""
        self._task.cancel()
        passed = self.longest <= LIMIT
        print(
            json.dumps(
                {
                    "name": f"{name}, longest turn, ms", "value": round(self.longest, 1),
                    "limit": LIMIT, "pass": passed, "by the clock": round(self.by_clock, 1),
                    "seconds in all": round(time.perf_counter() - began, 2),
                }
            ),
            flush=True,
        )  # fmt: skip
        return passed


async def watched(name: str, act: Callable[[], Awaitable[object]]) -> bool:
    """Does it, and says how long the loop stood still at most."""
    watch, began = Watch(), time.perf_counter()
    await asyncio.sleep(0.01)
    await act()
    return watch.end(name, began)


async def compare(kilobytes: int) -> bool:
    """Two long answers that differ in every hundredth word, and in one paragraph."""
    chance = random.Random(7)
    text = answer(kilobytes * 1_000)
    words = text.split(" ")
    for place in range(50, len(words), 100):
        words[place] = f"other{chance.randrange(1000)}"
    other = " ".join(words) + "\n\nOne more paragraph."
    pair = [alternative(1, text), alternative(2, other)]
    gc.collect()
    gc.freeze()
    page: list[ComparePage] = []

    async def idle() -> None:
        sides = (page[0].left, page[0].right)
        await until(lambda: all(s.transcript.is_idle() for s in sides), _PATIENCE)

    async def open_() -> None:
        page.append(ComparePage(pair))
        page[0].resize(1200, 800)
        page[0].show()
        await idle()

    async def differences() -> None:
        page[0].head.modes.choose("differences")
        page[0]._mode_chosen("differences")
        await until(lambda: page[0].comparison is not None, _PATIENCE)
        await idle()

    async def walk() -> None:
        for places in (1, -1, -1, *range(1, 6)):
            page[0].step(1 if places > 0 else -1)
            await asyncio.sleep(0.01)
            await idle()

    async def scroll() -> None:
        bar = page[0].left.transcript.verticalScrollBar()
        for share in range(0, 101, 5):
            bar.setValue(bar.maximum() * share // 100)
            await asyncio.sleep(0.01)
        await idle()

    async def resize() -> None:
        page[0].resize(700, 800)
        await idle()
        page[0].resize(1100, 800)
        await idle()

    async def close() -> None:
        page.pop().let_go()
        for _ in range(50):
            await asyncio.sleep(0.002)

    passed = True
    size = f"{kilobytes} KB"
    for name, act in (
        ("opened", open_), ("differences", differences), ("from one to the next", walk),
        ("scrolled", scroll), ("made narrow and wide", resize),
        ("closed", close),
    ):  # fmt: skip
        passed &= await watched(f"{size} {name}", act)
    gc.unfreeze()
    return passed


def _none(*_values: object) -> Any:
    """Nothing is asked of a model here."""
    raise NotImplementedError


def alternative(number: int, text: str) -> Alternative:
    """One answer to a short question."""
    return Alternative(number, turn(f"t{number}", text), is_current=number == 2)


def turn(name: str, text: str) -> tuple[Event, ...]:
    """A turn with this answer."""
    return (
        TurnStarted("s", name),
        MessageCompleted(Message("user", "How?", id=name)),
        MessageCompleted(Message("assistant", text), model="m"),
        TurnFinished("completed"),
    )


async def read(messages: int, folder: Path) -> bool:
    """The answers of the last message of a long session, and its branch points."""
    store = SessionStore(Database(folder / FILE_NAME))
    store.create(NewSession("s")).result()
    last = 0
    for start in range(0, messages // 2, 500):
        events: list[Event] = []
        for number in range(start, min(start + 500, messages // 2)):
            events += turn(f"n{number}", f"Answer {number}. " * 20)
        store.put("s", events).result()
        last += len(events)
    for name in ("a", "b"):
        store.move_leaf("s", last).result()
        store.put("s", turn(name, f"Answer of {name}.")).result()
    parts = SessionParts(store, _none, _none, _none, _none)
    session = SessionManager(parts).open("s")
    gc.collect()
    gc.freeze()
    passed = True

    async def alternatives() -> None:
        assert len(await session.alternatives("b")) == 2

    async def points() -> None:
        assert (await session.branch_points())[-1].count == 2

    for name, act in (("answers of one message", alternatives), ("branch points", points)):
        passed &= await watched(f"{messages:,} messages, {name}", act)
    gc.unfreeze()
    store.database.close()
    return passed


def main(kilobytes: int, messages: int) -> int:
    """Runs all; 1 on a miss."""
    app = QApplication(["bench"])
    app.setStyle("Fusion")
    app.setQuitOnLastWindowClosed(False)
    load_fonts()
    apply_look(app, "light")
    loop = EventLoop(app)
    asyncio.set_event_loop(loop)

    async def all_() -> bool:
        passed = await compare(kilobytes)
        with tempfile.TemporaryDirectory() as name:
            return await read(messages, Path(name)) and passed

    return 0 if loop.run_until_complete(all_()) else 1


if __name__ == "__main__":
    wanted = [int(word) for word in sys.argv[1:]]
    code = main(wanted[0] if wanted else 1_000, wanted[1] if len(wanted) > 1 else 100_000)
    sys.stdout.flush()
    os._exit(code)
