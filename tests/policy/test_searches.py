"""Searches through folders: which guarded files they would read, and which they pass by."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinet.policy.commands import judge_command


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    for name in ("a.txt", "src/app.py", "src/deep/b.py", ".git/config", ".git/HEAD"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x\n")
    return folder


def why(command: str, root: Path, home: Path | None = None, data: Path | None = None) -> str:
    judged = judge_command(
        command, root, home or root.parent / "home", data_dir=data, windows=False
    )
    return "" if judged.verdict == "allow" else judged.reason


GIT = ".git below . is a repository's own folder"


@pytest.mark.parametrize(
    "command",
    ["grep -r x .", "grep -rn x", "grep --recursive x .", "egrep -r x .", "grep -r x src .",
     "grep -r x . --exclude-dir=src", "grep -r x . --exclude=config", "grep -r x . --include=*",
     "grep -r x . --include=config", "grep -r x . --include=*.py --include=*",
     "grep -r x . --exclude=a.txt --include=*.py", "grep -r x . --include=*.sample",
     "grep -r x . --include='[c]onfig'", "grep -r x . --include=*.py* --color=never",
     "rg x -g .git", "rg x -g '.g*'", "rg x --glob='*'", "rg x --iglob='.GIT'", "rg x -g '[.]git'",
     "rg x -g '.git/config'", "rg x -g '**'"],
)  # fmt: skip
def test_a_search_that_enters_a_repositorys_own_folder_asks(command: str, root: Path) -> None:
    assert GIT in why(command, root)


@pytest.mark.parametrize(
    "command",
    ["grep -r x src", "grep -rn x src a.txt", "grep x a.txt", "grep -r x . --exclude-dir=.git",
     "grep -r --exclude-dir .git x .", "grep -r x . --include=*.py", "grep -r x --include *.py .",
     "grep -rn x . --include='*.py' --include='*.TS'", "grep -r x . --include=*.c --exclude=x.c",
     "rg x", "rg x .", "rg -l x src", "rg x -g '*.py'", "rg x -g '!*.py'", "rg --files -g '*'",
     "rg x -g 'src/**/*.py' -t py", "ls -laR .", "find . -name x", "tree -a", "du -ah ."],
)  # fmt: skip
def test_a_search_that_passes_it_by_does_not_ask(command: str, root: Path) -> None:
    assert why(command, root) == ""


def test_the_file_that_stands_for_a_repository_is_guarded_too(root: Path) -> None:
    (root / "src" / ".git").write_text("gitdir: x\n")
    assert "a repository's own folder" in why("grep -r x src", root)
    assert "a repository's own folder" not in why("grep -r x src --include=*.py", root)
    assert "a repository's own folder" in why("grep -r x src --exclude-dir=.git", root)
    assert why("rg x src", root) == ""


def test_what_an_ignore_file_shows_is_read(root: Path) -> None:
    (root / "src" / ".git").mkdir()
    for place, text, shows in (
        (".ignore", "!.git\n", True), ("src/.rgignore", "*\n!*/\n", True),
        ("src/.gitignore", "  !/.git/config\n", True), (".git/info/exclude", "!.*\n", True),
        ("src/.ignore", "!.github\n!keep.py\n", False), (".gitignore", ".git\n#!.git\n", False),
        ("src/deep/.ignore", "!.git\n", False), ("../.ignore", "![.]git\n", True),
        (".ignore", "#" * (64 * 1024 + 1), True), (".ignore", "!.gi?\n", True),
        (".ignore", "#" * 64 * 1024, False),
    ):  # fmt: skip
        file = root / place
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        assert bool(why("rg x src", root)) is shows, (place, text)
        file.unlink()


def test_what_an_ignore_file_further_down_shows_is_read(root: Path) -> None:
    (root / "src" / "deep" / ".git").mkdir()
    assert why("rg x src", root) == ""
    (root / "src" / "deep" / ".ignore").write_text("!.git\n")
    assert "a repository's own folder" in why("rg x src", root)


@pytest.mark.parametrize("around", [".", "src", "src/deep", ".."])
def test_what_a_repository_around_or_below_shows_is_read(root: Path, around: str) -> None:
    (root / "src" / "deep" / ".env").write_text("k")
    info = root / around / ".git" / "info"
    info.mkdir(parents=True)
    (info / "exclude").write_text("# *.o\n")
    assert why("rg x src", root) == ""
    (info / "exclude").write_text("!.env\n")
    assert "(.env)" in why("rg x src", root)


def test_secrets_count_as_far_as_they_are_read(root: Path) -> None:
    (root / ".env").write_text("k")
    (root / "src" / ".aws").mkdir()
    assert why("rg x", root) == "", "hidden names are passed by"
    assert "(.env)" in why("rg x -g '.e*'", root)
    assert "(.aws)" in why("grep -r x src", root)
    assert "(.aws)" in why("grep -r x src --include=*.py", root)
    assert why("grep -r x src --exclude-dir=.aws", root) == ""
    assert "(.env)" in why("grep -r x . --exclude-dir=.git", root)
    (root / "src" / ".aws").rmdir()
    assert why("grep -r x . --include=*.py", root) == ""
    (root / "src" / "key.pem").write_text("k")
    assert "(key.pem)" in why("rg x", root)
    assert "(key.pem)" in why("rg x -g '*.pem' -g '*.py'", root)
    assert "may hold keys" in why("rg x -g '*.{py,rs}'", root)
    assert "(key.pem)" in why("grep -r x src --include=*.pem", root)
    assert "(key.pem)" in why("grep -r x src --exclude-dir=*", root), "that is no name of a folder"
    assert why("rg x -g '*.py'", root) == why("grep -r x src --include='*.py'", root) == ""
    assert why("rg --files", root) == why("ls -R .", root) == ""


def test_what_is_guarded_by_its_folders_is_found(root: Path) -> None:
    (root / ".config" / "gh").mkdir(parents=True)
    (root / ".config" / "gh" / "hosts.yml").write_text("k")
    assert "may hold keys or passwords (gh)" in why("grep -r x .config", root)
    assert "may hold keys" in why("grep -r x . --exclude-dir=.git", root)
    assert why("rg x", root) == ""


def test_a_link_is_passed_by_and_a_pipe_is_not(root: Path) -> None:
    (root / "src" / "out").symlink_to("/etc")
    (root / "src" / "key.pem").symlink_to("../a.txt")
    assert "(key.pem)" in why("grep -r x src", root)
    (root / "src" / "key.pem").unlink()
    assert why("grep -r x src", root) == why("rg x src", root) == ""
    assert "a link lies below" in why("diff src src/deep", root)
    assert why("diff . src/deep", root).startswith("a link lies below .")


def test_the_apps_own_folders_are_guarded_in_a_project_that_holds_them(tmp_path: Path) -> None:
    home = tmp_path / "home"
    own = home / ".local" / "share" / "kinet"
    data = home / "data"
    for folder in (own, data):
        folder.mkdir(parents=True)
        (folder / "x.txt").write_text("x")
    never = "it touches the app's own settings or data"
    for command in ("cat .local/share/kinet/x.txt", "rm .local/share/kinet/x.txt", "cat data/x.txt",
                    "ls data", f"cat {data}/x.txt", "cat .LOCAL/share/kinet/x.txt"):  # fmt: skip
        assert why(command, home, home, data) == never
    assert "belongs to the app itself" in why("grep -r x .", home, home, data)
    assert "belongs to the app itself" in why("cat d*/x.txt", home, home, data)
    assert why("cd .local/share && cat kinet/x.txt", home, home) == never
    assert why("cat data/x.txt", home, home) == ""
    assert why("ls .local", home, home, data) == ""
    assert why("cat .local/share/kinet/x", tmp_path / "other", home, data) == ""
