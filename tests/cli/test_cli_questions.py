"""A question of the model on a terminal, and what a run without one does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.cli.conftest import environment
from tests.support.scripted_server import ScriptedServer, asks_for, says

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a terminal of POSIX systems")

ASKED = asks_for("ask_user", question="Which colour?", choices=["red", "blue"])


def _command(server: ScriptedServer, folder: Path, text: str) -> list[str]:
    return [
        *(sys.executable, "-m", "kinet", "run", "--base-url", server.base_url),
        *("--model", "scripted", "--cwd", str(folder), text),
    ]


@pytest.mark.parametrize(
    ("typed", "told"), [("2\n", "blue"), ("green\n", "green"), ("\n", "(no answer)")]
)
def test_a_number_or_words_answer_a_question_of_the_model(
    tmp_path: Path, typed: str, told: str
) -> None:
    import pty

    ours, theirs = pty.openpty()
    with ScriptedServer(ASKED, says("Ok.")) as server:
        process = subprocess.Popen(
            _command(server, tmp_path, "paint it"),
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(tmp_path / "home"),
        )
        os.close(theirs)
        killer = threading.Timer(30, process.kill)
        killer.start()
        assert process.stderr is not None
        said = b""
        while b"Your answer" not in said:
            piece = os.read(process.stderr.fileno(), 4096)
            assert piece, said
            said += piece
        os.write(ours, typed.encode())
        out, _ = process.communicate()
        killer.cancel()
        os.close(ours)
    assert b"2  blue" in said
    assert (process.returncode, out) == (0, b"Ok.\n")
    assert server.bodies[1]["messages"][-1]["content"] == told


def test_without_a_terminal_no_question_is_offered(tmp_path: Path) -> None:
    with ScriptedServer(says("Ok.")) as server:
        done = subprocess.run(
            _command(server, tmp_path, "paint it"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment(tmp_path / "home"),
            timeout=60,
        )
    assert done.returncode == 0
    assert "ask_user" not in json.dumps(server.bodies[0]["tools"])


def test_a_session_is_compacted_from_the_command_line(tmp_path: Path) -> None:
    script = (says("Long. " + "word " * 9_000), says("B."), says("## Goal\nAll."))
    with ScriptedServer(*script) as server:
        for text in ("First " + "words " * 5_000, "Second", "/compact the goal"):
            command = _command(server, tmp_path, text)
            command[-1:-1] = [] if text.startswith("First") else ["--continue"]
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=environment(tmp_path / "home"),
                timeout=60,
            )
            assert done.returncode == 0, done.stderr
    assert b"shortened from" in done.stderr
    assert "the goal" in str(server.bodies[2]["messages"])
