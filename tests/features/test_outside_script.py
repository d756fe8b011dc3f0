"""The names and functions that scripts from outside rely on, used by one as it is written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.scripted_server import ScriptedServer, asks_for, says

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.window


def test_a_script_with_a_plain_loop_drives_the_window(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "a.txt").write_text("hello\n", "utf-8")
    program = Path(__file__).with_name("outside_program.py")
    script = (asks_for("read_file", path="a.txt"), says("It says **hello**."))
    with ScriptedServer(*script) as server:
        ran = subprocess.run(
            [sys.executable, program, tmp_path / "home", tmp_path / "work", server.base_url],
            env={**os.environ, "PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"},
            capture_output=True,
            encoding="utf-8",
            timeout=90,
            check=False,
        )
    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr
    found = json.loads(ran.stdout)
    assert (found["name"], found["missing"]) == ("mainWindow", [])
    assert found["text"].startswith("**You:** What does it say?")
    assert found["text"].endswith("It says **hello**.")
    assert found["blocks"] >= 3
    assert found["shown"]
    assert "hello" in found["output"]
    assert found["history"] == ["user", "assistant", "tool", "assistant"]
    assert found["same"]
