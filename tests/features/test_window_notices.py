"""Who looks elsewhere hears of long turns and of failures, once in a while and without details."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinet.ui.desks.inbox import Inbox
from tests.support.live_window import LiveWindow, live_window
from tests.support.scripted_server import Gate, ScriptedServer, fails, says
from tests.support.window import until

pytestmark = pytest.mark.window


class Clock:
    """Time that a test moves."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def listening(live: LiveWindow) -> tuple[list[tuple[str, str]], Clock]:
    """What is announced from now on, and the clock it goes by."""
    inbox: Inbox = live.window.core.inbox
    told: list[tuple[str, str]] = []
    clock = Clock()
    inbox._clock = clock
    inbox.announce = lambda title, body: told.append((title, body))  # type: ignore[method-assign]
    return told, clock


async def test_a_long_turn_that_nobody_watches_is_announced_when_it_is_done(
    tmp_path: Path,
) -> None:
    gate = Gate()
    with ScriptedServer(says(gate, "Done."), says("Quick.")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            told, clock = listening(live)
            await live.say("Work through rm -rf secrets.txt")
            panel = live.panel
            live.window.desk.new()
            clock.now += 75
            gate.open()
            await until(lambda: not panel.runner.running)
            assert [body for _, body in told] == ["Done in 1 min 15 s"]
            # A short one is no news.
            ended: list[bool] = []
            live.panel.runner.running_changed.connect(lambda on: on or ended.append(True))
            live.panel.send("And now?")
            await until(lambda: ended)
            assert len(told) == 1


async def test_a_failure_is_announced_unless_it_is_seen(tmp_path: Path) -> None:
    with ScriptedServer(fails(401), fails(401)) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            told, _ = listening(live)
            live.window.activateWindow()
            await until(live.window.isActiveWindow)
            panel = live.panel
            ended: list[bool] = []
            panel.runner.running_changed.connect(lambda on: None if on else ended.append(True))
            panel.send("Seen")
            await until(lambda: len(ended) == 1)
            assert told == []
            panel.send("Not seen")
            live.window.desk.new()
            await until(lambda: len(ended) == 2)
            assert told == [(panel.title, "It could not go on")]
