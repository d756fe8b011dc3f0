"""git's own files are read as git reads them, or not at all: settings and the index."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from kinet.policy.git_objects import Objects
from kinet.policy.git_place import Index, find_repository, read_index
from kinet.policy.git_settings import GitSettings, entries, read_settings
from tests.support.git_traps import TRAPS, TrapPlace, git

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
PIECES = (
    "[core]", "[a]", '[a "B c"]', '[a "x\\"]"]', "[A.b]", "[include]", "]", "[", "\n", "\n", "\n",
    " ",
    "\t", "=", "= ", "fsmonitor", "key", "Key-2", "path", '"', "\\", "\\\n", "\\n", "\\\\", "#",
    ";",
    " # x", "é", "\r\n", "value", "1", "/x y", "\\x", "\x0b", "k=v\n", "\tk = v\n", "[core]\n\tk",
)  # fmt: skip


def test_settings_are_read_as_git_reads_them_or_refused(tmp_path: Path) -> None:
    source = random.Random(3)
    file = tmp_path / "config"
    agreed = 0
    for _ in range(60):
        begin = source.choice(("", "[core]\n", "[a]\nk = ", '[a "b"]\nkey = x'))
        text = begin + "".join(source.choices(PIECES, k=source.randrange(1, 6)))
        file.write_bytes(text.encode())
        told = subprocess.run(
            ["git", "config", "-f", str(file), "--list", "-z", "--no-includes"],
            capture_output=True, env={"PATH": "/usr/bin:/bin:/usr/local/bin"}, check=False,
        )  # fmt: skip
        try:
            ours = list(entries(text))
        except ValueError:
            continue
        if told.returncode == 0:
            rows = told.stdout.decode("utf-8", "replace").split("\0")[:-1]
            theirs = [tuple([*row.split("\n", 1), None][:2]) for row in rows]
            assert ours == theirs, text
            agreed += bool(ours)
    assert agreed > 10


@pytest.mark.parametrize(
    "text",
    ["key = v", "[a", '[a "x]', '[a "x"', '[a "x" ]', '[a"x"]', "[]", "[a]\n1 = v", "[a]\nk & v",
     '[a]\nk = "v', "[a]\nk = \\x", "[a b]\nk", '[ "x"]', '[a "x\n"]', '[a "x\\\n"]', "[a]\n*"],
)  # fmt: skip
def test_settings_that_git_refuses_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        list(entries(text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[a]k=v", [("a.k", "v")]), ("[a]\nk", [("a.k", None)]), ("[a]\nK =", [("a.k", "")]),
        ("[a]\nk = x  y # z", [("a.k", "x  y")]), ('[a]\nk = " x "y', [("a.k", " x y")]),
        ("[a]\nk\nl=1", [("a.k", None), ("a.l", "1")]),
        ("[a]\nk = x\\\n y", [("a.k", "x y")]), ("[a]\nk = \\t\\\"\\\\\\n", [("a.k", '\t"\\\n')]),
        ("[a]\nk = x ; y\nl = z", [("a.k", "x"), ("a.l", "z")]),
        ("# x \\\n[a]\nk=1", [("a.k", "1")]),
        ('[A "B\\"\\x"]\nk = v\r\nl', [('a.B"x.k', "v"), ('a.B"x.l', None)]),
        ("[A.b-C]\nk=v", [("a.b-c.k", "v")]), ("[a]\nk = x\\", [("a.k", "x")]), ("", []),
        ("[a]\nk = #", [("a.k", "")]), ('[a]\nk = "#;"', [("a.k", "#;")]), ("; [b]\n", []),
    ],
)  # fmt: skip
def test_settings_are_taken_apart(text: str, found: list[tuple[str, str | None]]) -> None:
    assert list(entries(text)) == found


def settings(root: Path, own: str = "", person: str = "") -> GitSettings:
    (root / "p" / ".git").mkdir(parents=True, exist_ok=True)
    (root / "home").mkdir(exist_ok=True)
    (root / "p" / ".git" / "config").write_text(own)
    (root / "home" / ".gitconfig").write_text(person)
    return read_settings(root / "p" / ".git", root / "p", root / "home")


@pytest.mark.parametrize(
    "text",
    ["[core]\nbare = false\nrepositoryformatversion = 0\nfilemode = true\nlogAllRefUpdates = true",
     '[remote "o"]\nurl = ext::x\nfetch = +refs/*\n[branch "m"]\nremote = o\nmerge = refs/heads/m',
     "[user]\nname = a\nemail = b\n[core]\nautocrlf = input\nfsmonitor = false\n[core]\nbare = no",
     "[lfs]\nrepositoryformatversion = 0\n[core]\nrepositoryformatversion = 1", ""],
)  # fmt: skip
def test_usual_settings_of_a_repository_are_no_trouble(text: str, tmp_path: Path) -> None:
    found = settings(tmp_path, text)
    assert (found.trouble, found.filters, found.drivers) == ("", "", "")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[core]\nbare = true", "core.bare"), ("[core]\nbare", "core.bare"),
        ("[core]\nfsmonitor = true", "core.fsmonitor"), ("[core]\nfsmonitor =", "core.fsmonitor"),
        ("[core]\nrepositoryformatversion = 2", "core.repositoryformatversion"),
        ("[core]\nnewThing = x", "core.newthing"), ("[extensions]\nx = 1", "extensions.x"),
        ("[lfs]\nurl = x", "lfs.url"), ('[lfs "extension.x"]\nclean = y', "lfs.extension.x.clean"),
        ('[remote "o"]\nuploadpack = x', "remote.o.uploadpack"),
        ("[core]\neditor = x", "core.editor"),
        ("[userx]\nname = x", "userx.name"), ("[core]\nautocrlfx = 1", "core.autocrlfx"),
        ('[includeIf "onbranch:*"]\npath = x', "includeif.onbranch:*.path"),
    ],
)  # fmt: skip
def test_any_other_setting_of_a_repository_is_told(text: str, key: str, tmp_path: Path) -> None:
    assert settings(tmp_path, text).trouble == f"the repository's .git/config: it sets {key}"


def test_what_a_person_set_asks_only_for_what_it_reaches(tmp_path: Path) -> None:
    usual = "[alias]\nst = status\n[core]\neditor = vi\npager = x\nfsmonitor = x\n[credential]\n"
    usual += (
        "helper = x\n[gpg]\nprogram = x\n[diff]\ntool = x\n[merge]\ntool = y\n[new]\nthing = z\n"
    )
    usual += '[format]\npretty = %h %s\n[filter "lfs"]\nrequired = true\n[difftool "x"]\ncmd = y'
    assert settings(tmp_path, person=usual) == GitSettings()
    named = f"git's settings in {tmp_path}/home/.gitconfig"
    lfs = settings(tmp_path, person='[filter "lfs"]\nclean = git-lfs clean -- %f')
    assert lfs == GitSettings(filters=f"{named} name a program (filter.lfs.clean)")
    for key in ("textconv", "command"):
        found = settings(tmp_path, person=f'[diff "x"]\n{key} = y')
        assert found == GitSettings(drivers=f"{named} name a program (diff.x.{key})")
    for section, key in (("core", "worktree"), ("core", "bare"), ("extensions", "x"),
                         ("core", "gitProxy"), ("includeIf", "x")):  # fmt: skip
        found = settings(tmp_path, person=f"[{section}]\n{key} = y")
        assert found.trouble == f"{named}: it sets {section.lower()}.{key.lower()}"
    for text in ("%G?", "%h %GK", "%(describe)", "%(signature)"):
        found = settings(tmp_path, person=f'[pretty]\nx = "{text}"')
        assert found.trouble == f"{named}: its pretty.x runs a program"


def test_files_that_a_person_includes_count_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "more").write_text('[diff "x"]\ntextconv = y\n[include]\npath = gone')
    for way in ("more", "~/more", f"{home}/more"):
        found = settings(tmp_path, person=f"[include]\npath = {way}")
        assert "name a program (diff.x.textconv)" in found.drivers, way
    found = settings(tmp_path, person='[includeIf "gitdir:/nowhere"]\npath = more')
    assert found.drivers
    (tmp_path / "p" / "set").write_text("[core]\neditor = x")
    inside = settings(tmp_path, person="[include]\npath = ../p/set")
    assert "it sets core.editor" in inside.trouble
    for way in ("%(prefix)/x", "~root/x", ""):
        assert settings(tmp_path, person=f"[include]\npath = {way}").trouble, way
    for count, trouble in ((11, False), (12, True)):
        text = "[include]\n" + "path = gone\n" * count
        assert bool(settings(tmp_path, person=text).trouble) is trouble
    for number in range(6):
        (home / f"way{number}").write_text(f"[include]\npath = way{number + 1}")
    for first, trouble in ((2, False), (1, True)):
        found = settings(tmp_path, person=f"[include]\npath = way{first}")
        assert bool(found.trouble) is trouble
    (home / "more").write_text("[include]\npath = more")
    assert (
        "includes too many other files" in settings(tmp_path, person="[include]\npath=more").trouble
    )
    (home / ".gitconfig").unlink()
    (home / ".config" / "git").mkdir(parents=True)
    (home / ".config" / "git" / "config").write_text("[diff]\nexternal = x")
    assert read_settings(tmp_path / "p" / ".git", tmp_path / "p", home).drivers
    (home / ".config" / "git" / "config").unlink()
    assert not read_settings(tmp_path / "p" / ".git", tmp_path / "p", home).drivers
    (tmp_path / "xdg" / "git").mkdir(parents=True)
    (tmp_path / "xdg" / "git" / "config").write_text("[diff]\nexternal = x")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    assert read_settings(tmp_path / "p" / ".git", tmp_path / "p", home).drivers


def test_settings_that_cannot_be_read_are_trouble(tmp_path: Path) -> None:
    assert "it is very large or no text" in settings(tmp_path, "#" * (64 * 1024 + 1)).trouble
    assert settings(tmp_path, "#" * 64 * 1024).trouble == ""
    assert "it is very large or no text" in settings(tmp_path, "[a]\0").trouble
    file = tmp_path / "p" / ".git" / "config"
    file.unlink()
    file.mkdir()
    found = read_settings(tmp_path / "p" / ".git", tmp_path / "p", tmp_path / "home")
    assert "it " in found.trouble
    file.rmdir()
    file.symlink_to("/dev/null")
    assert read_settings(tmp_path / "p" / ".git", tmp_path / "p", tmp_path / "home").trouble == ""


def test_the_index_names_what_git_names(plain: TrapPlace, tmp_path: Path) -> None:
    def named() -> list[str]:
        return [file.name for file in read_index(plain.top / ".git").files()]

    assert named() == git(plain, "ls-files").split("\n")
    other = TrapPlace(tmp_path / "other")
    shutil.copytree(plain.base, other.base, symlinks=True)
    own = other.top / ".git"
    for number in range(70):
        other.writes(f"many/{'n' * number}.txt", "x")
    git(other, "add", "-A")
    other.writes("later.txt", "x")
    git(other, "add", "-N", "later.txt")
    assert [file.name for file in read_index(own).files()] == git(other, "ls-files").split("\n")
    assert not read_index(own).may_hold_repositories
    for words, trouble in (
        (("update-index", "--split-index"), "only a part"),
        (("update-index", "--no-split-index", "--index-version", "4"), "not read here"),
    ):
        git(other, *words)
        with pytest.raises(ValueError, match=trouble):
            [file.name for file in read_index(own).files()]
    size = 32 * 1024 * 1024
    for more, trouble in ((0, ""), (1, "its index is not a plain file of usual size")):
        os.truncate(own / "index", size + more)
        assert read_index(own).trouble == trouble
    (own / "index").unlink()
    assert [file.name for file in read_index(own).files()] == []
    (own / "index").mkdir()
    assert read_index(own).trouble == "its index is not a plain file of usual size"


def test_the_folders_that_the_index_knows_are_those_of_git(
    plain: TrapPlace, tmp_path: Path
) -> None:
    place = TrapPlace(tmp_path / "copy")
    shutil.copytree(plain.base, place.base, symlinks=True)
    for name in ("one/two/three/x", "one/y", "one/two/z", "zed/a/b"):
        place.writes(name, "x")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "deep")
    git(place, "write-tree")
    own = place.top / ".git"
    told = git(place, "ls-tree", "-rtd", "HEAD", "--format=%(objectname) %(path)").split("\n")
    rows = [row.split(" ") for row in told]
    theirs = {tuple(path.split("/")): number for number, path in rows}
    assert read_index(own).folders() == {(): git(place, "rev-parse", "HEAD^{tree}"), **theirs}
    place.writes("one/two/z", "changed")
    git(place, "add", "one/two/z")
    later = read_index(own).folders()
    assert later.items() <= theirs.items()
    assert not {(), ("one",), ("one", "two")} & later.keys()
    objects = Objects(own)
    head = objects.commit("HEAD")
    given = dict(objects.files(head, lambda parts: True, {("zed",): theirs[("zed",)]}))
    assert {"/".join(parts) for parts in given} == {
        "README.md", "docs/a.txt", "src/app.py", "src/b.py", "one/two/three/x", "one/two/z",
        "one/y", "zed", "new.txt",
    }  # fmt: skip


def test_only_a_plain_repository_of_the_project_is_taken(plain: TrapPlace, tmp_path: Path) -> None:
    found = find_repository(plain.top / "src", plain.top)
    assert not isinstance(found, str)
    assert (found.top, found.own) == (plain.top, plain.top / ".git")
    assert find_repository(plain.top / "src", plain.top / "src") == (
        "the repository reaches beyond the project folder"
    )
    (tmp_path / "none").mkdir()
    assert find_repository(tmp_path / "none", tmp_path) == "there is no repository here"


def test_an_index_of_parts_is_refused_wherever_that_is_said() -> None:
    head = b"DIRC" + (2).to_bytes(4, "big") + (0).to_bytes(4, "big")
    tree = b"TREE" + (4).to_bytes(4, "big") + b"link"
    end = b"\0" * 20
    assert list(Index("", head + tree + end).files()) == []
    for name in (b"link", b"sdir"):
        part = name + (0).to_bytes(4, "big")
        for data in (head + part + end, head + tree + tree + part + end):
            with pytest.raises(ValueError, match="only a part"):
                list(Index("", data).files())
    assert list(Index("", head + tree + b"link" + b"\0" * 16).files()) == []
    first, second = b"\1" * 20, b"\2" * 20
    told = b"\0-1 3\na\0001 0\n" + first + b"b\0-1 1\nc\0001 0\n" + second + b"d\0-1 0\n"
    known = Index("", head + b"TREE" + len(told).to_bytes(4, "big") + told + end).folders()
    assert known == {("a",): first.hex(), ("b", "c"): second.hex()}
    assert Index("", head + end).folders() == {}
    many = b"DIRC" + (2).to_bytes(4, "big") + (20_001).to_bytes(4, "big")
    with pytest.raises(ValueError, match="too many files"):
        list(Index("", many).files())
    with pytest.raises(ValueError, match="of a kind"):
        list(Index("", b"XXXX" + head[4:]).files())


def test_every_trap_has_its_name() -> None:
    assert len(TRAPS) > 50
