"""What git takes for its repository, index and commits may be another thing than it seems."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kinet.policy.commands import judge_command
from kinet.policy.git_place import Index, read_index
from kinet.tools.processes.environment import reading_environment
from tests.support.git_traps import SECRETS, TrapPlace, git

pytestmark = [
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
    pytest.mark.skipif(sys.platform == "win32", reason="nothing is judged plain there"),
]


@pytest.fixture
def place(plain: TrapPlace, tmp_path: Path) -> TrapPlace:
    shutil.copytree(plain.base, tmp_path / "trap", symlinks=True)
    found = TrapPlace(tmp_path / "trap")
    Path(found.program).write_text(f"#!/bin/sh\necho x >> {found.marker}\ncat\n")
    return found


def reason(command: str, place: TrapPlace) -> str:
    judged = judge_command(command, place.top, place.home, windows=False)
    return "" if judged.verdict == "allow" else judged.reason


def _passed_over(place: TrapPlace) -> None:
    for name in ("objects", "refs"):
        shutil.copytree(place.top / ".git" / name, place.top / name)
    for name in ("HEAD", "index", "config"):
        shutil.copy(place.top / ".git" / name, place.top / name)
    with open(place.top / "config", "a", encoding="utf-8") as file:
        file.write(f"[core]\nbare = false\nworktree = .\n[diff]\nexternal = {place.program}\n")
    place.writes(".git/HEAD", "nothing\n")


def _inside_of_two(place: TrapPlace) -> None:
    for name in ("objects", "refs"):
        shutil.copytree(place.top / ".git" / name, place.top / "src" / "kept" / name)
    place.writes("src/HEAD", "ref: refs/heads/main\n")
    place.writes("src/commondir", "kept\n")
    place.writes("src/kept/info/attributes", "* diff=e\n")
    place.writes("src/kept/config", '[diff "e"]\n\ttextconv = TRAP\n')


def _split_index(place: TrapPlace) -> None:
    inner = place.top / "sub"
    inner.mkdir()
    git(place, "init", "-q", ".", folder=inner)
    (inner / ".gitattributes").write_text("* filter=e\n")
    (inner / "f").write_text("f\n")
    git(place, "add", "-A", folder=inner)
    git(place, "commit", "-qm", "s", folder=inner)
    with open(inner / ".git" / "config", "a", encoding="utf-8") as file:
        file.write(f'[filter "e"]\n\tclean = {place.program}\n')
    (inner / "f").write_text("gg\n")
    git(place, "add", "sub")
    git(place, "update-index", "--split-index")


def _work_tree_elsewhere(place: TrapPlace) -> None:
    git(place, "worktree", "add", "-q", "../tree", "-b", "tree")
    named = place.top / ".git" / "worktrees" / "tree" / "gitdir"
    named.unlink()
    named.symlink_to(place.base / "other" / "file.txt")


def _folder_elsewhere(place: TrapPlace) -> None:
    place.writes("deep/down/file.txt", "plain\n")
    git(place, "add", "-A")
    shutil.rmtree(place.top / "deep" / "down")
    (place.top / "deep" / "down").symlink_to(place.base / "other")


def _cut_short(place: TrapPlace) -> None:
    place.writes(".env", "SECRET-VALUE\n")
    git(place, "add", "-f", ".env")
    git(place, "commit", "-qm", "keys")
    git(place, "commit", "-qam", "more", "--allow-empty")
    (place.top / ".git" / "shallow").write_text(git(place, "rev-parse", "HEAD") + "\n")


def _long_ago(place: TrapPlace) -> None:
    place.writes(".env", "SECRET-VALUE\n")
    git(place, "add", "-f", ".env")
    git(place, "commit", "-qm", "keys")
    git(place, "rm", "-qf", ".env")
    for text in ("no keys", "later", "now"):
        git(place, "commit", "-qm", text, "--allow-empty")


def _link_now(place: TrapPlace) -> None:
    place.writes("kept/.env", "SECRET-VALUE\n")
    git(place, "add", "-f", "kept/.env")
    git(place, "commit", "-qm", "keys")
    git(place, "rm", "-rqf", "kept")
    (place.top / "kept").symlink_to("docs")
    git(place, "add", "kept")
    git(place, "commit", "-qm", "a link")


@pytest.mark.parametrize(
    ("lay", "commands", "words"),
    [
        (_passed_over, ("git diff", "git status", "git log -1"), "git may pass over"),
        (
            _inside_of_two,
            ("git -C src show HEAD~1", "git -C src log -p -2"),
            "without files of its",
        ),
        (_split_index, ("git status", "git diff"), "holds others (submodules)"),
        (_work_tree_elsewhere, ("git worktree list", "git branch -vv"), "a link lies in the"),
        (_folder_elsewhere, ("git grep VALUE", "git grep VALUE -- deep"), "deep/down is a link"),
        (_long_ago, ("git show -6", "git show HEAD -n 6", "git show --max-count=6"), ""),
        (_long_ago, ("git log -p -n -1", "git log -p -2 --max-count=-1"), "which commits"),
        (_long_ago, ("git log -p --max-count=10000000001", "git show -n -1"), "which commits"),
        (_cut_short, ("git show", "git log -p -1", "git diff HEAD~1 HEAD"), ""),
        (
            _link_now,
            ("git show HEAD~1 -- kept", "git diff HEAD~2 HEAD~1 -- kept"),
            "kept is a link",
        ),
    ],
)
def test_what_is_another_thing_than_it_seems_asks(
    lay: Callable[[TrapPlace], None],
    commands: tuple[str, ...],
    words: str,
    place: TrapPlace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", str(place.home))
    lay(place)
    shown = b""
    for command in commands:
        assert reason(command, place), command
        assert words in reason(command, place), command
    # Without the judge it would have happened: the trap is a real one.
    for command in commands:
        done = subprocess.run(
            command.split(), cwd=place.top, env=reading_environment(place.top),
            capture_output=True, check=False,
        )  # fmt: skip
        shown += done.stdout
    assert place.marker.exists() or any(secret.encode() in shown for secret in SECRETS)


def test_work_trees_and_links_that_lead_nowhere_else_pass(place: TrapPlace) -> None:
    git(place, "worktree", "add", "-q", "../tree", "-b", "tree")
    (place.top / "kept").symlink_to("docs")
    git(place, "add", "kept")
    assert reason("git worktree list", place) == reason("git grep VALUE", place) == ""
    shutil.rmtree(place.top / "src")
    (place.top / "src").symlink_to(place.base / "other")
    assert "src is a link" in reason("git grep VALUE", place)
    # Contents that git itself keeps are searched then.
    assert reason("git grep --cached VALUE", place) == reason("git grep VALUE HEAD", place) == ""
    assert reason("git grep VALUE -- docs", place) == ""


def test_so_many_commits_as_hold_nothing_guarded_pass(place: TrapPlace) -> None:
    _long_ago(place)
    for command in ("git show", "git show -2", "git show -n 2", "git show -n2", "git log -p -n 2",
                    "git log -p --max-count=2", "git log -p -n2"):  # fmt: skip
        assert reason(command, place) == "", command
    assert "which commits" in reason("git show -2 -- src", place)
    assert reason("git show -2 -- docs/a.txt", place) == ""


@pytest.mark.parametrize("head", ["", "ref: x\n", "refs/heads/main\n", "ref:refs/\n", "12ab\n"])
def test_a_head_that_git_may_not_take_asks(head: str, place: TrapPlace) -> None:
    (place.top / ".git" / "HEAD").write_text(head)
    assert "git may pass over" in reason("git status", place)


def test_heads_as_git_writes_them_pass(place: TrapPlace) -> None:
    for text in (git(place, "rev-parse", "HEAD"), "ref: refs/heads/gr\u00fc\u00df/a_b-c"):
        (place.top / ".git" / "HEAD").write_text(f"{text}\n")
        assert reason("git status", place) == ""


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="it may enter all")
def test_a_repository_that_cannot_be_entered_asks(place: TrapPlace) -> None:
    (place.top / ".git" / "refs").chmod(0o600)
    try:
        assert "git may pass over" in reason("git status", place)
    finally:
        (place.top / ".git" / "refs").chmod(0o700)


def test_names_like_those_of_sections_make_no_index_a_part(place: TrapPlace) -> None:
    for length in range(9):
        place.writes(f"{'x' * length}link", "x\n")
        place.writes(f"{'x' * length}sdir/link", "x\n")
    git(place, "add", "-A")
    assert not read_index(place.top / ".git").may_hold_repositories
    assert reason("git status", place) == ""


@pytest.mark.parametrize("behind", [b"", b"TREE\0\0\0\3abc", b"1234567"])
def test_an_index_that_is_a_part_is_seen_by_its_sections(behind: bytes) -> None:
    for section in (b"link\0\0\0\x14" + bytes(20), b"sdir\0\0\0\0"):
        data = b"DIRC\0\0\0\4" + bytes(4) + section + behind + bytes(20)
        assert Index("", data).may_hold_repositories
        # Told longer than it is git reads on, up to the end of the page.
        assert Index("", data.replace(b"\0\0\0\x14", b"\0\0\x02\x14")).may_hold_repositories
