"""No second way to a program, a written file or the network: seen at work by an audit hook."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from test_one_gate import NETWORK, PROGRAMS, WRITERS

CHILD = Path(__file__).with_name("doors_child.py")
MUST_RUN = {"read_file", "write_file", "edit_file", "grep", "glob", "shell", "git_status",
            "web_fetch"}  # fmt: skip


def watched(tmp_path: Path, answer: str) -> dict[str, Any]:
    for name in ("project", "data"):
        (tmp_path / name).mkdir()
    done = subprocess.run(
        [
            sys.executable,
            "-B",
            str(CHILD),
            str(tmp_path / "project"),
            str(tmp_path / "data"),
            answer,
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={**os.environ, "HOME": str(tmp_path / "home")},
    )
    found: dict[str, Any] = json.loads(done.stdout)
    assert set(found["ran"]) >= MUST_RUN
    return found


def behind(found: dict[str, Any], door: str) -> set[str]:
    return {path for opened, path in found["doors"] if opened == door}


def test_every_door_is_opened_where_it_may_be(tmp_path: Path) -> None:
    found = watched(tmp_path, "yes")
    assert behind(found, "start") <= PROGRAMS
    assert behind(found, "write") <= WRITERS | PROGRAMS
    assert behind(found, "connect") <= NETWORK
    # The hook sees: what was allowed has happened.
    assert behind(found, "start")
    assert "tools/files/file_write.py" in behind(found, "write")
    assert (tmp_path / "project" / "new" / "b.txt").read_text() == "x\n"


def test_what_was_denied_opens_no_door(tmp_path: Path) -> None:
    found = watched(tmp_path, "no")
    assert behind(found, "connect") == set()
    assert not behind(found, "write") & {"tools/files/file_write.py", "tools/files/file_access.py"}
    assert os.listdir(tmp_path / "project") == ["a.txt"]
    assert (tmp_path / "project" / "a.txt").read_text() == "one\ntwo\n"
