"""What git does unasked in real repositories that hold traps: nothing but read, and no secret.

The large run, with random commands, is `tests/bench/bench_git.py`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kinet.policy.commands import judge_command
from kinet.tools.processes.environment import reading_environment
from tests.support.git_traps import SECRETS, TRAPS, TrapPlace, git

pytestmark = [
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
    pytest.mark.skipif(sys.platform == "win32", reason="nothing is judged plain there"),
]
READING = (
    "git status", "git diff", "git diff HEAD", "git diff --cached", "git log -p -2", "git show",
    "git blame docs/a.txt", "git log --oneline -5", "git branch -vv", "git ls-files -m",
    "git grep a",
    "git remote -v", "git -C src status -s", "git show HEAD:docs/a.txt", "git diff docs/a.txt",
)  # fmt: skip
LOOKING, COMPARING = ("git status", "git diff"), ("git diff", "git show", "git log -p -2")
# What asks there, and words of the reason.
ASKS: dict[str, tuple[tuple[str, ...], str]] = {
    "fsmonitor": (READING, "the repository's .git/config: it sets core.fsmonitor"),
    "fsmonitor in a continued line": (READING, "it sets core.fsmonitor"),
    "fsmonitor behind a comment": (READING, "it sets core.fsmonitor"),
    "fsmonitor behind a section": (READING, "it sets a.b\"].c"),
    "fsmonitor with odd ends": (READING, "it sets core.fsmonitor"),
    "pager": (READING, "it sets core.pager"),
    "hooks": (LOOKING, "has a hook for when git looks at files (.git/hooks/post-index-change)"),
    "hooks elsewhere": (READING, "it sets core.hookspath"),
    "external": (READING, "it sets diff.external"),
    "textconv": (READING, "it sets diff.e.textconv"),
    "command": (READING, "it sets diff.e.command"),
    "clean": (READING, "it sets filter.e.clean"),
    "process": (READING, "it sets filter.e.process"),
    "smudge": (READING, "it sets filter.e.smudge"),
    "merge driver": (READING, "it sets merge.e.driver"),
    "signature": (READING, "it sets gpg.program"),
    "signature in a format": (READING, "its format.pretty runs a program"),
    "aliases": (READING, "it sets alias.status"),
    "include": (READING, "it sets include.path"),
    "include of the person": (READING, "it sets diff.external"),
    "ssh": (READING, "it sets core.sshcommand"),
    "credentials": (READING, "it sets credential.helper"),
    "editors": (READING, "it sets core.editor"),
    "others": (READING, "it sets core.gitproxy"),
    "submodule": (LOOKING, "the repository holds others (submodules)"),
    "inside of a nested one": (("git -C src status", "git -C nested status"), ""),
    "elsewhere": (READING, "is no folder of its own"),
    "linked": (READING, "is no folder of its own"),
    "bare": (("git -C src status", "cd src && git log"), "without files of its own"),
    "common": (READING, "what lies elsewhere (.git/commondir)"),
    "settings of the tree": (READING, "what lies elsewhere (.git/config.worktree)"),
    "partial": (READING, "it sets remote.origin.promisor"),
    "the person's external": (COMPARING, "name a program (diff.external)"),
    "the person's textconv": (COMPARING, "name a program (diff.e.textconv)"),
    "the person's clean": (LOOKING, "name a program (filter.e.clean)"),
    "secret now": (
        ("git diff", "git show", "git log -p -2", "git show HEAD:.env", "git blame .env",
         "git diff -- .env", "git log -p -1 -- .env", "git diff HEAD~1 HEAD"), "may hold keys",
    ),
    "secret before": (("git diff --cached", "git diff HEAD", "git show HEAD:./.env"), "may hold"),
    "secret long ago": (
        ("git log -p -2", "git show HEAD~1", "git show HEAD~2", "git show keys", "git diff HEAD~2",
         "git show --stat keys", "git diff HEAD~2 HEAD", "git show HEAD~2:.env"), "",
    ),
    "secret in a pack": (
        ("git log -p -2", "git show HEAD~1", "git show HEAD~2", "git show keys"), "",
    ),
    "secret under another name": (
        ("git show", "git show HEAD~1", "git log -p --follow -- plain.txt",
         "git log --follow -p plain.txt", "git diff HEAD~1 HEAD"), "",
    ),
    "replaced": (("git show", "git diff HEAD", "git log -p -1"), "replaces objects by others"),
    "token": (("git remote -v", "git remote get-url paid"), "the address of a remote holds a"),
    "rewritten": (("git remote -v", "git remote get-url origin"), "the address of a remote"),
    "other objects": (READING, "what lies elsewhere (.git/objects/info/alternates)"),
    "under way": (READING, "a link lies in the repository's .git"),
    "files elsewhere": (READING, "it sets core.worktree"),
}  # fmt: skip


@pytest.fixture
def laid(plain: TrapPlace, tmp_path: Path) -> Callable[[str], TrapPlace]:
    def lay(name: str) -> TrapPlace:
        base = tmp_path / "trap"
        shutil.copytree(plain.base, base, symlinks=True)
        place = TrapPlace(base)
        Path(place.program).write_text(f"#!/bin/sh\necho x >> {place.marker}\ncat\n")
        TRAPS[name](place)
        return place

    return lay


def reason(command: str, place: TrapPlace) -> str:
    judged = judge_command(command, place.top, place.home, windows=False)
    return "" if judged.verdict == "allow" else judged.reason


@pytest.mark.parametrize("name", TRAPS)
def test_no_trap_springs_unasked(
    name: str, laid: Callable[[str], TrapPlace], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = laid(name)
    monkeypatch.setenv("HOME", str(place.home))
    asking, words = ASKS.get(name, ((), ""))
    for command in asking:
        assert words in reason(command, place)
        assert reason(command, place)
    environment = reading_environment(place.top)
    index = place.top / ".git" / "index"
    before = index.read_bytes() if index.is_file() else b""
    shown = b""
    for command in (one for one in READING if not reason(one, place)):
        done = subprocess.run(
            command.split(), cwd=place.top, env=environment, capture_output=True, check=False
        )
        shown += done.stdout
        if name == "none":
            assert done.returncode == 0, done.stderr
    assert not place.marker.exists()
    assert not any(secret.encode() in shown for secret in SECRETS)
    assert (index.read_bytes() if index.is_file() else b"") == before


def test_plain_reading_of_a_plain_repository_passes(plain: TrapPlace) -> None:
    more = (
        "git diff HEAD~1..HEAD", "git diff --stat main topic", "git show v1", "git show --stat",
        "git show -1",
        "git log -1 'HEAD@{1}'",
        "git log --graph --all --oneline", "git log -p -- docs/a.txt", "git log --since=2.weeks",
        "git diff topic...main", "git diff v1...topic -- src", "git diff --stat topic...main",
        "git diff --check", "git grep -n -i 'x =' -- src", "git grep -e x HEAD", "git grep -A 2 x",
        "git grep -l x HEAD~1 -- docs", "git grep -c -e a --cached",
        "git diff HEAD -- src", "git diff -U5 -w", "git branch --list 'to*'", "git tag -l",
        "git branch --contains HEAD", "git branch --merged main", "git tag --contains v1",
        "git rev-parse --abbrev-ref HEAD", "git rev-parse --show-toplevel", "git stash list",
        "git describe --tags --always", "git shortlog -sn HEAD", "git ls-tree -r HEAD --name-only",
        "git merge-base main topic", "git rev-list --count HEAD", "git worktree list",
        "git show HEAD~1:docs/a.txt | head -5", "git log --pretty=format:'%h %an %s' -n 3",
        "cd src && git status && git log -1", "git status -uno --porcelain=v2", "git version",
        "git show-ref --heads", "git for-each-ref --format='%(refname:short)'", "git diff src",
        "git blame -L 1,2 docs/a.txt", "git reflog -3", "git reflog show main", "git log topic --",
    )  # fmt: skip
    assert [(one, reason(one, plain)) for one in (*READING, *more) if reason(one, plain)] == []


def test_other_forms_say_why_they_ask(plain: TrapPlace) -> None:
    for command, words in (
        ("git diff -- ':(glob)*'", "for more than the name of a file"),
        ("git log -- :/x", "for more than the name of a file"),
        ("git log :/x", "is not plainly a commit or a file"),
        ("git log 'a b'", "is not plainly a commit or a file"),
        ("git show HEAD:../x", "../x is unclear"), ("git blame", "git blame lacks its file"),
        ("git grep", "git grep lacks a pattern"), ("git diff ../x", "../x is outside the project"),
        ("git diff docs/a.txt ../x", "../x is outside"),
        ("git log -- /etc/passwd", "is outside the project"),
        ("git log -p", "which commits are shown"),
        ("git log -p -21", "which commits are shown"), ("git log -p -2 -- src", "which commits"),
        ("git log -p -2 --all", "all may choose other commits"),
        ("git show --all", "all may choose"),
        ("git diff HEAD~1 HEAD main", "more than two commits"),
        ("git show 'HEAD@{1}'", "understood"),
        ("git show HEAD:docs/a.txt HEAD", "understood"),
        ("git -C new.txt log", "new.txt is a link or no folder"),
        ("git -C .. log", ".. is outside"),
        ("git -C gone log", "gone is a link or no folder"), ("git show HEAD:.env", ".env may hold"),
    ):  # fmt: skip
        assert words in reason(command, plain), command
    assert reason("git log -p -20", plain) == reason("git log -p -1", plain) == ""


def test_addresses_that_are_noted_in_an_old_way_ask(laid: Callable[[str], TrapPlace]) -> None:
    place = laid("none")
    for name in ("remotes", "branches"):
        folder = place.top / ".git" / name
        folder.mkdir()
        assert reason("git remote -v", place) == ""
        (folder / "o").write_text("URL: https://a:TOKEN-VALUE@host.test/x\n")
        assert "notes remotes in an old way" in reason("git remote -v", place)
        assert reason("git status", place) == ""
        (folder / "o").unlink()
    (place.top / ".git" / "branches").rmdir()
    (place.top / ".git" / "branches").write_text("x")
    assert "in an old way" in reason("git remote", place)


def test_a_guarded_file_that_is_as_it_was_is_not_shown(
    laid: Callable[[str], TrapPlace],
) -> None:
    place = laid("none")
    place.writes("docs/ca.pem", "SECRET-VALUE\n")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "certificate")
    for name in ("docs/ca.pem", "docs/a.txt"):
        os.utime(place.top / name, (1, 1))
    everything = ("git diff", "git diff HEAD", "git diff --cached", "git diff HEAD -- docs")
    # Its times are not those that the index knows.
    assert "docs/ca.pem in the repository" in reason("git diff", place)
    assert "docs/ca.pem in the repository" in reason("git diff HEAD -- docs", place)
    assert reason("git diff --cached", place) == reason("git diff -- src", place) == ""
    git(place, "update-index", "-q", "--refresh")
    index = place.top / ".git" / "index"
    later = index.stat().st_mtime + 5
    # Its own time has no parts of a second: there the clock may go in long steps.
    os.utime(index, (later - 4, later - 4))
    assert "docs/ca.pem" in reason("git diff", place)
    os.utime(index, (later, later))
    assert [reason(command, place) for command in everything] == ["", "", "", ""]
    assert "docs/ca.pem" in reason("git show", place)
    place.writes("docs/ca.pem", "OTHER-VALUE!\n")
    assert "docs/ca.pem" in reason("git diff", place)
    assert "docs/ca.pem" in reason("git diff -- src docs", place)
    assert "docs/ca.pem" in reason("git diff -- src 'docs/*'", place)
    assert "docs/ca.pem" in reason("git grep x -- docs", place)
    assert reason("git grep x -- src", place) == ""
    git(place, "add", "docs/ca.pem")
    os.utime(index, (later, later))
    assert "docs/ca.pem" in reason("git diff --cached", place)
    assert "docs/ca.pem" in reason("git diff HEAD", place)
    assert reason("git diff", place) == ""
    git(place, "rm", "-q", "--cached", "docs/ca.pem")
    assert "docs/ca.pem" in reason("git diff --cached", place)
