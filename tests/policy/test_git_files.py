"""git's own files are read as git reads them, or not at all: settings, index, commits, folders."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from kinet.policy.git_objects import Objects, _patched
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
    for _ in range(90):
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
    assert agreed > 15


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
    git(other, "add", "-N", "new.txt")
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
    git(place, "add", "-A")
    later = read_index(own).folders()
    assert later.items() <= theirs.items()
    assert not {(), ("one",), ("one", "two")} & later.keys()
    assert later[("docs",)] == theirs[("docs",)]
    objects = Objects(own)
    head = objects.commit("HEAD")
    given = dict(objects.files(head, lambda parts: True, {("zed",): theirs[("zed",)]}))
    assert {"/".join(parts) for parts in given} == {
        "README.md", "docs/a.txt", "src/app.py", "src/b.py", "one/two/three/x", "one/two/z",
        "one/y", "zed", "new.txt",
    }  # fmt: skip


def changed(objects: Objects, first: str | None, second: str) -> set[str]:
    names = {"/".join(parts) for parts in objects.changed(first, second)}
    return {name for name in names if not any(other.startswith(f"{name}/") for other in names)}


@pytest.mark.parametrize("packed", ["", "true", "false"])
def test_commits_are_found_and_compared_as_git_does(
    packed: str, plain: TrapPlace, tmp_path: Path
) -> None:
    place = TrapPlace(tmp_path / "copy")
    shutil.copytree(plain.base, place.base, symlinks=True)
    for number in range(4):
        place.writes("long.txt", "".join(f"{row} {number}\n" for row in range(400)))
        git(place, "add", "long.txt")
        git(place, "commit", "-qm", f"long {number}")
    if packed:
        # Differences in a pack name their base by its distance, or by its number.
        git(place, "-c", f"repack.useDeltaBaseOffset={packed}", "repack", "-adfq", "--depth=50")
    objects = Objects(place.top / ".git")
    head = git(place, "rev-parse", "HEAD")
    for text in ("HEAD", "@", "main", "topic", "v1", "refs/heads/topic", "heads/main", "HEAD~2",
                 "HEAD^", "HEAD~", "HEAD~~", "HEAD~4^2", "main~1~1", "HEAD^^", head, head[:9],
                 head[:7],
                 "v1~1"):  # fmt: skip
        assert objects.commit(text) == git(place, "rev-parse", f"{text}^{{commit}}"), text
    git(place, "update-ref", "refs/heads/index", "HEAD")
    with pytest.raises(ValueError, match="in several ways"):
        objects.commit("index")
    assert objects.commit("refs/heads/index") == head
    other = "0" if head[6] != "0" else "1"
    for text in (f"{head[:6]}{other}", "nothing", "HEAD~99", "HEAD^3", "HEAD^0", "HEAD@{1}",
    "HEAD:README.md", "../x", "",
                 "config", "HEAD~x", "0" * 40, "abcd", git(place, "rev-parse", "HEAD:README.md"),
                 git(place, "rev-parse", "HEAD^{tree}"), "HEAD..main", ":/x", "-x"):  # fmt: skip
        with pytest.raises(ValueError):
            Objects(place.top / ".git").commit(text)
    for first, second in (("HEAD~1", "HEAD"), ("v1", "topic"), ("HEAD~6", "HEAD")):
        one, other = objects.commit(first), objects.commit(second)
        names = git(place, "diff", "--name-only", "--no-renames", first, second)
        assert changed(objects, one, other) == set(names.split("\n")), (first, second)
    whole = git(place, "ls-tree", "-r", "--name-only", "HEAD")
    assert changed(objects, None, head) == set(whole.split("\n"))
    only = {"/".join(parts) for parts in objects.changed(None, head, lambda one: one[0] == "src")}
    assert only == {"src", "src/app.py", "src/b.py"}
    assert objects.parents(objects.commit("HEAD~4")) == git(
        place, "rev-parse", "HEAD~4^1", "HEAD~4^2"
    ).split("\n")


def test_the_commits_that_two_come_from_are_those_of_git(plain: TrapPlace, tmp_path: Path) -> None:
    place = TrapPlace(tmp_path / "copy")
    shutil.copytree(plain.base, place.base, symlinks=True)
    source = random.Random(4)
    made = [git(place, "rev-parse", "HEAD~1")]
    for number in range(14):
        parents = sorted({source.choice(made[-4:]), source.choice(made[-4:])})
        words = [word for parent in parents for word in ("-p", parent)]
        made.append(git(place, "commit-tree", *words, "-m", f"{number}", "HEAD^{tree}"))
    lonely = git(place, "commit-tree", "-m", "lonely", "HEAD^{tree}")
    for _ in range(12):
        one, other = source.choice(made), source.choice(made)
        found = Objects(place.top / ".git").merge_bases(one, other)
        assert set(git(place, "merge-base", "--all", one, other).split()) <= set(found)
        assert len(found) <= 6
    assert Objects(place.top / ".git").merge_bases(made[3], lonely) == []


def test_only_a_plain_repository_of_the_project_is_taken(plain: TrapPlace, tmp_path: Path) -> None:
    found = find_repository(plain.top / "src", plain.top)
    assert not isinstance(found, str)
    assert (found.top, found.own) == (plain.top, plain.top / ".git")
    assert find_repository(plain.top / "src", plain.top / "src") == (
        "the repository reaches beyond the project folder"
    )
    (tmp_path / "none").mkdir()
    assert find_repository(tmp_path / "none", tmp_path) == "there is no repository here"


def test_objects_beyond_the_budget_are_refused(plain: TrapPlace, tmp_path: Path) -> None:
    place = TrapPlace(tmp_path / "copy")
    shutil.copytree(plain.base, place.base, symlinks=True)
    tree = git(place, "rev-parse", "HEAD^{tree}")
    large = git(place, "commit-tree", "-F", "-", tree, data="x" * (1 << 20))
    with pytest.raises(ValueError, match="very large"):
        Objects(place.top / ".git").commit(large)
    objects = Objects(place.top / ".git")
    head = objects.commit("HEAD")
    # One was read to find it.
    for _ in range(399):
        objects.parents(head)
    with pytest.raises(ValueError, match="too much to look through"):
        objects.parents(head)
    (place.top / ".git" / "refs" / "replace").mkdir()
    with pytest.raises(ValueError, match="replaces objects"):
        Objects(place.top / ".git")


def test_a_difference_is_put_together() -> None:
    base = bytes(range(256)) * 300
    copied = b"\x80\x80\x04" + b"\x80\x80\x04"
    # All four bytes of a place, all of a length, none of it for 65,536, and new bytes.
    orders = b"\x91\x05\x07" + b"\x03new" + b"\x80" + b"\xb3\x00\x01\x10\x01"
    expected = base[5:12] + b"new" + base[:0x10000] + base[256 : 256 + 0x110]
    assert _patched(base, copied + orders) == expected
    assert _patched(b"x", b"\x01\x02" + b"\x02ab") == b"ab"


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
    many = b"DIRC" + (2).to_bytes(4, "big") + (20_001).to_bytes(4, "big")
    with pytest.raises(ValueError, match="too many files"):
        list(Index("", many).files())
    with pytest.raises(ValueError, match="of a kind"):
        list(Index("", b"XXXX" + head[4:]).files())


def test_every_trap_has_its_name() -> None:
    assert len(TRAPS) > 50
