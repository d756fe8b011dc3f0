"""What a deleted session changed leaves the journal, with the contents that only it needed."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

import pytest
from undo_room import UndoRoom

from kinet.core.errors import StoreError
from kinet.engine.base import JournalCall
from kinet.workspace.journal import Journal


@pytest.fixture
def room(tmp_path: Path) -> UndoRoom:
    return UndoRoom(tmp_path)


def is_kept(room: UndoRoom, text: str) -> bool:
    return room.journal.store.has(hashlib.sha256(text.encode()).hexdigest())


@pytest.mark.parametrize("restarted", [False, True])
async def test_entries_and_contents_of_a_session_go_and_those_of_others_stay(
    room: UndoRoom, restarted: bool
) -> None:
    (room.folder / "a").write_text("a, old")
    (room.folder / "b").write_text("b, old")
    await room.write("a", "shared", session="gone", turn="t1")
    await room.write("b", "shared", session="stays", turn="u1")
    await room.write("a", "a, last", session="gone", turn="t2")
    if restarted:
        room.again()
    room.journal.forget(["gone", "unknown"])
    assert room.undoing("gone").turns() == []
    assert [is_kept(room, text) for text in ("a, old", "a, last")] == [False, False]
    assert [is_kept(room, text) for text in ("b, old", "shared")] == [True, True]
    assert "gone" not in next(room.journal.folder.glob("*.jsonl")).read_text()
    assert (room.folder / "a").read_text() == "a, last"
    room.again()
    assert room.act("undo", "u1", session="stays").failed == ()
    assert (room.folder / "b").read_text() == "b, old"
    assert room.undoing("gone").turns() == []


async def test_the_log_of_a_folder_goes_with_its_last_session(room: UndoRoom) -> None:
    await room.write("a", "x", session="one")
    await room.write("a", "y", session="two")
    room.journal.forget(["one"])
    assert len(list(room.journal.folder.glob("*.jsonl"))) == 1
    room.journal.forget(["two"])
    assert list(room.journal.folder.glob("*.jsonl")) == []
    assert room.journal.store.total == 0
    await room.write("a", "z", session="three")
    assert room.again().act("undo", session="three").failed == ()
    assert (room.folder / "a").read_text() == "y"


async def test_numbers_are_given_once_so_a_running_call_keeps_its_own(room: UndoRoom) -> None:
    await room.write("a", "1", session="gone")
    shell = JournalCall("s1", "t1", "c", "shell", {"command": "make"}, room.folder)
    ticket = await room.journal.before(shell)
    room.journal.forget(["gone"])
    await room.write("b", "by the other", session="s2")
    (room.folder / "a").write_text("2")
    assert (await room.journal.after(ticket)).paths == ("a",)


async def test_a_running_call_keeps_what_it_may_have_to_bring_back(room: UndoRoom) -> None:
    (room.folder / "a").write_text("0")
    await room.write("a", "1", session="gone")
    call = JournalCall("s1", "t1", "c", "write_file", {"path": "a"}, room.folder)
    ticket = await room.journal.before(call)
    room.journal.forget(["gone"])
    (room.folder / "a").write_text("2")
    await room.journal.after(ticket)
    assert room.act("undo").failed == ()
    assert (room.folder / "a").read_text() == "1"
    assert not is_kept(room, "0")


async def test_a_look_that_is_under_way_is_waited_for(room: UndoRoom) -> None:
    await room.write("a", "1", session="gone")
    book = room.journal.book(room.folder)
    with book.lock:
        forgetting = asyncio.create_task(asyncio.to_thread(room.journal.forget, ["gone"]))
        await asyncio.sleep(0)
        (room.folder / "b").write_text("1")
        call = JournalCall("s1", "t1", "c", "write_file", {"path": "b"}, room.folder)
        room.journal._before(call)
        assert not forgetting.done()
    await forgetting
    assert room.undoing("gone").turns() == []


async def test_a_log_that_cannot_be_written_is_told_and_stays_whole(
    room: UndoRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    await room.write("a", "1", session="gone")
    await room.write("a", "2", session="stays")

    def full(*_args: object, **_named: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("kinet.core.atomic_write.write_bytes", full)
        with pytest.raises(StoreError, match="No space left"):
            room.journal.forget(["gone"])
    assert room.undoing("gone").turns() == ["t1"]
    assert Journal(room.home).book(room.folder).log.entries[0].session_id == "gone"
    assert is_kept(room, "1")
