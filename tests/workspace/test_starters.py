"""First tasks fit what lies at the top of a folder; nothing is opened, nothing is run."""

from __future__ import annotations

import builtins
import os
import subprocess
from pathlib import Path

import pytest

from kinet.workspace import starters as module
from kinet.workspace.starters import (
    ANY_FOLDER,
    CHANGED_CODE,
    CODE,
    EMPTY,
    MOST_AT_TOP,
    NO_FOLDER,
    REPOSITORY,
    UNREADABLE,
    starters,
)

HOUR = 3600


def put(folder: Path, *names: str) -> Path:
    """Empty files and, where a name ends in "/", folders."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        place = folder / name
        if name.endswith("/"):
            place.mkdir(parents=True, exist_ok=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()
    return folder


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def dated(path: Path, seconds: float) -> None:
    """Gives it a time so far from that of the commit."""
    at = os.stat(path).st_mtime + seconds
    os.utime(path, (at, at))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One commit, an hour after its files."""
    folder = put(tmp_path / "repository", "src/deep/main.py", "notes/plan.md", "build/out.bin")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "First")
    for file in folder.rglob("*"):
        if ".git" not in file.parts and file.is_file():
            dated(file, -HOUR)
    return folder


def test_without_a_folder_one_is_asked_for_and_general_tasks_are_offered() -> None:
    assert starters(None) is NO_FOLDER
    assert NO_FOLDER.asks_folder
    assert "folder" not in " ".join(NO_FOLDER.prompts)


@pytest.mark.parametrize(
    ("names", "first"),
    [
        (("pyproject.toml", "README.md", "guide.md"), CODE.prompts[0]),
        (("Cargo.toml", "a.csv", "b.csv"), CODE.prompts[0]),
        (("shop.sln",), CODE.prompts[0]),
        (("main.py", "README.md"), CODE.prompts[0]),
        (("src/", "pictures/"), CODE.prompts[0]),
        (("报告.docx", "вопросы.pdf"), "Summarise the documents in this folder."),
        (("README.MD",), "Summarise the document in this folder."),
        (("a.csv", "b.XLSX"), "Summarise what the tables in this folder hold."),
        (("photo.jpg", "song.mp3"), ANY_FOLDER.prompts[0]),
        (("holiday/",), ANY_FOLDER.prompts[0]),
        ((), EMPTY.prompts[0]),
        ((".DS_Store", ".env", "Thumbs.db", "~$report.docx"), EMPTY.prompts[0]),
    ],
)
def test_the_names_at_the_top_tell_what_fits(
    tmp_path: Path, names: tuple[str, ...], first: str
) -> None:
    assert starters(put(tmp_path / "folder", *names)).prompts[0] == first


@pytest.mark.parametrize(
    ("names", "is_offered"),
    [
        (("a.pdf",), False),
        (("a.pdf", "b.pdf"), True),
        (("a.csv",), False),
        (("a.csv", "b.csv"), True),
        (("a.pdf", "b.pdf", "a.csv"), False),
        (("a.pdf", "a.csv", "b.csv"), True),
    ],
)
def test_a_comparison_is_offered_only_where_there_are_two(
    tmp_path: Path, names: tuple[str, ...], is_offered: bool
) -> None:
    found = starters(put(tmp_path / "folder", *names))
    assert any(prompt.startswith("Compare") for prompt in found.prompts) is is_offered
    assert len(set(found.prompts)) == 3


def test_a_repository_asks_for_changes_only_where_there_are_some(repository: Path) -> None:
    assert starters(repository) == REPOSITORY
    # What a build writes is no change.
    dated(repository / "build" / "out.bin", 3 * HOUR)
    assert starters(repository) == REPOSITORY
    dated(repository / "src" / "deep" / "main.py", 3 * HOUR)
    assert starters(repository) == CHANGED_CODE
    # A folder inside is part of it.
    assert starters(repository / "notes").prompts[0].startswith("Summarise")
    dated(repository / "notes" / "plan.md", 3 * HOUR)
    found = starters(repository / "notes")
    assert found.prompts[0] == CHANGED_CODE.prompts[0]
    assert found.prompts[1] == "Summarise the document in this folder."


def test_a_change_is_seen_though_git_looked_at_it_since(repository: Path) -> None:
    dated(repository / "src" / "deep" / "main.py", 2 * HOUR)
    dated(repository / ".git" / "index", 3 * HOUR)
    assert starters(repository) == CHANGED_CODE


def test_a_fresh_clone_has_no_changes(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(repository), "clone")
    assert starters(tmp_path / "clone") == REPOSITORY


def test_a_repository_without_a_commit_has_no_changes_since_one(tmp_path: Path) -> None:
    folder = put(tmp_path / "new", "main.py")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    assert starters(folder) is CODE
    assert starters(put(tmp_path / "odd", "a.bin", ".git/")) is ANY_FOLDER
    assert starters(put(tmp_path / "bare", ".git/")) is EMPTY


def test_what_cannot_be_judged_gets_what_fits_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = put(tmp_path / "project", "pyproject.toml")
    assert starters(project, trusted=False) is ANY_FOLDER
    huge = put(tmp_path / "huge", "pyproject.toml", *(f"{n}.py" for n in range(MOST_AT_TOP)))
    assert starters(huge) is ANY_FOLDER
    monkeypatch.setenv("HOME", str(project))
    monkeypatch.setenv("USERPROFILE", str(project))
    assert starters(project) is ANY_FOLDER


@pytest.mark.parametrize("name", ["missing", "file.txt", "no\0name", "lone\udc80"])
def test_a_folder_that_cannot_be_read_is_said_to_be_so(tmp_path: Path, name: str) -> None:
    (tmp_path / "file.txt").touch()
    assert starters(tmp_path / name) is UNREADABLE


def test_few_names_are_looked_at_and_no_file_is_opened(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(repository, *(f"src/{n}/{m}.py" for n in range(20) for m in range(100)))
    looked: list[str] = []
    names = module._names

    def counted(folder: Path, most: int) -> list[module._Name]:
        found = names(folder, most)
        looked.extend(name.text for name in found)
        return found

    def refused(*_: object, **__: object) -> None:
        raise AssertionError("a file is opened")

    monkeypatch.setattr(module, "_names", counted)
    monkeypatch.setattr(builtins, "open", refused)
    monkeypatch.setattr(os, "open", refused)
    monkeypatch.setattr(subprocess, "Popen", refused)
    found = starters(repository)
    monkeypatch.undo()
    assert found == CHANGED_CODE
    assert len(looked) < 2 * MOST_AT_TOP + 100


def test_links_are_not_followed(repository: Path, tmp_path: Path) -> None:
    elsewhere = put(tmp_path / "elsewhere", "new.py")
    dated(elsewhere / "new.py", 5 * HOUR)
    try:
        (repository / "link").symlink_to(elsewhere)
        (repository / "loop").symlink_to(repository)
    except OSError:
        pytest.skip("links cannot be made here")
    assert starters(repository) == REPOSITORY
