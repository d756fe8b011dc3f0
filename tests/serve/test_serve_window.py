"""kinet serve and a window on one data folder: whoever opens or closes, the client goes on."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kinet.store.lock import InstanceLock
from tests.cli.conftest import environment
from tests.serve.conftest import Serve, new
from tests.support.rpc_client import PATIENCE, Error
from tests.support.scripted_server import ScriptedServer, hangs, says

pytestmark = pytest.mark.window


def _until(holds: Callable[[], bool], what: str) -> None:
    """Other processes tell nobody what they do: it is looked at."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"not in time: {what}"
        time.sleep(0.02)


@contextmanager
def _window(home: Path, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A real window that holds the data folder and can be reached."""
    window = subprocess.Popen(
        [sys.executable, "-m", "kinet"],
        env=environment(home, QT_QPA_PLATFORM="offscreen"),
        cwd=folder,
        stderr=subprocess.PIPE,
    )
    try:
        _until(lambda: _reached(home) == window.pid or window.poll() is not None, "it opens")
        assert window.poll() is None, window.communicate()
        yield window
    finally:
        window.terminate()
        _, said = window.communicate(timeout=PATIENCE)
        assert b"Traceback" not in said, said


def _reached(home: Path) -> int:
    """The process that holds the folder and can be reached; 0 for none."""
    try:
        process: int = json.loads((home / "owner.json").read_bytes())["process"]
    except (OSError, ValueError):
        return 0
    return process if InstanceLock(home).holder() == process else 0


def test_a_window_that_opens_gets_the_folder_and_the_client_goes_on_there_and_back(
    serve: Serve, model: ScriptedServer, home: Path, folder: Path
) -> None:
    model.replies(says("First."), says("Second."), says("Third."))
    client = serve()
    session = new(client, mode="plan")
    unsent = new(client, title="Not sent yet")
    client.call("session/send", session_id=session, text="one")
    beside = serve()
    theirs = new(beside)
    with _window(home, folder):
        assert beside.call("session/get", session_id=theirs)["state"] == "idle"
        assert client.call("session/send", session_id=session, text="two")["text"] == "Second."
        assert "First." in json.dumps(model.bodies[1]["messages"])
        assert client.call("session/get", session_id=session)["mode"] == "plan"
        assert client.call("session/get", session_id=unsent)["title"] == "Not sent yet"
        # Another one is passed on at once.
        other = serve()
        with pytest.raises(Error, match=r"open in another Kinet"):
            other.call("session/open", session_id=session)
        assert other.end() == 0
    assert client.call("session/send", session_id=session, text="three")["text"] == "Third."
    assert "Second." in json.dumps(model.bodies[2]["messages"])
    # One of them has the folder now and serves the other.
    assert _reached(home) in (client.process.pid, beside.process.pid)
    assert beside.call("session/get", session_id=theirs)["state"] == "idle"
    assert client.call("session/get", session_id=session)["mode"] == "plan"


def test_a_window_that_closes_stops_the_turn_and_hands_the_client_back(
    serve: Serve, model: ScriptedServer, home: Path, folder: Path
) -> None:
    model.replies(hangs("One"), says("Again."))
    with _window(home, folder):
        client = serve()
        session = new(client)
        turn = client.ask("session/send", session_id=session, text="one")
        client.wait(lambda: "text_delta" in client.types(session))
    assert client.answer(turn)["reason"] == "stopped"
    assert client.types(session)[-1] == "turn_finished"
    assert client.call("session/send", session_id=session, text="two")["text"] == "Again."
    assert "One" in json.dumps(model.bodies[1]["messages"])


def test_a_window_that_cannot_begin_gives_the_client_back_at_once(
    serve: Serve, model: ScriptedServer, home: Path, folder: Path
) -> None:
    client = serve()
    session = new(client, mode="plan")
    without = environment(home, QT_QPA_PLATFORM="", DISPLAY="", WAYLAND_DISPLAY="")
    start = [sys.executable, "-m", "kinet"]
    ended = subprocess.run(start, env=without, cwd=folder, capture_output=True, timeout=PATIENCE)
    assert ended.returncode == 1
    assert b"no display" in ended.stderr
    # Far less than a window that is at it is waited for.
    asked = client.ask("session/get", session_id=session)
    assert client.answer(asked, 8)["mode"] == "plan"
    _until(lambda: InstanceLock(home).holder() == client.process.pid, "it holds the folder again")
