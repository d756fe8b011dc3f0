"""git's objects are read as git reads them, or not at all: commits, folders, packs."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from kinet.policy.git_objects import Objects
from kinet.policy.git_packs import patched
from tests.support.git_traps import TrapPlace, git

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


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
    texts = ("HEAD", "@", "main", "topic", "v1", "refs/heads/topic", "heads/main", "HEAD~2",
                 "HEAD^", "HEAD~", "HEAD~~", "HEAD~4^2", "main~1~1", "HEAD^^", head, head[:9],
                 head[:7],
                 "v1~1")  # fmt: skip
    told = git(place, "rev-parse", *(f"{text}^{{commit}}" for text in texts)).split("\n")
    assert [objects.commit(text) for text in texts] == told
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


def test_packs_and_names_of_another_kind_are_refused(plain: TrapPlace, tmp_path: Path) -> None:
    place = TrapPlace(tmp_path / "copy")
    shutil.copytree(plain.base, place.base, symlinks=True)
    own = place.top / ".git"
    git(place, "repack", "-adq")
    head = git(place, "rev-parse", "HEAD")
    (index,) = (own / "objects" / "pack").glob("*.idx")
    for number in range(39):
        shutil.copy(index, index.with_name(f"x{number}.idx"))
    assert Objects(own).parents(head)
    extra = index.with_name("y.idx")
    shutil.copy(index, extra)
    with pytest.raises(ValueError, match="very many packs"):
        Objects(own).parents(head)
    for data in (b"\xfftOc\0\0\0\x01" + b"\0" * 1024, b"\xfftOc\0\0\0\x02" + b"\0" * 1023):
        extra.write_bytes(data)
        index.with_name("x0.idx").unlink(missing_ok=True)
        with pytest.raises(ValueError, match="of an unknown kind"):
            Objects(own).parents(head)
    extra.unlink()
    loop = own / "refs" / "heads" / "loop"
    for text, trouble in (("ref: refs/heads/loop", "without end"), ("x", "is not understood")):
        loop.write_text(text)
        with pytest.raises(ValueError, match=trouble):
            Objects(own).commit("loop")
    loop.unlink()
    git(place, "pack-refs", "--all")
    assert Objects(own).commit("topic") == git(place, "rev-parse", "topic")
    assert Objects(own).commit("v1") == git(place, "rev-parse", "v1^{commit}")
    with open(own / "packed-refs", "a", encoding="utf-8") as file:
        file.write(f"{head} refs/replace/{head}\n")
    with pytest.raises(ValueError, match="replaces objects"):
        Objects(own).commit("topic")


def test_a_difference_is_put_together() -> None:
    base = bytes(range(256)) * 300
    copied = b"\x80\x80\x04" + b"\x80\x80\x04"
    # All four bytes of a place, all of a length, none of it for 65,536, and new bytes.
    orders = b"\x91\x05\x07" + b"\x03new" + b"\x80" + b"\xb3\x00\x01\x10\x01"
    expected = base[5:12] + b"new" + base[:0x10000] + base[256 : 256 + 0x110]
    assert patched(base, copied + orders) == expected
    assert patched(b"x", b"\x01\x02" + b"\x02ab") == b"ab"
