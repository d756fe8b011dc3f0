"""Calls that follow each other at once share a look over the folder, and miss nothing by it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from undo_room import UndoRoom

from kinet.engine.base import JournalCall
from kinet.workspace import journal_book
from kinet.workspace.folder_scan import FolderScan, Look


class Clock:
    """Time stands but for looks, each of which takes a fifth of a second."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.looks = 100.0, 0
        monkeypatch.setattr(journal_book, "time", SimpleNamespace(monotonic=lambda: self.now))
        run = FolderScan.run

        def counted(scan: FolderScan) -> Look:
            self.now += 0.2
            self.looks += 1
            return run(scan)

        monkeypatch.setattr(FolderScan, "run", counted)

    def since(self) -> int:
        looks, self.looks = self.looks, 0
        return looks


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def room(tmp_path: Path, clock: Clock) -> UndoRoom:
    room = UndoRoom(tmp_path)
    (room.folder / "a").write_text("a")
    return room


async def test_a_call_right_after_another_uses_its_look(room: UndoRoom, clock: Clock) -> None:
    first = await room.shell("echo one > one", turn="t1")
    second = await room.shell("echo two > two; echo more >> a", turn="t2")
    assert clock.since() == 3
    assert (first.paths, second.paths) == (("one",), ("a", "two"))
    room.act("undo", "t2")
    assert sorted(room.picture()) == ["a", "one"]
    assert (room.folder / "a").read_text() == "a"


async def test_what_was_changed_by_hand_in_a_pause_is_not_the_next_calls(
    room: UndoRoom, clock: Clock
) -> None:
    await room.shell("echo one > one")
    clock.now += 0.21
    (room.folder / "a").write_text("by hand")
    assert (await room.shell("echo two > two")).paths == ("two",)
    assert clock.since() == 4


async def test_an_edit_between_two_commands_is_its_own_alone(room: UndoRoom, clock: Clock) -> None:
    await room.shell("echo one > one")
    await room.write("a", "edited")
    assert (await room.shell("echo two > two")).paths == ("two",)


async def test_an_undo_between_two_commands_is_no_change_of_theirs(
    room: UndoRoom, clock: Clock
) -> None:
    await room.shell("echo one > one", turn="t1")
    room.act("undo", "t1")
    assert (await room.shell("echo two > two", turn="t2")).paths == ("two",)


async def test_rules_that_came_with_a_call_hold_for_the_next_one_before_long(
    room: UndoRoom, clock: Clock
) -> None:
    for number in range(30):
        await room.shell(f"echo '*.log{number}' >> .gitignore; echo {number} >> a")
    # One whole look begins each row of shared ones.
    assert clock.since() == 30 + 4


async def test_what_goes_on_of_a_call_is_looked_at_from_its_end_whatever_was_looked_at_since(
    room: UndoRoom, clock: Clock
) -> None:
    call = JournalCall("s1", "t1", "c", "shell", {"command": "build & echo one > one"}, room.folder)
    ticket = await room.journal.before(call)
    (room.folder / "one").write_text("one")
    assert (await room.journal.after(ticket)).paths == ("one",)
    # The program in the background makes something, and only then the next call begins.
    (room.folder / "built").write_text("built")
    clock.now += 1.0
    assert (await room.shell("echo two > two", turn="t2")).paths == ("two",)
    further = await room.journal.go_on(ticket)
    (room.folder / "a").write_text("built too")
    # Neither is forgotten, nor is the other call's taken for its own.
    assert (await room.journal.after(further)).paths == ("a", "built")
