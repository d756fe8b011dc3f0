"""Everyday commands that pass unasked, and their harmful brothers, which never do.

`harmless_commands.txt` only read, in the project; each of `doubtful_commands.txt` writes, runs,
reaches outside, reads secrets or never ends, or could.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kinet.policy.commands import judge_command

HERE = Path(__file__).parent


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name in ("README.md", "a.txt", "data.csv", "src/app.py", "tests/t.py", "package.json"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("def x\n")
    return root


@pytest.fixture
def tricky(clean: Path) -> Path:
    (clean / "link").symlink_to("/etc")
    (clean / "lsrc").symlink_to("src")
    for name in (".env", "deploy.pem", "sub/.git/config", "evil.sh"):
        (clean / name).parent.mkdir(parents=True, exist_ok=True)
        (clean / name).write_text("k\n")
    if hasattr(os, "mkfifo"):
        os.mkfifo(clean / "pipe")
    return clean


def judged_as(verdict: str, commands: list[str], root: Path) -> list[str]:
    home = root.parent / "home"
    return [
        command
        for command in commands
        if (judge_command(command, root, home, windows=False).verdict == "allow")
        is (verdict == "allow")
    ]


def test_everyday_reading_passes_unasked(clean: Path) -> None:
    commands = (HERE / "harmless_commands.txt").read_text(encoding="utf-8").splitlines()
    assert judged_as("asked", commands, clean) == []


def test_nothing_doubtful_passes_unasked(tricky: Path) -> None:
    commands = (HERE / "doubtful_commands.txt").read_text(encoding="utf-8").splitlines()
    assert judged_as("allow", commands, tricky) == []
    assert judged_as("allow", ["cat <<E\na\nE", "sed -n '/a\nw out/p' a.txt"], tricky) == []


def test_a_folder_that_cd_went_to_is_where_the_rest_is_judged(tricky: Path) -> None:
    passing = ["cd src && ls", "cd src && cat app.py", f"cd {tricky} && ls -la src"]
    assert judged_as("asked", passing, tricky) == []
    (tricky / "deep" / "er").mkdir(parents=True)
    (tricky / "short").symlink_to("deep/er")
    outside = ["cd short && cat ../x", "cd short/.. && ls", "cd deep && cat ../../x", "cd missing"]
    # The first may fail, and then the second leaves the project.
    outside += ["cd deep; cd ..; ls", "cd src | cd .. && ls"]
    assert judged_as("allow", outside, tricky) == []
    far = [f"d{number}" for number in range(9)]
    for name in far:
        (tricky / "/".join(far[: far.index(name) + 1])).mkdir(parents=True)
    few, many = ("; ".join(f"cd {name}" for name in far[:count]) for count in (3, 9))
    assert judged_as("asked", [few], tricky) == [few], "d1 lies in d0 alone"
    assert judged_as("allow", [many], tricky) == []
