"""The real window ends what its commands started: by the stop button of a row, and by closing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from kinet.app import end_window
from kinet.ui.chat.job_shelf import JobShelf
from kinet.ui.kit.controls import ElidedLabel, IconButton
from kinet.ui.window.close_question import CloseQuestion
from tests.support.live_window import LiveWindow, live_window
from tests.support.scripted_server import ScriptedServer, asks_for, says
from tests.support.tree_shapes import alive, command_of, new_mark
from tests.support.window import until

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="process trees as Linux has them"),
]

# One command that starts a tree of each, side by side.
TOGETHER = (
    "wide", "chain", "double fork", "daemon", "nohup", "disowned", "ignores all it can", "stopped",
    "respawning left", "new group", "orphan of an orphan",
)  # fmt: skip


def all_shapes(mark: int) -> str:
    return "\n".join([*(f"( {command_of(name, mark)} ) &" for name in TOGETHER), "wait"])


def press(button: QPushButton | IconButton | None) -> None:
    assert button is not None
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def answer(live: LiveWindow, words: str) -> QPushButton:
    """The button of the question that is asked before the window closes."""
    (question,) = live.window.findChildren(CloseQuestion)
    (found,) = [b for b in question.findChildren(QPushButton) if b.text() == words]
    return found


async def test_what_a_command_left_running_has_a_row_whose_button_ends_it_and_it_alone(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    job, left = new_mark(), new_mark()
    script = (
        asks_for("shell", command=f"sleep {job}", background=True),
        asks_for("shell", command=f"setsid sleep {left} & sleep {left} & echo up"),
        says("They run."),
    )
    with ScriptedServer(*script) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=folder, approve="ask"
        ) as live:
            await live.say("Start things")
            await live.allow()
            await live.allow()
            await live.ended()
            shelf = live.find(JobShelf, "jobShelf")
            await until(lambda: len(shelf.commands()) == 2, what="both are listed")
            assert (len(alive(job)) > 0, len(alive(left))) == (True, 2)
            (label,) = [
                label
                for label in shelf.findChildren(ElidedLabel)
                if label.accessibleName().startswith("Left running: ")
            ]
            press(label.parentWidget().findChild(IconButton))
            await until(lambda: not alive(left), what="the tree is gone")
            await until(lambda: shelf.commands() == [f"sleep {job}"], what="its row is gone")
            assert alive(job)
    assert not alive(job)


async def test_closing_the_window_over_a_job_in_the_background_asks_and_names_it(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    job = new_mark()
    script = (asks_for("shell", command=f"sleep {job}", background=True), says("It runs."))
    with ScriptedServer(*script) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=folder, approve="ask"
        ) as live:
            closed: list[bool] = []
            live.window.closed.connect(lambda: closed.append(True))
            await live.say("Start it")
            await live.allow()
            await live.ended()
            live.window.close()
            live.window.close()
            (question,) = live.window.findChildren(CloseQuestion)
            assert question.windowTitle() == "A command is still running in the background"
            lines = [line.whole_text() for line in question.findChildren(ElidedLabel)]
            assert lines == [f"sleep {job}"]
            press(answer(live, "Keep working"))
            await until(lambda: not live.window.findChildren(CloseQuestion), what="it is put away")
            await until(lambda: alive(job), what="it runs on")
            live.window.close()
            press(answer(live, "Stop and quit"))
            await until(lambda: closed, what="the window is closed")
            await end_window(live.window, live.window.program)
            assert not alive(job)


async def test_closing_the_window_over_a_running_turn_ends_every_process_it_started(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    job, left, running = new_mark(), new_mark(), new_mark()
    script = (
        asks_for("shell", command=all_shapes(job), background=True),
        asks_for("shell", command=command_of("left daemon", left)),
        asks_for("shell", command=all_shapes(running)),
    )
    with ScriptedServer(*script) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=folder, approve="ask"
        ) as live:
            closed: list[bool] = []
            live.window.closed.connect(lambda: closed.append(True))
            await live.say("Start things")
            for _ in script:
                await live.allow()
            for mark, least in ((job, 20), (left, 1), (running, 20)):
                await until(lambda m=mark, n=least: len(alive(m)) >= n, what="its trees stand")

            live.window.close()
            press(answer(live, "Keep working"))
            await until(lambda: not live.window.findChildren(CloseQuestion), what="it is put away")
            assert live.window.isVisible()
            assert not closed
            assert alive(running)

            live.window.close()
            press(answer(live, "Stop and quit"))
            await until(lambda: closed, what="the window is closed")
            assert not live.window.isVisible()
            # What the program does when its window was closed.
            await end_window(live.window, live.window.program)
            assert [alive(mark) for mark in (job, left, running)] == [[], [], []]
