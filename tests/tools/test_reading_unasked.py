"""What runs unasked because it only reads: as it was judged, or not at all, and nothing more."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tool_calls import Call

from kinet.core.errors import ToolError
from kinet.policy.gate import gather, granted_to_read
from kinet.tools.base import ToolContext
from kinet.tools.shell import Shell, ShellArguments

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="nothing is judged plain there"),
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]


@pytest.fixture
def repository(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    subprocess.run(["git", "init", "-q", "--template="], cwd=project, check=True)
    (project / "a.txt").write_text("a\n")
    subprocess.run(["git", "add", "a.txt"], cwd=project, check=True)
    return project


async def test_a_command_that_may_do_more_by_now_is_not_run(
    repository: Path, context: ToolContext
) -> None:
    arguments = ShellArguments(command="git status", timeout_s=20)
    facts = gather("shell", "execute", arguments.model_dump(), repository)
    assert facts.judgement.verdict == "allow"
    settings = repository / ".git" / "config"
    settings.write_text(f"{settings.read_text()}\n[core]\n\tfsmonitor = touch marker\n")
    with pytest.raises(ToolError, match=r"What it would read has changed.*sets core\.fsmonitor"):
        await Shell().run(arguments, replace(context, grant=facts.grant))
    # Asked about, it runs.
    asked = gather("shell", "execute", arguments.model_dump(), repository)
    assert asked.judgement.verdict == "ask"
    assert asked.grant != facts.grant
    assert not granted_to_read("shell", arguments.model_dump(), asked.grant)
    output = await Shell().run(arguments, replace(context, grant=asked.grant))
    assert "a.txt" in output.content
    assert (repository / "marker").exists()


async def test_the_persons_own_settings_start_nothing_beside_what_only_reads(
    call: Call, repository: Path, tmp_path: Path
) -> None:
    marker = tmp_path / "marker"
    (tmp_path / ".gitconfig").write_text(f"[core]\n\tfsmonitor = touch {marker}\n")
    assert "a.txt" in (await call("shell", command="git status -s")).content
    assert not marker.exists()
    # The same with something beside that is asked about.
    await call("shell", command="git status -s; : $HOME")
    assert marker.exists()


async def test_patterns_are_what_the_shell_makes_of_them(call: Call, repository: Path) -> None:
    for name in ("src/b.txt", "src/deep/c.txt", "d e.txt", ".hidden.txt", "é.txt"):
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        (repository / name).write_text(f"{name}\n")
    for command, expected in (
        ("cat *.txt", "a\nd e.txt\né.txt"), ("cat src/*.txt", "src/b.txt"),
        ("cat **/*.txt", "src/b.txt"), ("cat ?.txt src/*/?.txt", "a\né.txt\nsrc/deep/c.txt"),
    ):  # fmt: skip
        facts = gather("shell", "execute", {"command": command}, repository)
        assert facts.judgement.verdict == "allow", facts.judgement.reason
        assert (await call("shell", command=command)).content == expected
