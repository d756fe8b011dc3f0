"""Stop in the window: the turn ends, nothing is left running, and the talk can go on."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from kinet.core.events import ToolFinished
from tests.support.live_window import live_window
from tests.support.scripted_server import ScriptedServer, asks_for, for_ever, says
from tests.support.window import until

pytestmark = pytest.mark.window


def alive(pid: int) -> bool:
    """True while a process of this number runs."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
async def test_no_child_of_a_running_command_is_left_and_the_next_message_is_accepted(
    tmp_path: Path, protocol: str
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    command = "sleep 300 & echo $! >> pids; sleep 301 & echo $! >> pids; wait"
    with ScriptedServer(asks_for("shell", command=command), says("Fine.")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=folder, protocol=protocol
        ) as live:
            await live.say("Run it")
            await live.allow()
            pids = folder / "pids"
            await until(lambda: pids.exists() and len(pids.read_text("utf-8").split()) == 2)
            children = [int(word) for word in pids.read_text("utf-8").split()]
            assert all(map(alive, children))
            pressed = time.monotonic()
            live.press("stopButton")
            await live.ended()
            print(f"stop took {time.monotonic() - pressed:.3f} s")
            await until(lambda: not any(map(alive, children)), what="the children end")
            assert live.panel.state == "stopped"
            assert "stopped" in live.text.lower()
            (finished,) = [e for e in live.panel.session.events() if isinstance(e, ToolFinished)]
            assert finished.is_error
            await live.ask("And now?")
            assert "Fine." in live.text
    assert server.problems == []
    assert os.listdir(folder) == ["pids"]


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
async def test_a_model_that_asks_for_tools_for_ever_is_stopped_and_answers_again(
    tmp_path: Path, protocol: str
) -> None:
    (tmp_path / "notes.txt").write_text("milk\n", "utf-8")
    with ScriptedServer(for_ever("grep", pattern="milk{n}")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path, protocol=protocol
        ) as live:
            await live.say("Search for ever")
            await until(lambda: len(server.requests) >= 5)
            pressed = time.monotonic()
            live.press("stopButton")
            await live.ended()
            print(f"stop took {time.monotonic() - pressed:.3f} s")
            assert "stopped" in live.text.lower()
            server.clear()
            server.replies(says("Fine."))
            await live.ask("And now?")
            assert "Fine." in live.text
    assert server.problems == []
