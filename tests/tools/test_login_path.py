"""The PATH of a terminal, for programs that were started from a menu."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kinet.tools.processes import login_path

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has one PATH")


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A login shell that does what the test writes into it."""
    place = tmp_path / "shell"
    monkeypatch.setenv("SHELL", str(place))
    monkeypatch.setattr(login_path, "_asked", [])
    monkeypatch.delenv("SHLVL", raising=False)
    return place


def write(shell: Path, text: str) -> None:
    shell.write_text(f"#!/bin/sh\n{text}\n")
    shell.chmod(0o755)


def test_what_a_login_shell_adds_stands_behind_what_is_there(shell: Path) -> None:
    write(shell, 'echo "Welcome back"; PATH="/opt/new:/usr/bin:relative:" /bin/sh -c "$4"')
    made = login_path.with_login_path({"PATH": "/usr/bin:/bin", "LANG": "C"})
    assert made == {"PATH": "/usr/bin:/bin:/opt/new", "LANG": "C"}


def test_the_shell_is_asked_once(shell: Path, tmp_path: Path) -> None:
    count = tmp_path / "count"
    write(shell, f'echo x >> {count}; /bin/sh -c "$4"')
    login_path.with_login_path({"PATH": "/bin"})
    login_path.with_login_path({"PATH": "/bin"})
    assert count.read_text() == "x\n"


@pytest.mark.parametrize("text", ["exit 1", "echo nothing of use", "exec sleep 60", "kill -9 $$"])
def test_a_shell_that_says_nothing_changes_nothing(
    shell: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(login_path, "_SECONDS", 0.5)
    write(shell, text)
    assert login_path.with_login_path({"PATH": "/bin"}) == {"PATH": "/bin"}


def test_a_program_that_a_terminal_started_has_its_path_already(
    shell: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHLVL", "1")
    write(shell, "exit 1")
    assert login_path.with_login_path({"PATH": "/bin"}) == {"PATH": "/bin"}
    assert login_path._asked == []


def test_no_shell_is_no_fault(shell: Path) -> None:
    assert login_path.with_login_path({"PATH": "/bin"}) == {"PATH": "/bin"}
