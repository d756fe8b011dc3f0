"""git_log, git_show and git_status: what they tell, and that nothing of the repository runs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tool_calls import Call

from kinet.core.errors import ToolError

CALLS: tuple[tuple[str, dict[str, object]], ...] = (
    ("git_log", {}),
    ("git_log", {"path": "a.txt", "search": "first"}),
    ("git_show", {}),
    ("git_show", {"ref": "HEAD~1", "path": "a.txt"}),
    ("git_show", {"path": "a.txt", "whole_file": True}),
    ("git_status", {}),
    ("git_diff", {}),
    ("git_diff", {"staged": True}),
)


def git(folder: Path, *arguments: str) -> None:
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(folder.parent), "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Nora", "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_COMMITTER_NAME": "Nora", "GIT_COMMITTER_EMAIL": "a@b",
    }  # fmt: skip
    subprocess.run(
        ["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True
    )


@pytest.fixture
def repository(project: Path) -> Path:
    git(project, "init", "-q", "-b", "main", ".")
    (project / "a.txt").write_text("1\n")
    (project / "secrets.json").write_text("old-key\n")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first of all")
    (project / "a.txt").write_text("2\n")
    (project / "secrets.json").write_text("new-key\n")
    git(project, "commit", "-qam", "second\n\nwith a body")
    return project


async def test_the_history_is_listed_and_searched(repository: Path, call: Call) -> None:
    lines = (await call("git_log")).content.splitlines()
    assert [line.split("  ")[2:] for line in lines] == [
        ["Nora", "second"], ["Nora", "first of all"],
    ]  # fmt: skip
    found = await call("git_log", search="FIRST")
    assert found.preview == "1 commit"
    assert (await call("git_log", limit=1)).details["commits"] == 1


async def test_a_commit_is_shown_without_secret_files(repository: Path, call: Call) -> None:
    output = await call("git_show")
    assert "with a body" in output.content
    assert "-1\n+2\n" in output.content
    assert "new-key" not in output.content
    assert output.details["left_out"] == 1
    old = await call("git_show", ref="HEAD~1", path="a.txt", whole_file=True)
    assert old.content == "1\n"
    with pytest.raises(ToolError, match="may hold keys"):
        await call("git_show", path="secrets.json", whole_file=True)


async def test_the_status_is_told_in_words(repository: Path, call: Call) -> None:
    (repository / "a.txt").write_text("3\n")
    (repository / "two words.txt").write_text("n\n")
    (repository / "staged").write_text("s\n")
    git(repository, "add", "staged")
    lines = (await call("git_status")).content.splitlines()
    assert "branch: main" in lines
    assert lines[-3:] == ["changed: a.txt", "staged new: staged", "untracked: two words.txt"]
    assert (await call("git_status")).preview == "3 files"


@pytest.mark.parametrize("ref", ["--output=PWN", "-p", "nosuchcommit", "a;b", "HEAD:a.txt"])
async def test_what_is_no_commit_is_refused(repository: Path, call: Call, ref: str) -> None:
    for name in ("git_show", "git_log"):
        with pytest.raises(ToolError):
            await call(name, ref=ref)
    assert not (repository / "PWN").exists()


WIRES = {
    "external": ["diff.external"],
    "filter": ["filter.evil.clean", "filter.evil.smudge", "filter.evil.process"],
    "textconv": ["diff.evil.textconv", "diff.evil.command"],
    "monitor": ["core.fsmonitor"],
    "pager": ["core.pager", "pager.log", "pager.show", "pager.status"],
    "signature": ["gpg.program", "gpg.ssh.program"],
    "hooks": ["core.hooksPath"],
    "alias": ["alias.log", "alias.show", "alias.status"],
    "ssh": ["core.sshCommand", "core.askPass", "credential.helper"],
    "merge": ["merge.evil.driver", "mergetool.evil.cmd", "difftool.evil.cmd"],
}


@pytest.mark.parametrize("kind", WIRES)
async def test_no_program_that_the_repository_names_is_run(
    kind: str, repository: Path, call: Call
) -> None:
    wire = repository.parent / "PWN"
    script = repository / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {wire}\ncat\n")
    script.chmod(0o755)
    hooks = repository / "hooks"
    hooks.mkdir()
    for name in ("post-index-change", "fsmonitor-watchman", "reference-transaction"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {wire}\n")
        (hooks / name).chmod(0o755)
    for key in WIRES[kind]:
        value = f"!{script}" if kind == "alias" else str(script)
        git(repository, "config", key, str(hooks) if kind == "hooks" else value)
    git(repository, "config", "log.showSignature", "true")
    git(repository, "config", "status.submoduleSummary", "true")
    git(repository, "config", "diff.submodule", "log")
    (repository / ".gitattributes").write_text("*.txt diff=evil filter=evil merge=evil\n")
    (repository / "a.txt").write_text("4\n")
    for name, arguments in CALLS:
        await call(name, **arguments)
    assert not wire.exists()


async def test_a_submodules_configuration_starts_nothing(repository: Path, call: Call) -> None:
    inner = repository.parent / "inner"
    inner.mkdir()
    git(inner, "init", "-q", ".")
    (inner / "x.txt").write_text("1\n")
    git(inner, "add", "-A")
    git(inner, "commit", "-qm", "x")
    git(repository, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "sub")
    git(repository, "commit", "-qam", "sub")
    wire = repository.parent / "PWN"
    for key in ("core.fsmonitor", "diff.external"):
        git(repository / "sub", "config", key, f"touch {wire};:")
    (repository / "sub" / "x.txt").write_text("2\n")
    for name, arguments in CALLS:
        if arguments.get("ref") != "HEAD~1":
            await call(name, **arguments)
    assert not wire.exists()


async def test_without_a_repository_one_sentence_says_so(project: Path, call: Call) -> None:
    for name in ("git_log", "git_show", "git_status"):
        with pytest.raises(ToolError, match="not a git repository"):
            await call(name)
