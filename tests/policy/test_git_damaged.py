"""Objects, packs and files of git that are damaged or of odd kinds: each is refused in words."""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from kinet.policy import shell_globs
from kinet.policy.commands import judge_command
from kinet.policy.git_objects import Objects
from kinet.policy.git_packs import Pack
from kinet.policy.git_place import Repository, find_repository, read_index
from kinet.policy.git_settings import read_settings
from tests.support.git_traps import TrapPlace, git

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
Lay = Callable[[str, str, bytes], str]


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "project" / ".git"
    for name in ("objects/pack", "refs/heads"):
        (folder / name).mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    return folder


@pytest.fixture
def lay(own: Path) -> Lay:
    """Lays an object at a number of one's choice."""

    def laid(letter: str, kind: str, data: bytes) -> str:
        number = letter * 40
        folder = own / "objects" / number[:2]
        folder.mkdir(exist_ok=True)
        head = f"{kind} {len(data)}\0".encode()
        (folder / number[2:]).write_bytes(zlib.compress(head + data))
        return number

    return laid


def test_objects_that_are_not_what_they_should_be(own: Path, lay: Lay) -> None:
    tag = lay("1", "tag", b"object " + b"1" * 40)
    with pytest.raises(ValueError, match="a tag leads on without end"):
        Objects(own).commit(tag)
    odd = lay("2", "commit", b"nothing")
    blob = lay("3", "blob", b"x")
    for number in (odd, blob):
        with pytest.raises(ValueError, match="it is no commit"):
            Objects(own).parents(number)
    undated = lay("4", "commit", b"tree " + b"3" * 40 + b"\n\nx")
    with pytest.raises(ValueError, match="a commit has no date"):
        Objects(own).merge_bases(undated, undated)
    with pytest.raises(ValueError, match="it is no folder"):
        list(Objects(own).changed(None, undated))
    lost = lay("5", "commit", b"tree x\nparent y\n\n")
    with pytest.raises(ValueError, match="number is not understood"):
        list(Objects(own).changed(None, lost))
    (own / "objects" / "33" / ("3" * 38)).write_bytes(b"no such stream")
    with pytest.raises(ValueError, match="an object is damaged"):
        Objects(own).parents(blob)
    with pytest.raises(ValueError, match="an object is not found"):
        Objects(own).parents("9" * 40)
    (own / "packed-refs").write_text("# " + "x" * (1 << 20))
    with pytest.raises(ValueError, match="very many branches and tags"):
        Objects(own).commit("main")


def test_what_a_pack_holds_is_followed_to_an_end(own: Path) -> None:
    class Odd:
        def __init__(self, kind: int, head: bytes) -> None:
            self.kind, self.head = kind, head

        def read(self, at: int) -> tuple[int, bytes, bytes]:
            return self.kind, self.head, b""

        def place_of(self, number: str) -> int | None:
            return None

    for kind, head, words in ((6, b"\1", "packed too deeply"), (5, b"", "of an unknown kind"),
                              (7, b"\0" * 20, "is not found")):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            Objects(own)._unpacked(Odd(kind, head), 1_000, 0)  # type: ignore[arg-type]


def test_a_pack_finds_numbers_that_begin_so(tmp_path: Path) -> None:
    numbers = [
        bytes([1, 1, 2]) + b"\7" * 17,
        bytes([1, 2]) + b"\7" * 18,
        bytes([1, 0x23]) + b"\7" * 18,
    ]
    places = [b"\0\0\0\x0c", b"\x80\0\0\0", b"\0\0\0\x0d"]
    counts = [0] + [3] * 255
    head = b"\xfftOc\0\0\0\2" + b"".join(count.to_bytes(4, "big") for count in counts)
    index = tmp_path / "x.idx"
    index.write_bytes(head + b"".join(numbers) + b"\0" * 12 + b"".join(places))
    pack = Pack(index)
    assert pack.beginning_with("0102") == [numbers[1].hex()]
    assert pack.beginning_with("0101") == [numbers[0].hex()]
    assert pack.beginning_with("012") == [numbers[2].hex()]
    assert pack.beginning_with("0103") == pack.beginning_with("0001") == []
    assert pack.place_of(numbers[0].hex()) == 12
    assert pack.place_of(numbers[2].hex()) == 13
    assert pack.place_of("0f" * 20) is None
    with pytest.raises(ValueError, match="a pack is very large"):
        pack.place_of(numbers[1].hex())
    counts = [0] + [100_001] * 255
    index.write_bytes(b"\xfftOc\0\0\0\2" + b"".join(count.to_bytes(4, "big") for count in counts))
    with pytest.raises(ValueError, match="a pack is very large"):
        Pack(index).beginning_with("0102")


def test_a_folder_that_is_no_whole_repository_is_refused(own: Path, tmp_path: Path) -> None:
    root = tmp_path / "project"
    assert isinstance(find_repository(root, root), Repository)
    for name in ("HEAD", "objects", "refs"):
        (own / name).rename(own / "away")
        assert find_repository(root, root) == f"the repository's .git/{name} is missing or a link"
        (own / name).symlink_to("away")
        assert find_repository(root, root) == f"the repository's .git/{name} is missing or a link"
        (own / name).unlink()
        (own / "away").rename(own / name)
    assert "its index cannot be read" in read_index(own / "HEAD").trouble


def test_what_cannot_be_looked_at_asks(
    plain: TrapPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = TrapPlace(tmp_path / "copy")
    shutil.copytree(plain.base, place.base, symlinks=True)

    def reason(command: str) -> str:
        return judge_command(command, place.top, place.home, windows=False).reason

    place.person_says(f"[include]\n\tpath = {'x' * 300}")
    assert "it cannot be read" in read_settings(place.top / ".git", place.top, place.home).trouble
    place.person_says("")
    lonely = git(place, "commit-tree", "-m", "lonely", "HEAD^{tree}")
    assert "have no common one" in reason(f"git diff main...{lonely}")
    place.writes("ca.pem", "SECRET-VALUE\n")
    git(place, "add", "ca.pem")
    (place.top / "ca.pem").unlink()
    assert "ca.pem in the repository" in reason("git diff")
    (place.top / ".git" / "index").unlink()
    (place.top / ".git" / "index").mkdir()
    assert "its index is not a plain file" in reason("git grep x")
    assert "its index is not a plain file" in reason("git status")

    def broken(folder: Path) -> list[str]:
        raise OSError(5, "broken disk")

    monkeypatch.setattr(shell_globs, "_listed", broken)
    assert reason("cat *.md") == "a pattern cannot be looked at: broken disk"
