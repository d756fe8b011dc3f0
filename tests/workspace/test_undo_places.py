"""Undo of what commands did, in every kind of place: repositories, hands, sessions, kills."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from undo_room import UndoRoom, git

from kinet.core.errors import StoreError
from kinet.workspace.content_store import ContentStore
from kinet.workspace.folder_scan import FolderScan
from kinet.workspace.restore import Restoring

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes and links as POSIX has them")

# Each touches what is committed, what is staged, what is untracked and what is ignored.
COMMANDS = {
    "edit": "for f in src/a.py staged untracked; do echo more >> $f; done; echo more >> debug.log",
    "create": "mkdir -p new/deep; echo x > new/deep/f; ln -s f new/l; echo x > new.log",
    "delete": "rm -r src staged untracked link debug.log",
    "rename": "mv src lib; mv staged put; mv untracked -- -odd; mv link knil",
    "chmod": "chmod 600 src/a.py; chmod 755 staged untracked; chmod 700 src; chmod 600 debug.log",
}
IGNORED = ("debug.log", "new.log")


@pytest.fixture
def room(tmp_path: Path) -> UndoRoom:
    return UndoRoom(tmp_path)


def furnish(folder: Path) -> None:
    (folder / "src").mkdir()
    (folder / "src" / "a.py").write_bytes(b"one\r\ntwo\r\n\xff")
    (folder / "link").symlink_to("src/a.py")
    (folder / ".gitignore").write_text("*.log\n")
    for name in ("staged", "untracked", "debug.log"):
        (folder / name).write_text(f"{name}, mine\n")


def make_dirty(folder: Path) -> None:
    git(folder, "init", "-q")
    git(folder, "add", "src", "link", ".gitignore")
    git(folder, "commit", "-qm", "first")
    (folder / "src" / "a.py").write_text("my own work, not committed\n")
    git(folder, "add", "staged")
    (folder / "staged").write_text("staged, and changed since\n")


def seen(room: UndoRoom) -> dict[str, tuple[str, int, str]]:
    """All but what is ignored, which no undo touches; all of `.git`."""
    return {path: held for path, held in room.picture().items() if path not in IGNORED}


@pytest.mark.parametrize("place", ["dirty repository", "no repository"])
@pytest.mark.parametrize("name", COMMANDS)
async def test_undo_and_redo_bring_exact_bytes_and_modes(
    room: UndoRoom, name: str, place: str
) -> None:
    furnish(room.folder)
    if place == "dirty repository":
        make_dirty(room.folder)
    before = seen(room)
    changes = await room.shell(COMMANDS[name])
    assert changes.paths
    assert not set(changes.paths) & set(IGNORED)
    whole = room.picture()
    after = seen(room)
    ignored = {path: whole.get(path) for path in IGNORED}
    for _ in range(2):
        assert room.act("undo").failed == ()
        assert seen(room) == before
        assert room.act("redo").failed == ()
        assert seen(room) == after
    assert {path: room.picture().get(path) for path in IGNORED} == ignored


def _append(path: Path) -> None:
    path.write_text(path.read_text() + "by hand\n")


# What a command does, what a person does to its work then, and the place that is asked about.
BY_HAND: dict[str, tuple[str, Callable[[Path], object], str]] = {
    "edit": ("echo more >> f", lambda folder: _append(folder / "f"), "f"),
    "create": ("echo x > new", lambda folder: _append(folder / "new"), "new"),
    "delete": ("rm f", lambda folder: (folder / "f").write_text("again\n"), "f"),
    "rename": ("mv f g", lambda folder: _append(folder / "g"), "g"),
    "chmod": ("chmod 600 f", lambda folder: (folder / "f").chmod(0o755), "f"),
    "link": ("ln -sf x l", lambda folder: _relink(folder / "l"), "l"),
    "deleted by hand": ("echo more >> f", lambda folder: (folder / "f").unlink(), "f"),
}


def _relink(path: Path) -> None:
    path.unlink()
    path.symlink_to("elsewhere")


@pytest.mark.parametrize("answer", ["keep", "restore"])
@pytest.mark.parametrize("name", BY_HAND)
async def test_what_a_hand_changed_since_is_asked_about(
    room: UndoRoom, name: str, answer: str
) -> None:
    command, by_hand, asked = BY_HAND[name]
    (room.folder / "f").write_text("one\n")
    (room.folder / "l").symlink_to("f")
    before = room.picture()
    await room.shell(command)
    by_hand(room.folder)
    mine = room.picture()
    outcome = room.act("undo")
    assert [item.path for item in outcome.questions] == [asked]
    assert room.picture() == mine, "nothing is done before it is answered"
    if answer == "keep":
        room.act("undo", answers={asked: "keep"})
        assert room.picture().get(asked) == mine.get(asked)
        return
    assert room.act("undo", answers={asked: "restore"}).failed == ()
    assert room.picture() == before
    room.act("redo")
    assert room.picture() == mine, "what the hand made is not lost either"


async def test_two_sessions_take_back_what_their_own_commands_did(room: UndoRoom) -> None:
    for name in ("a", "b", "shared"):
        (room.folder / name).write_text(f"{name}\n")
    before = room.picture()
    await room.shell("echo 1 >> a; mkdir one; mv shared one/", session="s1", turn="t")
    first = room.picture()
    await room.shell("rm b; chmod 600 one/shared; echo 2 > two", session="s2", turn="t")
    with pytest.raises(StoreError, match="Another session has changed one/shared"):
        room.act("undo", "t", session="s1")
    assert room.act("undo", "t", session="s2").failed == ()
    assert room.picture() == first
    assert room.act("undo", "t", session="s1").failed == ()
    assert room.picture() == before
    room.act("redo", "t", session="s1")
    assert room.picture() == first


DYING = """
import asyncio, os, signal, sys
from pathlib import Path
from typing import Any
from kinet.engine.base import JournalCall
from kinet.workspace.journal import Journal

async def main():
    folder, home, command = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    call = JournalCall("s1", "t1", "c", "shell", {"command": command}, folder)
    await Journal(home).before(call)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


async def test_a_program_killed_between_the_look_and_the_command_harms_nothing(
    room: UndoRoom,
) -> None:
    furnish(room.folder)
    before = room.picture()
    dying = subprocess.run(  # noqa: ASYNC221 - it kills itself at once
        [sys.executable, "-c", DYING, str(room.folder), str(room.home), "rm -r src"],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        check=False,
    )
    assert dying.returncode == -signal.SIGKILL
    assert room.picture() == before
    room.again()
    assert room.undoing().turns() == []
    await room.shell("rm -r src", turn="t2")
    assert room.act("undo", "t2").failed == ()
    assert room.picture() == before


@pytest.mark.parametrize(
    "command", ["echo b > a", "echo n > n", "rm a", "mv a b", "chmod 600 a", "mv d e"]
)
async def test_beside_three_gigabytes_all_comes_back(room: UndoRoom, command: str) -> None:
    (room.folder / "a").write_text("a")
    (room.folder / "d").mkdir()
    (room.folder / "d" / "f").write_text("f")
    with (room.folder / "huge.img").open("wb") as file:
        file.truncate(3 * 1024**3)
    before = room.picture()
    await room.shell(command)
    after = room.picture()
    assert room.act("undo").failed == ()
    assert room.picture() == before
    assert room.act("redo").failed == ()
    assert room.picture() == after
    assert room.journal.store.total < 1_000


async def test_three_gigabytes_that_a_command_renamed_are_left_where_they_are(
    room: UndoRoom,
) -> None:
    with (room.folder / "huge.img").open("wb") as file:
        file.truncate(3 * 1024**3)
    await room.shell("mv huge.img moved.img")
    mine = room.picture()
    assert {path for path, _ in room.act("undo").failed} == {"huge.img", "moved.img"}
    assert room.picture() == mine


@pytest.mark.parametrize("at", ["look", "undo"])
async def test_room_that_is_made_meanwhile_takes_nothing_that_is_about_to_be_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    """Another session's call may find the journal full at any moment."""
    room = UndoRoom(tmp_path)
    (room.folder / "a").write_text("old")
    store = room.journal.book(room.folder).store

    def racing(place: type, name: str) -> None:
        real: Any = getattr(place, name)

        def raced(self: Any, *arguments: Any) -> Any:
            found = real(self, *arguments)
            store.put(b"x" * 100)
            room.journal.make_room(20)
            return found

        monkeypatch.setattr(place, name, raced)

    if at == "look":
        racing(FolderScan, "run")
    await room.shell("echo new > a")
    (room.folder / "a").write_text("by hand")
    if at == "undo":
        racing(Restoring, "_check")
    assert room.act("undo", answers={"a": "restore"}).done == ("a",)
    assert (room.folder / "a").read_text() == "old"
    assert room.act("redo").done == ("a",)
    assert (room.folder / "a").read_text() == "by hand"


async def test_a_call_is_told_with_its_changes_where_no_room_can_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = UndoRoom(tmp_path, limit=1)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(ContentStore, "make_room", refuse)
    changes = await room.shell("echo new > a")
    assert (changes.paths, changes.problem) == (("a",), "")
