"""Showing changes without running anything that a repository names."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tool_calls import Call

from kinet.core.errors import ToolError


def git(folder: Path, *arguments: str) -> None:
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "n", "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_COMMITTER_NAME": "n", "GIT_COMMITTER_EMAIL": "a@b",
    }  # fmt: skip
    subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *arguments],
        cwd=folder, env=environment, check=True, capture_output=True,
    )  # fmt: skip


@pytest.fixture
def repository(project: Path) -> Path:
    git(project, "init", "-q", ".")
    for name in ("a.txt", "b.txt", "secrets.json"):
        (project / name).write_text("1\n")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    (project / "a.txt").write_text("2\n")
    return project


async def test_changes_are_shown_and_secret_files_counted(repository: Path, call: Call) -> None:
    (repository / "secrets.json").write_text("hidden-key\n")
    (repository / "new file.txt").write_text("n\n")
    output = await call("git_diff")
    assert "-1\n+2\n" in output.content
    assert "hidden-key" not in output.content
    assert "1 file that may hold secrets was left out" in output.content
    assert "[untracked: new file.txt]" in output.content
    assert (output.details["added"], output.details["removed"]) == (1, 1)


async def test_path_ref_and_staged_choose_what_is_shown(repository: Path, call: Call) -> None:
    (repository / "b.txt").write_text("3\n")
    git(repository, "add", "b.txt")
    assert "+3" in (await call("git_diff", staged=True)).content
    assert "+3" not in (await call("git_diff", path="a.txt")).content
    assert (await call("git_diff", ref="HEAD")).details["files"] == 2
    with pytest.raises(ToolError):
        await call("git_diff", ref="--output=PWN")
    with pytest.raises(ToolError):
        await call("git_diff", ref="nosuchcommit")
    with pytest.raises(ToolError, match="outside"):
        await call("git_diff", path="../elsewhere")


TRIPWIRES = {
    "external": ["diff.external"],
    "filter": ["filter.e=vil.clean", "filter.e=vil.smudge"],
    "process": ["filter.evil.process"],
    "textconv": ["diff.evil.textconv", "diff.evil.command"],
    "monitor": ["core.fsmonitor"],
    "pager": ["core.pager", "pager.diff"],
    "hooks": ["core.hooksPath"],
}


@pytest.mark.parametrize("kind", TRIPWIRES)
async def test_no_program_that_the_repository_names_is_run(
    kind: str, repository: Path, call: Call
) -> None:
    wire = repository.parent / "PWN"
    script = repository / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {wire}\ncat\n")
    script.chmod(0o755)
    hooks = repository / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "fsmonitor-watchman", "pre-commit"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {wire}\n")
        (hooks / name).chmod(0o755)
    for key in TRIPWIRES[kind]:
        git(repository, "config", key, str(hooks) if kind == "hooks" else str(script))
    driver = "e=vil" if kind == "filter" else "evil"
    (repository / ".gitattributes").write_text(f"*.txt diff=evil filter={driver}\n")
    for arguments in ({}, {"staged": True}, {"ref": "HEAD"}, {"path": "a.txt"}):
        await call("git_diff", **arguments)
    assert not wire.exists()


async def test_a_submodule_starts_nothing_either(repository: Path, call: Call) -> None:
    inner = repository.parent / "inner"
    inner.mkdir()
    git(inner, "init", "-q", ".")
    (inner / "x.txt").write_text("1\n")
    git(inner, "add", "-A")
    git(inner, "commit", "-qm", "x")
    git(repository, "submodule", "add", "-q", str(inner), "sub")
    git(repository, "commit", "-qam", "sub")
    wire = repository.parent / "PWN"
    git(repository / "sub", "config", "core.fsmonitor", f"touch {wire};:")
    (repository / "sub" / "x.txt").write_text("2\n")
    await call("git_diff")
    assert not wire.exists()


async def test_a_repository_cannot_point_at_other_files(repository: Path, call: Call) -> None:
    outside = repository.parent / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("private\n")
    git(repository, "config", "core.worktree", str(outside))
    with pytest.raises(ToolError, match="another folder"):
        await call("git_diff")


async def test_no_repository_is_said(project: Path, call: Call) -> None:
    with pytest.raises(ToolError, match="not a git repository"):
        await call("git_diff")
