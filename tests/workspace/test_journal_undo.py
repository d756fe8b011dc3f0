"""Undo: exact bytes and modes back after edits and commands; redo; changes made by hand."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from undo_room import UndoRoom, git

from kinet.core.errors import StoreError
from kinet.engine.base import JournalCall
from kinet.workspace.folder_scan import ScanLimits

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes and links as POSIX has them")

ODD_NAMES = ("with space.txt", "-dash", "ünï.txt", "new\nline", "quote'\".txt", "*star")


@pytest.fixture
def room(tmp_path: Path) -> UndoRoom:
    return UndoRoom(tmp_path)


def furnish(folder: Path) -> None:
    """Files of every kind."""
    (folder / "src").mkdir()
    (folder / "src" / "a.py").write_text("one\ntwo\nthree\n")
    (folder / "src" / "run.sh").write_text("#!/bin/sh\n")
    (folder / "src" / "run.sh").chmod(0o755)
    (folder / "docs" / "deep").mkdir(parents=True)
    (folder / "docs" / "deep" / "b.md").write_bytes(b"\xef\xbb\xbfwindows\r\nlines\r\n")
    (folder / "picture.bin").write_bytes(bytes(range(256)) * 20)
    (folder / "secret").write_text("only mine")
    (folder / "secret").chmod(0o400)
    (folder / "link").symlink_to("src/a.py")
    (folder / "broken").symlink_to("nowhere")
    (folder / "empty").mkdir(mode=0o750)
    os.link(folder / "picture.bin", folder / "second name.bin")
    for name in ODD_NAMES:
        (folder / name).write_text(f"in {name!r}")
    with open(os.path.join(os.fsencode(folder), b"byte\xff"), "wb") as odd:
        odd.write(b"odd")


COMMANDS = {
    "edit": "printf 'changed\\n' > src/a.py; echo more >> docs/deep/b.md",
    "create": "mkdir -p new/deep; echo x > new/deep/file; ln -s x new/link; mkdir new/void",
    "delete": "rm -rf docs src/run.sh link 'with space.txt' -- -dash",
    "rename": "mv src lib; mv picture.bin p.bin; mv broken fixed",
    "chmod": "chmod 600 src/a.py; chmod +x picture.bin; chmod 700 docs; chmod 644 secret",
    "swap": "rm -r docs; echo file > docs; rm src/a.py; mkdir src/a.py; rm link; ln -s y link",
    "odd": 'for f in *; do [ -f "$f" ] && echo more >> "$f"; done; true',
    "hard link": "printf short > picture.bin",
    "close": "rm docs/deep/b.md; chmod 500 docs/deep docs",
    "in place": "sed -i s/two/2/ src/a.py",
}


@pytest.mark.parametrize("name", COMMANDS)
async def test_what_a_command_did_is_taken_back_exactly_and_done_again(
    room: UndoRoom, name: str
) -> None:
    furnish(room.folder)
    before = room.picture()
    changes = await room.shell(COMMANDS[name])
    after = room.picture()
    assert changes.paths
    assert after != before
    assert room.act("undo").failed == ()
    assert room.picture() == before
    assert room.act("redo").failed == ()
    assert room.picture() == after
    assert room.act("undo").failed == ()
    assert room.picture() == before


async def test_all_at_once_and_after_a_restart(room: UndoRoom) -> None:
    furnish(room.folder)
    before = room.picture()
    for command in ("edit", "create", "delete", "chmod"):
        await room.shell(COMMANDS[command])
    await room.write("src/a.py", "by a tool\n")
    await room.write("brand/new/file.txt", "x")
    assert room.picture() != before
    room.again()
    assert room.undoing().newest("undo") == "t1"
    assert room.act("undo").failed == ()
    assert room.picture() == before
    assert room.undoing().newest("undo") == ""
    assert room.undoing().newest("redo") == "t1"


async def test_a_dirty_repository_is_left_as_dirty_as_it_was(room: UndoRoom) -> None:
    furnish(room.folder)
    (room.folder / ".gitignore").write_text("*.log\nout/\n")
    git(room.folder, "init", "-q")
    git(room.folder, "add", ".")
    git(room.folder, "commit", "-qm", "first")
    (room.folder / "src" / "a.py").write_text("my own work\n")
    (room.folder / "staged").write_text("staged")
    git(room.folder, "add", "staged")
    (room.folder / "untracked").write_text("mine")
    (room.folder / "debug.log").write_text("ignored")
    before = room.picture()
    await room.shell("echo by command > src/a.py; rm untracked; echo x > staged; rm -r docs")
    room.act("undo")
    after = room.picture()
    # git itself may refresh the times in its index; nothing here has run it.
    assert after == before


async def test_what_is_ignored_is_neither_listed_nor_touched(room: UndoRoom) -> None:
    (room.folder / ".gitignore").write_text("*.log\n!keep.log\n/out/\n")
    (room.folder / "node_modules" / "x").mkdir(parents=True)
    (room.folder / "a.txt").write_text("a")
    command = (
        "echo 1 > debug.log; echo 2 > keep.log; mkdir out; echo 3 > out/f; echo 4 > a.txt;"
        "echo 5 > node_modules/x/y; mkdir __pycache__; echo 6 > __pycache__/z"
    )
    changes = await room.shell(command)
    assert changes.paths == ("a.txt", "keep.log")
    room.act("undo")
    left = {path for path, (kind, _, _) in room.picture().items() if kind == "file"}
    assert left == {
        ".gitignore", "debug.log", "out/f", "a.txt", "node_modules/x/y", "__pycache__/z",
    }  # fmt: skip


@pytest.mark.parametrize(
    "command", ["echo '*' > .gitignore", "rm .gitignore", "touch CACHEDIR.TAG"]
)
async def test_a_command_that_changes_the_rules_loses_and_gains_nothing(
    room: UndoRoom, command: str
) -> None:
    (room.folder / ".gitignore").write_text("*.log\n")
    (room.folder / "sub").mkdir()
    (room.folder / "sub" / "a.txt").write_text("a")
    (room.folder / "my.log").write_text("not to be taken for new")
    before = room.picture()
    await room.shell(f"{command}; touch sub/CACHEDIR.TAG; echo more >> sub/a.txt")
    room.act("undo")
    after = room.picture()
    after.pop("CACHEDIR.TAG", None)
    assert {path: after[path] for path in before} == before


async def test_a_change_by_hand_since_is_asked_about_and_nothing_is_done(room: UndoRoom) -> None:
    file = room.folder / "a.txt"
    lines = [f"line {number}\n" for number in range(20)]
    file.write_text("".join(lines))
    (room.folder / "b.txt").write_text("b")
    await room.shell("sed -i 's/line 3/LINE 3/' a.txt; echo B > b.txt")
    file.write_text(file.read_text().replace("line 15", "by hand"))
    picture = room.picture()
    outcome = room.act("undo")
    assert [item.path for item in outcome.questions] == ["a.txt"]
    assert outcome.questions[0].answers == ("keep", "restore", "merge")
    assert room.picture() == picture

    assert room.act("undo", answers={"a.txt": "merge"}).failed == ()
    assert file.read_text() == "".join(lines).replace("line 15", "by hand")
    assert (room.folder / "b.txt").read_text() == "b"
    room.act("redo")
    assert "LINE 3" in file.read_text()
    assert "by hand" in file.read_text()


async def test_keep_leaves_mine_and_restore_can_be_taken_back(room: UndoRoom) -> None:
    file = room.folder / "a.txt"
    file.write_text("old")
    await room.write("a.txt", "new")
    file.write_text("mine")
    assert room.act("undo", answers={"a.txt": "keep"}).kept == ("a.txt",)
    assert file.read_text() == "mine"
    assert room.act("undo", answers={"a.txt": "restore"}).done == ("a.txt",)
    assert file.read_text() == "old"
    room.act("redo")
    assert file.read_text() == "mine"


async def test_a_change_by_hand_between_two_calls_is_asked_about(room: UndoRoom) -> None:
    file = room.folder / "a.txt"
    file.write_text("old")
    await room.write("a.txt", "first")
    file.write_text("by hand")
    await room.write("a.txt", "second")
    outcome = room.act("undo")
    assert [item.path for item in outcome.questions] == ["a.txt"]
    assert file.read_text() == "second"


async def test_one_file_alone_is_taken_back(room: UndoRoom) -> None:
    await room.shell("echo a > a; echo b > b")
    room.act("undo", paths=["a"])
    assert not (room.folder / "a").exists()
    assert (room.folder / "b").exists()
    assert [file.undone for file in room.undoing().files("t1")] == [True, False]
    room.act("undo")
    assert not (room.folder / "b").exists()


async def test_another_sessions_change_is_never_taken_back(room: UndoRoom) -> None:
    file = room.folder / "a.txt"
    file.write_text("0")
    await room.write("a.txt", "1", session="s1")
    await room.write("b.txt", "1", session="s1")
    await room.write("a.txt", "2", session="s2", turn="u1")
    with pytest.raises(StoreError, match=r"Another session has changed a\.txt"):
        room.act("undo")
    assert file.read_text() == "2"
    assert (room.folder / "b.txt").exists()
    room.act("undo", "u1", session="s2")
    assert file.read_text() == "1"
    room.act("undo")
    assert file.read_text() == "0"


async def test_two_calls_at_once_note_each_change_once(room: UndoRoom) -> None:
    shell = JournalCall("s1", "t1", "c1", "shell", {"command": "make"}, room.folder)
    edit = JournalCall("s2", "u1", "c2", "write_file", {"path": "edited"}, room.folder)
    shell_ticket = await room.journal.before(shell)
    edit_ticket = await room.journal.before(edit)
    (room.folder / "edited").write_text("by the other")
    (room.folder / "made").write_text("by the command")
    assert (await room.journal.after(edit_ticket)).paths == ("edited",)
    assert (await room.journal.after(shell_ticket)).paths == ("made",)
    room.act("undo")
    assert (room.folder / "edited").exists()
    assert not (room.folder / "made").exists()


async def test_a_huge_file_beside_is_neither_read_nor_touched(tmp_path: Path) -> None:
    room = UndoRoom(tmp_path)
    huge = room.folder / "huge.img"
    with huge.open("wb") as file:
        file.truncate(3 * 1024**3)
    (room.folder / "a").write_text("a")
    before = room.picture()
    await room.shell("echo b > a")
    room.act("undo")
    assert room.picture() == before
    assert room.journal.store.total < 1_000
    await room.shell("truncate -s 4G huge.img; rm a", turn="t2")
    outcome = room.act("undo", "t2")
    assert outcome.failed == (("huge.img", "its old content was too large to be kept"),)
    assert (room.folder / "a").read_text() == "a"


async def test_ten_thousand_files(room: UndoRoom) -> None:
    for folder in range(100):
        (room.folder / f"d{folder}").mkdir()
        for number in range(100):
            (room.folder / f"d{folder}" / f"f{number}").write_text(f"{folder} {number}")
    before = room.picture()
    changes = await room.shell(
        "rm -r d1 d2; for f in d3/*; do echo x >> $f; done; mv d4 e4; chmod 600 d5/*; "
        "mkdir new; for n in {1..100}; do echo $n > new/$n; done"
    )
    after = room.picture()
    assert len(changes.paths) == 200 + 100 + 200 + 100 + 100
    assert room.act("undo").failed == ()
    assert room.picture() == before
    assert room.act("redo").failed == ()
    assert room.picture() == after


async def test_a_kill_between_journal_and_call_harms_nothing(room: UndoRoom) -> None:
    furnish(room.folder)
    await room.write("first.txt", "x")
    before = room.picture()
    call = JournalCall("s1", "t2", "c", "write_file", {"path": "src/a.py"}, room.folder)
    await room.journal.before(call)
    log = next(room.journal.folder.glob("*.jsonl"))
    log.write_bytes(log.read_bytes() + b'{"number":2,"act":"ca')
    room.again()
    assert room.picture() == before
    assert room.undoing().turns() == ["t1"]
    await room.write("second.txt", "y", turn="t3")
    room.again()
    assert room.undoing().turns() == ["t1", "t3"]
    room.act("undo", "t3")
    room.act("undo", "t1")
    assert not (room.folder / "first.txt").exists()


async def test_the_store_stays_under_its_limit_and_says_what_is_lost(tmp_path: Path) -> None:
    room = UndoRoom(tmp_path, limit=300_000)
    for number in range(8):
        await room.write(f"f{number}", f"{number}" * 50_000, turn=f"t{number}")
        await room.write(f"f{number}", "small", turn=f"t{number}b")
    assert room.journal.store.total <= 300_000
    lost = room.act("undo", "t0b")
    assert lost.failed == (("f0", "its old content is no longer kept"),)
    assert (room.folder / "f0").read_text() == "small"
    room.act("undo", "t7b")
    assert (room.folder / "f7").read_text() == "7" * 50_000


async def test_a_folder_too_large_says_so_once(tmp_path: Path) -> None:
    room = UndoRoom(tmp_path, limits=ScanLimits(entries=10))
    for number in range(20):
        (room.folder / f"f{number}").write_text("x")
    first = await room.shell("echo y > f1")
    second = await room.shell("echo z > f1")
    assert "cannot be undone" in first.problem
    assert second.problem == ""
    # What a tool names is kept all the same.
    await room.write("f2", "new", turn="t2")
    room.act("undo", "t2")
    assert (room.folder / "f2").read_text() == "x"


async def test_links_in_the_way_lead_nowhere(room: UndoRoom, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f").write_text("not to be touched")
    (room.folder / "d").mkdir()
    (room.folder / "d" / "f").write_text("old")
    await room.shell("echo new > d/f")
    shutil.rmtree(room.folder / "d")
    (room.folder / "d").symlink_to(outside)
    outcome = room.act("undo", answers={"d/f": "restore"})
    assert outcome.failed
    assert (outside / "f").read_text() == "not to be touched"


async def test_a_command_that_only_reads_costs_no_look(room: UndoRoom) -> None:
    call = JournalCall("s1", "t1", "c", "shell", {"command": "ls -l"}, room.folder)
    assert await room.journal.before(call) is None


async def test_contents_are_for_this_person_alone(room: UndoRoom) -> None:
    await room.write("a", "x")
    for path in room.journal.folder.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0
