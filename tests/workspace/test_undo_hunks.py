"""Some hunks of a turn's change are taken back: exact bytes, never over what was changed since."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from undo_room import UndoRoom

from kinet.core.errors import StoreError
from kinet.workspace.content_store import ContentStore
from kinet.workspace.hunk_text import digest_of
from kinet.workspace.journal_log import JournalLog
from kinet.workspace.undoing import FileChange, Outcome
from kinet.workspace.undoing_hunks import UndoingHunks

LINES = [f"line {number}\n" for number in range(40)]
PLACES = (3, 15, 30)


@pytest.fixture
def room(tmp_path: Path) -> UndoRoom:
    room = UndoRoom(tmp_path)
    (room.folder / "a").write_text("".join(LINES))
    return room


def text(*changed: int, extra: dict[int, str] | None = None) -> str:
    """The file with the turn's change at these places, and what was changed by hand."""
    lines = [f"new {n}\n" if n in changed else line for n, line in enumerate(LINES)]
    for number, line in (extra or {}).items():
        lines[number] = line
    return "".join(lines)


async def change(room: UndoRoom) -> None:
    await room.write("a", text(*PLACES))


def file(room: UndoRoom, session: str = "s1") -> FileChange:
    (found,) = room.undoing(session).files("t1")
    return found


def take_back(room: UndoRoom, *numbers: int, diff: str | None = None) -> Outcome:
    shown = file(room).diff if diff is None else diff
    undoing = UndoingHunks(room.undoing())
    return undoing.undo("t1", "a", digest_of(shown), numbers)


def held(room: UndoRoom) -> str:
    return (room.folder / "a").read_text()


async def test_chosen_hunks_go_and_the_others_stay_and_can_go_later(room: UndoRoom) -> None:
    await change(room)
    assert (file(room).hunks, file(room).partly) == (3, False)
    assert take_back(room, 1, 3).done == ("a",)
    assert held(room) == text(15)
    left = file(room)
    assert (left.hunks, left.partly, left.undone) == (0, True, False)
    assert "new 15" in left.diff
    assert "new 3\n" not in left.diff
    # After another start too, for all of it is in the journal.
    room = room.again()
    assert take_back(room, 1).done == ("a",)
    assert held(room) == "".join(LINES)
    assert file(room).undone


async def test_redo_brings_first_the_whole_then_the_hunks(room: UndoRoom) -> None:
    await change(room)
    take_back(room, 2)
    assert room.undoing().newest("redo") == "t1"
    room.act("undo")
    assert held(room) == "".join(LINES)
    room.again().act("redo")
    assert held(room) == text(3, 30)
    room.again().act("redo")
    assert held(room) == text(*PLACES)
    assert not file(room).partly
    assert room.undoing().newest("redo") == ""


async def test_a_hunk_that_was_changed_since_is_refused_and_the_others_go(room: UndoRoom) -> None:
    await change(room)
    (room.folder / "a").write_text(text(*PLACES, extra={15: "by hand\n", 25: "mine\n"}))
    outcome = take_back(room, 1, 2)
    assert outcome.done == ("a",)
    assert outcome.failed == (("a, hunk 2", "it was changed since"),)
    assert held(room) == text(15, 30, extra={15: "by hand\n", 25: "mine\n"})
    # What was changed by hand is nobody's change: it stays with a redo that is told to merge.
    (question,) = room.act("redo").questions
    assert "merge" in question.answers
    room.act("redo", answers={"a": "merge"})
    assert held(room) == text(*PLACES, extra={15: "by hand\n", 25: "mine\n"})


async def test_all_hunks_of_a_file_that_was_changed_beside_them_are_an_undo(room: UndoRoom) -> None:
    await change(room)
    (room.folder / "a").write_text(text(*PLACES, extra={22: "mine\n"}))
    assert take_back(room, 1, 2, 3).done == ("a",)
    assert held(room) == text(extra={22: "mine\n"})
    assert file(room).undone
    room.act("redo")
    assert held(room) == text(*PLACES, extra={22: "mine\n"})


async def test_numbers_of_another_diff_do_nothing(room: UndoRoom) -> None:
    await change(room)
    before = file(room).diff
    take_back(room, 1)
    with pytest.raises(StoreError, match="others by now"):
        take_back(room, 1, diff=before)
    assert held(room) == text(15, 30)
    assert take_back(room, 7, 0).done == ()
    assert held(room) == text(15, 30)


async def test_what_another_session_changed_since_is_not_touched(room: UndoRoom) -> None:
    await change(room)
    shown = file(room).diff
    await room.write("a", text(*PLACES, extra={8: "theirs\n"}), session="s2", turn="t9")
    with pytest.raises(StoreError, match="Another session"):
        take_back(room, 1, diff=shown)
    # Hunks of theirs that were taken back are not all of theirs.
    theirs = room.undoing("s2").files("t9")[0]
    await room.write(
        "a", text(*PLACES, extra={8: "theirs\n", 35: "too\n"}), session="s2", turn="t9"
    )
    theirs = room.undoing("s2").files("t9")[0]
    UndoingHunks(room.undoing("s2")).undo("t9", "a", digest_of(theirs.diff), [1])
    with pytest.raises(StoreError, match="Another session"):
        take_back(room, 1, diff=shown)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"one\n", None),
        (None, b"one\n"),
        (b"\xff one\n" * 20, b"\xfe one\n" * 20),
        (b"\0one\n", b"\0two\n"),
    ],
    ids=["gone", "new", "no UTF-8", "no text"],
)
async def test_what_has_no_exact_hunks_offers_none(
    room: UndoRoom, before: bytes | None, after: bytes | None
) -> None:
    place = room.folder / "a"
    place.unlink()
    if before is not None:
        place.write_bytes(before)
    act = "rm a" if after is None else f"printf '%b' {_octal(after)!r} > a"
    await room.shell(act)
    assert file(room).hunks == 0


def _octal(data: bytes) -> str:
    return "".join(f"\\0{byte:03o}" for byte in data)


async def test_line_ends_modes_and_hidden_signs_stay_as_they_are(room: UndoRoom) -> None:
    place = room.folder / "a"
    lines = [f"\u202ezeile {n}\r\n".encode() for n in range(30)]
    place.write_bytes(b"\xef\xbb\xbf" + b"".join(lines) + b"end")
    os.chmod(place, 0o640)
    changed = [*lines]
    changed[2], changed[20] = b"two\n", b"twenty\r\n"
    data = b"\xef\xbb\xbf" + b"".join(changed) + b"end\r\n"
    await room.shell(f"printf '%b' '{_octal(data)}' > a; chmod 600 a")
    assert file(room).hunks == 3
    assert take_back(room, 1).done == ("a",)
    changed[2] = lines[2]
    assert place.read_bytes() == b"\xef\xbb\xbf" + b"".join(changed) + b"end\r\n"
    if sys.platform != "win32":
        assert place.stat().st_mode & 0o777 == 0o600
    assert take_back(room, 1, 2).done == ("a",)
    assert place.read_bytes() == b"\xef\xbb\xbf" + b"".join(lines) + b"end"
    if sys.platform != "win32":
        assert place.stat().st_mode & 0o777 == 0o640


async def test_a_file_that_is_gone_is_said_so_for_each_hunk(room: UndoRoom) -> None:
    await change(room)
    shown = file(room).diff
    (room.folder / "a").unlink()
    outcome = take_back(room, 1, 2, diff=shown)
    assert dict(outcome.failed) == {f"a, hunk {n}": "it is not there any more" for n in (1, 2)}
    assert not (room.folder / "a").exists()


_SOME = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "\n", "é"]), max_size=30)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_SOME, _SOME, st.lists(st.lists(st.integers(1, 6), max_size=4), max_size=4))
async def test_whatever_is_taken_back_in_pieces_comes_to_the_beginning_and_back(
    tmp_path_factory: pytest.TempPathFactory,
    before: list[str],
    after: list[str],
    choices: list[list[int]],
) -> None:
    room = UndoRoom(tmp_path_factory.mktemp("room"))
    (room.folder / "a").write_bytes("".join(before).encode())
    if before == after or not before:
        return
    await room.write("a", "".join(after))
    if not room.undoing().files("t1"):
        return
    for numbers in choices:
        shown = file(room)
        if shown.undone:
            break
        take_back(room, *numbers)
    room.act("undo")
    assert (room.folder / "a").read_bytes() == "".join(before).encode()
    while room.undoing().newest("redo"):
        room.act("redo")
    assert (room.folder / "a").read_bytes() == "".join(after).encode()


@pytest.mark.parametrize("act", ["hunk", "whole"])
@pytest.mark.parametrize("what", ["contents", "log"])
async def test_a_full_disk_is_told_in_words_with_what_became_of_the_file(
    room: UndoRoom, monkeypatch: pytest.MonkeyPatch, act: str, what: str
) -> None:
    await change(room)
    (room.folder / "a").write_text(text(*PLACES, extra={9: "by hand\n"}))

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        if what == "log":
            broken.setattr(JournalLog, "add", full)
        else:
            broken.setattr(ContentStore, "put", full)
        with pytest.raises(StoreError, match="its disk is full") as told:
            take_back(room, 1) if act == "hunk" else room.act("undo", answers={"a": "merge"})
    done = {"hunk": text(15, 30, extra={9: "by hand\n"}), "whole": text(extra={9: "by hand\n"})}
    if what == "log":
        assert "as you wanted" in told.value.message
        assert held(room) == done[act]
    else:
        assert "Nothing was changed" in told.value.message
        assert held(room) == text(*PLACES, extra={9: "by hand\n"})
