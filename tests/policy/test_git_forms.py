"""The words of git's commands: which forms only read, and what they say of themselves."""

from __future__ import annotations

import pytest

from kinet.policy.git_forms import FORMS, GitWords, take_apart


def taken(command: str) -> GitWords:
    found = take_apart(split(command))
    assert isinstance(found, GitWords), found
    return found


def split(command: str) -> list[str]:
    """Words, in which an underscore stands for a blank."""
    return [word.replace("_", " ") for word in command.split()]


def refused(command: str) -> str:
    found = take_apart(split(command))
    assert isinstance(found, str), found
    return found


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("git", "git is not on the list"), ("git -C src", "git is not on the list"),
        ("git -C", "git: -C is not on the list"), ("git -C a -C b log", "git: -C is not on"),
        ("git -c a=b log", "git: -c is not on"), ("git --git-dir=x log", "git: --git-dir=x is not"),
        ("git -p log", "git: -p is not on"),
        ("git commit -m x", "git commit -m is not on the list"),
        ("git stash", "git stash is not on the list"), ("git stash pop", "git stash pop is not"),
        ("git worktree add x", "git worktree add is not"),
        ("git reflog expire", "takes nothing more"),
        ("git remote add o x", "takes nothing more"), ("git remote show o", "takes nothing more"),
        ("git remote -- o", "takes nothing more"), ("git branch x", "without --list may change"),
        ("git branch -v x", "without --list may change"),
        ("git branch -D x", "-D is not on the list"),
        ("git branch --list -- x", "with -- may do more"),
        ("git rev-parse --", "with -- may do more"),
        ("git tag x", "without --list may change"), ("git tag -d x", "-d is not on the list"),
        ("git tag -n3 x", "without --list may change"), ("git shortlog", "reads its input"),
        ("git shortlog -sn", "reads its input"), ("git log --output=x", "--output=x is not on"),
        ("git log --outpu=x", "--outpu=x is not on"),
        ("git log --oneline=x", "--oneline=x is not on"),
        ("git log -5 --output=x", "--output=x is not on"),
        ("git log -Ox", "-Ox is not on"), ("git log -L1,2:f", "-L1,2:f is not on"),
        ("git log --format=%G?", "--format=%G? is not on"),
        ("git log --format=x", "--format=x is not"),
        ("git log --pretty=%GK%h", "is not on"), ("git log --format=%(describe)", "is not on"),
        ("git log --format %h", "--format is not on"), ("git log --color x", ""),
        ("git branch --format=%(signature)", "is not on"), ("git branch --format=%h", "is not on"),
        ("git for-each-ref --format=%(signature:key)", "is not on"), ("git log -n", "-n is not on"),
        ("git log --max-count", "--max-count is not on"), ("git log -12x", "-12x is not on"),
        ("git status -5", "-5 is not on"), ("git diff --ext-diff", "--ext-diff is not on"),
        ("git diff --no-index a b", "--no-index is not on"), ("git diff -ux", "-ux is not on"),
        ("git status -v", "-v is not on"), ("git grep -Ox y", "-Ox is not on"),
        ("git grep -f x", "-f is not on"), ("git blame --contents x y", "--contents is not on"),
        ("git describe --dirty", "--dirty is not on"),
        ("git log --unified 3", "--unified is not on"),
        ("git log --stat=x --textconv", "--textconv is not on"),
        ("git ls-files -X x", "-X is not on"),
        ("git log --show-signature", "--show-signature is not on"),
        ("git log --c", "--c is not on"),
    ],
)  # fmt: skip
def test_other_words_say_what_is_wrong_with_them(command: str, words: str) -> None:
    if words:
        assert words in refused(command)
    else:
        assert taken(command).before == ("x",)


def test_words_stand_on_either_side_of_the_dashes() -> None:
    found = taken("git -C src --no-pager log -p a..b x -- -p c")
    assert (found.name, found.folder, found.options) == ("log", "src", ("p",))
    assert (found.before, found.after, found.parted) == (("a..b", "x"), ("-p", "c"), True)
    bare = taken("git log -")
    assert (bare.before, bare.parted, bare.folder) == (("-",), False, "")
    assert taken("git log --").parted
    assert taken("git remote get-url origin").name == "remote get-url"


@pytest.mark.parametrize(
    ("command", "number"),
    [
        ("git log -5", 5), ("git log -n 5", 5), ("git log -n5", 5), ("git log --max-count=5", 5),
        ("git log --max-count 5", 5), ("git log", 0), ("git log --max-count=x", 0),
        ("git log -n x", 0), ("git log -5 -n 7", 7), ("git log --skip=5", 0), ("git log -S 5", 0),
        ("git branch -v", 0),
    ],
)  # fmt: skip
def test_a_number_of_commits_is_known(command: str, number: int) -> None:
    assert taken(command).number == number


@pytest.mark.parametrize(
    ("command", "contents", "compares"),
    [
        ("git log", False, False), ("git log -p", True, True), ("git log --patch", True, True),
        ("git log --stat", False, False), ("git log --stat -p", True, True),
        ("git show", True, True),
        ("git show --stat", False, True), ("git show -s", False, True),
        ("git show -sp", True, True),
        ("git log -S x", False, True), ("git log -Gx", False, True), ("git log -U3", True, True),
        ("git diff", True, True), ("git diff --name-only", False, True),
        ("git diff -z", True, True),
        ("git diff --stat --check", True, True), ("git diff --raw -W", True, True),
        ("git status", False, False), ("git blame x", True, True), ("git grep x", True, True),
        ("git log --word-diff", True, True), ("git diff --numstat --color-words", True, True),
    ],
)  # fmt: skip
def test_what_shows_contents_is_known(command: str, contents: bool, compares: bool) -> None:
    found = taken(command)
    assert (found.contents, found.compares) == (contents, compares)


@pytest.mark.parametrize(
    ("command", "before"),
    [
        ("git log -n 3 x", "x"), ("git log -S y x", "x"), ("git log --author me x", "x"),
        ("git log --since=y x", "x"), ("git log --decorate x", "x"), ("git log -U3 x", "x"),
        ("git diff -U x", "x"), ("git status -uno x", "x"), ("git status -su x", "x"),
        ("git branch --list --contains y x", "x"), ("git branch --list --merged=y x", "x"),
        ("git tag -l --sort y x", "x"), ("git blame -L 1,2 x", "x"), ("git grep -e y x", "x"),
        ("git grep -A 3 y", "y"), ("git grep -A3 y", "y"), ("git tag -ln5 x", "x"),
    ],
)  # fmt: skip
def test_a_value_is_no_operand(command: str, before: str) -> None:
    assert taken(command).before == (before,)


@pytest.mark.parametrize(
    "command",
    ["git log --format=%h_%an_%s", "git log --pretty=format:%C(auto)%h%C(reset)_%ad", "git tag -n",
     "git log --format=tformat:%<(20,trunc)%an%x09%s", "git log --pretty=oneline", "git log -P",
     "git log --format=%(trailers:key=A)_%h", "git log --date=format:%Y",
     "git for-each-ref --format=%(refname:short)_%(committerdate:iso8601)", "git branch --contains",
     "git branch --format=%(HEAD)_%(upstream:track)%00", "git version", "git branch --merged",
     "git --no-replace-objects --no-optional-locks log", "git shortlog -s HEAD",
     "git shortlog --all"],
)  # fmt: skip
def test_formats_that_only_name_pass(command: str) -> None:
    if command == "git log -P":
        refused(command)
    else:
        taken(command)


def test_no_form_lists_an_option_that_writes_or_runs() -> None:
    bad = {"output", "ext-diff", "textconv", "show-signature", "no-index", "open-files-in-pager",
           "exec", "upload-pack", "recurse-submodules", "contents", "ignore-revs-file", "stdin",
           "exclude-from", "submodule", "remerge-diff", "delete", "force", "edit-description",
           "dirty",
           "untracked", "file"}  # fmt: skip
    for name, form in FORMS.items():
        assert not bad & (form.long_flags | form.long_values), name
        assert "O" not in form.flags + form.values + form.attached, name
        assert not set(form.flags) & set(form.values + form.attached), name
