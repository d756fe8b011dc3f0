"""The shelf in the real window: background commands listed with a button that ends them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QAbstractButton, QLabel

from kinet.tools.processes import jobs
from kinet.ui.chat.job_shelf import JobShelf
from kinet.ui.kit.controls import IconButton
from tests.support.live_window import live_window
from tests.support.scripted_server import ScriptedServer, asks_for, says
from tests.support.window import until

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="process trees as Linux has them"),
]


async def test_what_runs_is_on_the_shelf_until_it_is_stopped_or_the_window_closes(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    script = (
        asks_for("shell", command="sleep 5711", background=True),
        asks_for("shell", command="sleep 5712 & echo up"),
        asks_for("shell", command="sleep 5713", background=True),
        says("They run."),
    )
    with ScriptedServer(*script) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=folder, approve="ask",
        ) as live:  # fmt: skip
            await live.say("Start things")
            for _ in range(3):
                await live.allow()
            await live.ended()
            shelf = live.find(JobShelf, "jobShelf")
            await until(lambda: len(shelf.commands()) == 3, what="all are listed")
            assert shelf.isVisible()
            assert shelf.commands() == ["sleep 5711", "sleep 5713", "sleep 5712 & echo up"]
            # One under the other, each beside what it is, however long it is.
            for row in shelf._rows.values():
                kind = row.findChild(QLabel)
                assert kind.width() <= kind.sizeHint().width()
                assert row.label.x() - kind.geometry().right() < 12
                assert row.stop.geometry().right() > row.width() - 12
            button: QAbstractButton = shelf.findChildren(IconButton)[0]
            button.click()
            await until(lambda: len(shelf.commands()) == 2, what="one is gone")
            # Stop ends what a command left; a job goes on.
            live.window.panel.session.stop()
            await until(lambda: shelf.commands() == ["sleep 5713"], what="the job is left")
            session_id = live.panel.session_id
            assert len(jobs.listed(session_id, running=True)) == 1
    assert jobs.listed(session_id, running=True) == ()
