"""Patterns of names: what the shell makes of them is judged name by name, or asked about."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from kinet.policy import shell_globs
from kinet.policy.commands import judge_command
from kinet.policy.operand_paths import Place
from kinet.policy.rules import begins_with, suggested_beginning
from kinet.policy.shell_globs import spread
from kinet.policy.shell_words import split_plain


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    for name in ("a.py", "b.py", "src/c.py", "src/deep/d.py", "src/e.txt", ".hidden.py", "f.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x\n")
    return folder


def why(command: str, root: Path) -> str:
    judged = judge_command(command, root, root.parent / "home", windows=False)
    return "" if judged.verdict == "allow" else judged.reason


def spread_words(command: str, root: Path, start: Path | None = None) -> tuple[str, ...] | str:
    (plain,) = split_plain(command, patterns=True) or ()
    return spread(plain.words, plain.patterns, Place(root, root.parent / "home", start or root))


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("cat *.py", "cat a.py b.py"), ("cat src/*", "cat src/c.py src/deep src/e.txt"),
        ("cat **/*.py", "cat src/c.py"), ("cat ?.py f*", "cat a.py b.py f.md"),
        ("cat none*", "cat none*"), ("cat */*/*.py", "cat src/deep/d.py"), ("ls */", "ls src/"),
        ("cat ./*.py", "cat ./a.py ./b.py"), ("cat *.md/", "cat *.md/"),
        ("cat sr?/c.py", "cat src/c.py"),
        ("cat *.py/x", "cat *.py/x"), ("cat src//*.py", "cat src//c.py"), ("cat a.p?", "cat a.py"),
        ("cat ??.py", "cat ??.py"), ("head -5 *.py a.py", "head -5 a.py b.py a.py"),
        ("cat src/../*.md", "cat src/../f.md"), ("grep x *.txt", "grep x *.txt"),
    ],
)  # fmt: skip
def test_a_pattern_becomes_the_names_that_the_shell_gives(
    command: str, words: str, root: Path
) -> None:
    assert spread_words(command, root) == tuple(words.split())
    assert why(command, root) == ""
    told = subprocess.run(
        ["bash", "--noprofile", "--norc", "-c", f"printf '%s\\n' {command}"],
        cwd=root, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert told.stdout.split("\n")[:-1] == words.split()


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("cat .*", "names with a dot in front"), ("cat src/.*", "names with a dot in front"),
        ("cat ../*", ".. is outside the project"), ("cat /etc/*", "/etc is outside the project"),
        ("cat src/../../*", "is outside the project"), ("make *", "make is not on the list"),
        ("cat */../../*", "is outside the project"), ("cat /*/passwd", "/ is outside"),
        ("uniq *.py", "uniq with a pattern of names"), ("diff *.py", "diff with a pattern"),
        ("find *.py", "find with a pattern"), ("echo *", "echo with a pattern"),
        ("sed -n 1p *.py", "sed with a pattern"), ("cd s*", "cd with a pattern"),
        ("git diff *.py", "git with a pattern"), ("tr * b", "tr with a pattern"),
        ("sort *.py", "may become an option of sort"), ("rg x ?.py", "may become an option of rg"),
        ("tree *", "may become an option of tree"), ("file *", "may become an option of file"),
        ("tail *.py", "may become an option of tail"), ("cat src/*.py > x", "plain words"),
    ],
)  # fmt: skip
def test_other_patterns_say_why_they_ask(command: str, words: str, root: Path) -> None:
    assert words in why(command, root)


def test_a_name_that_could_be_an_option_asks_wherever_it_stands(root: Path) -> None:
    (root / "-la").write_text("x")
    assert "a name with a dash in front" in why("cat *", root)
    assert "a name with a dash in front" in why("cat -- ?la", root)
    assert why("cat ./*a", root) == why("sort ./*.py", root) == why("cat *.py", root) == ""
    (root / "src" / "-o.py").write_text("x")
    assert why("sort src/*.py", root) == ""
    assert "a name with a dash in front" in why("cd src && cat *.py", root)


def test_every_name_is_judged_as_if_it_was_typed(root: Path) -> None:
    (root / "src" / "k.pem").write_text("k")
    (root / "src" / ".git").mkdir()
    (root / "src" / ".git" / "config").write_text("k")
    assert "src/k.pem may hold keys" in why("cat src/*", root)
    assert "src/k.pem may hold keys" in why("grep src/*", root)
    assert "may hold keys" in why("cat */*.p?m", root)
    assert "src/k.pem may hold keys" in why("grep src/k*", root)
    assert ".git" in why("cat */.git/config", root)
    assert ".git" in why("cat */.git/*", root)
    assert why("cat src/*.py", root) == ""
    (root / "src" / "out.txt").symlink_to("/etc/hostname")
    (root / "away").symlink_to("/etc")
    assert "src/out.txt is outside" in why("cat src/*.txt", root)
    assert "away/hostname is outside" in why("cat */hostname", root)
    assert "is outside" in why("cat aw*/hostname", root)
    (root / "src" / "out.txt").unlink()
    os.mkfifo(root / "src" / "p.txt")
    assert "src/p.txt is not a regular file" in why("cat src/*.txt", root)


def test_very_many_names_ask(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many = root / "many"
    many.mkdir()
    for number in range(398):
        (many / f"f{number}").touch()
    assert why("cat many/f*", root) == ""
    for number in range(3):
        (many / f"g{number}").touch()
    assert "many/* matches more than 400 names" in why("cat many/*", root)
    monkeypatch.setattr(shell_globs, "_MOST_ENTRIES", 401)
    assert why("cat many/g*", root) == ""
    monkeypatch.setattr(shell_globs, "_MOST_ENTRIES", 400)
    assert "leads through too many names" in why("cat many/g*", root)


@pytest.mark.parametrize(
    "text",
    ["* x", "./*.sh", "cat [a]*", "cat {a,b}*", "cat *~", "cat a=*", "cat -l*", "cat '*'*",
     "cat *\"a\"",
     "cat \\**", "cat ~/*", "cat $X*", "cat !(a)*", "cat +(a)*", "x=* cat", "cat *|*"],
)  # fmt: skip
def test_no_other_word_counts_as_a_pattern(text: str) -> None:
    assert split_plain(text, patterns=True) is None


def test_a_value_in_quotes_that_is_expanded_is_not_plain() -> None:
    for text in ('a --x="$y"', "a --x='y", 'a --format=format:"`y`"', "a --x='y'z"):
        assert split_plain(text) is None
    (found,) = split_plain("a --format=format:'%h %s' --x=\"y z\"") or ()
    assert found.words == ("a", "--format=format:%h %s", "--x=y z")


def test_a_text_with_a_denial_in_front_is_not_plain() -> None:
    assert split_plain("! ls") is None
    assert split_plain("ls !") is not None


def test_only_who_asks_for_patterns_gets_them() -> None:
    assert split_plain("cat *.py") is None
    (found,) = split_plain("cat *.py 'b*' src/?", patterns=True) or ()
    assert found.words == ("cat", "*.py", "b*", "src/?")
    assert found.patterns == {1, 3}
    both = split_plain("ls *; cat a b*", patterns=True) or ()
    assert [sorted(one.patterns) for one in both] == [[1], [2]]


def test_what_may_become_other_words_is_never_remembered_as_a_beginning() -> None:
    assert suggested_beginning("ruff check src") == "ruff check"
    assert suggested_beginning("ruff check *") == ""
    assert not begins_with("ruff check *", "ruff check")


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_random_patterns_match_no_less_than_the_shells(tmp_path: Path) -> None:
    source = random.Random(8)
    root = tmp_path / "project"
    letters = ("a", "b", ".", "*", "?", "é", "-", " ", "ab")
    for _ in range(60):
        name = "".join(source.choices(letters, k=source.randrange(1, 4)))
        folder = root / source.choice((".", "aa", "bb", "aa/bb"))
        folder.mkdir(parents=True, exist_ok=True)
        if name.strip(".") and not (folder / name).exists():
            (folder / name).write_text("x")
    letters = ("a", "b", ".", "*", "?", "/", "a*")
    patterns = ["".join(source.choices(letters, k=source.randrange(1, 6))) for _ in range(300)]
    chosen = [one for one in patterns if "*" in one or "?" in one]
    script = "\n".join(f"printf '%s\\0' {one}; printf '\\1'" for one in chosen)
    for language in ("C", "C.UTF-8"):
        told = subprocess.run(
            ["bash", "--noprofile", "--norc", "-c", script], cwd=root, capture_output=True,
            env={"LC_ALL": language, "PATH": os.environ["PATH"]}, check=True,
        )  # fmt: skip
        for pattern, names in zip(chosen, told.stdout.split(b"\1"), strict=False):
            ours = spread(("cat", pattern), frozenset({1}), Place(root, tmp_path, root))
            if not isinstance(ours, str):
                theirs = {os.path.normpath(os.fsdecode(one)) for one in names.split(b"\0")[:-1]}
                assert theirs <= {os.path.normpath(one) for one in ours}, pattern
