"""The data folder survives damage, newer versions, two writers and a disk that fails."""

from __future__ import annotations

import asyncio
import errno
import os
import sqlite3
import stat
import threading
from pathlib import Path

import pytest

from kinet.core.errors import StoreError
from kinet.core.events import MessageCompleted
from kinet.core.messages import Message
from kinet.store import opening
from kinet.store.database import FILE_NAME, Database
from kinet.store.lock import InstanceLock, StoreInUseError
from kinet.store.schema import VERSION
from kinet.store.sessions import NewSession, SessionStore
from tests.support.starts import rounds

HELLO = MessageCompleted(Message("user", "hello"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / FILE_NAME


def fill(path: Path, count: int = 1) -> None:
    database = Database(path)
    store = SessionStore(database)
    for number in range(count):
        store.create(NewSession(f"s{number}", title=f"t{number}"))
        store.put(f"s{number}", [HELLO] * 20).result()
    database.close()


def test_folder_and_file_are_for_this_person_alone(path):
    fill(path)
    if os.name == "posix":
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_file_is_written_ahead_and_in_full(path):
    database = Database(path)
    asked = {
        name: database.submit(lambda db, n=name: db.execute(f"PRAGMA {n}").fetchone()[0]).result()
        for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout", "user_version")
    }
    assert asked == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "busy_timeout": 5000,
        "user_version": VERSION,
    }
    database.close()


def test_a_second_writer_is_told_who_holds_the_folder(path):
    first = Database(path)
    with pytest.raises(StoreInUseError, match="already uses the data folder") as caught:
        Database(path)
    assert caught.value.holder == os.getpid()
    first.close()
    Database(path).close()


def test_of_many_that_start_at_once_exactly_one_writes(tmp_path):
    """A slice of tests/bench/bench_starts.py."""
    assert rounds(6, 4, tmp_path) == []


def test_a_reader_needs_no_lock_and_cannot_write(path):
    writer = Database(path)
    store = SessionStore(writer)
    store.create(NewSession("s"))
    store.put("s", [HELLO]).result()
    reader = Database(path, read_only=True)
    assert SessionStore(reader).load("s") == [HELLO]
    with pytest.raises(StoreError, match="for reading only"):
        reader.submit(lambda db: None)
    with pytest.raises(StoreError, match="cannot be written"):
        reader.read(lambda db: db.execute("DELETE FROM event"))
    reader.close()
    writer.close()


def test_reading_where_nothing_was_saved_gives_nothing_and_makes_nothing(path):
    reader = Database(path, read_only=True)
    assert SessionStore(reader).list() == []
    reader.close()
    assert not path.parent.exists()


def test_a_newer_version_is_refused_and_left_byte_for_byte(path):
    fill(path)
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(StoreError, match="saved by a newer Kinet"):
            Database(path, read_only=read_only)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"not a database at all, but a text that is long enough" * 40,
        lambda data: b"\0" * len(data),
        lambda data: data[:100] + os.urandom(4000) + data[4100:],
        lambda data: data[: len(data) // 2],
    ],
    ids=["text", "zeros", "first page", "half"],
)
def test_a_damaged_file_is_set_aside_untouched_and_kinet_begins_anew(path, damage):
    fill(path)
    damaged = damage(path.read_bytes())
    path.write_bytes(damaged)
    database = Database(path)
    store = SessionStore(database)
    store.create(NewSession("new"))
    store.put("new", [HELLO]).result()
    assert store.load("new") == [HELLO]
    (aside,) = path.parent.glob("kinet.damaged-*.db")
    assert aside.read_bytes() == damaged
    assert aside.name in database.problems[0]
    database.close()


def test_what_can_be_read_of_a_damaged_file_is_taken_over(path):
    fill(path, count=30)
    data = bytearray(path.read_bytes())
    # One page in the middle of the events.
    middle = data.find(b'"hello"', len(data) // 2) // 4096 * 4096
    data[middle : middle + 4096] = os.urandom(4096)
    path.write_bytes(data)
    # A log beside it is the mark of an end that was not clean: then the file is checked.
    Path(f"{path}-wal").touch()
    database = Database(path)
    assert "taken over" in database.problems[0]
    rows = SessionStore(database).list()
    assert len(rows) == 30
    kept = sum(len(SessionStore(database).load(row.id)) for row in rows)
    assert 300 < kept < 600
    database.close()


@pytest.mark.skipif(
    os.name != "posix" or os.geteuid() == 0, reason="permissions do not bind this person"
)
def test_a_folder_that_cannot_be_written_is_said_in_words(tmp_path):
    home = tmp_path / "home"
    home.mkdir(mode=0o500)
    with pytest.raises(StoreError, match="cannot be used"):
        Database(home / FILE_NAME)


def test_a_file_where_the_folder_should_be_is_said_in_words(tmp_path):
    (tmp_path / "home").write_text("a file")
    with pytest.raises(StoreError) as caught:
        Database(tmp_path / "home" / FILE_NAME)
    assert "KINET_HOME" in caught.value.hint


def test_a_full_disk_is_told_and_heals_by_itself(path):
    database = Database(path)
    store = SessionStore(database)
    store.create(NewSession("s")).result()
    pages = database.submit(lambda db: db.execute("PRAGMA page_count").fetchone()[0]).result()
    limit = "PRAGMA max_page_count"
    database.submit(lambda db: db.execute(f"{limit} = {pages}").fetchone()[0]).result()
    large = MessageCompleted(Message("user", "x" * 50_000))
    with pytest.raises(StoreError, match="disk is full"):
        store.put("s", [large]).result()
    assert "full" in database.trouble
    database.submit(lambda db: db.execute(f"{limit} = 1000000").fetchone()[0]).result()
    store.put("s", [large]).result()
    assert database.trouble == ""
    assert store.load("s") == [large]
    database.close()


def test_one_failing_change_takes_no_other_with_it(path):
    database = Database(path)
    store = SessionStore(database)
    gate = threading.Event()
    database.submit(lambda db: gate.wait(5))
    store.create(NewSession("s"))
    good = store.put("s", [HELLO])
    bad = store.put("nowhere", [HELLO])
    also_good = store.put("s", [HELLO])
    gate.set()
    good.result()
    also_good.result()
    assert isinstance(bad.exception(), StoreError)
    assert store.load("s") == [HELLO, HELLO]
    database.close()


async def test_a_cancelled_wait_does_not_take_the_change_back(path):
    database = Database(path)
    store = SessionStore(database)
    gate = threading.Event()
    database.submit(lambda db: gate.wait(5))
    store.create(NewSession("s"))
    task = asyncio.create_task(store.append("s", [HELLO]))
    await asyncio.sleep(0)
    task.cancel()
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    await database.write(lambda db: None)
    assert store.load("s") == [HELLO]
    database.close()


def test_a_closed_database_says_so(path):
    database = Database(path)
    database.close()
    database.close()
    with pytest.raises(StoreError, match="closed"):
        database.submit(lambda db: None)
    with pytest.raises(StoreError, match="closed"):
        database.read(lambda db: None)


def test_without_a_folder_everything_works_in_memory():
    database = Database(None)
    store = SessionStore(database)
    store.create(NewSession("s"))
    large = MessageCompleted(Message("user", "x" * 100_000))
    store.put("s", [large]).result()
    assert store.load("s") == [large]
    database.close()


def test_damage_in_the_middle_of_a_file_that_was_closed_in_order_is_found_at_the_start(path):
    fill(path, 3)
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xff" * 4096 + data[8192:])
    database = Database(path)
    assert "was kept as" in database.problems[0]
    SessionStore(database).create(NewSession("new")).result()
    database.close()


def test_damage_that_shows_itself_in_use_is_looked_for_at_the_next_start(path, monkeypatch):
    fill(path, 3)
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xff" * 4096 + data[8192:])
    # As if the file were too large to be looked over at each start.
    monkeypatch.setattr(opening, "CHECKED_ALWAYS", 0)
    database = Database(path)
    with pytest.raises(StoreError, match="is damaged"):
        database.read(lambda db: db.execute("SELECT * FROM session").fetchall())
    database.close()
    database = Database(path)
    assert "was kept as" in database.problems[0]
    assert SessionStore(database).list() is not None
    database.close()
    database = Database(path)
    assert database.problems == []
    database.close()


def test_a_lock_whose_number_cannot_be_written_is_held_all_the_same(path, monkeypatch):
    def full(*args: object) -> int:
        raise OSError(28, "No space left on device")

    path.parent.mkdir(parents=True)
    monkeypatch.setattr(os, "ftruncate", full)
    first = InstanceLock(path.parent)
    first.acquire()
    monkeypatch.undo()
    with pytest.raises(StoreInUseError):
        InstanceLock(path.parent).acquire()
    first.release()
    second = InstanceLock(path.parent)
    second.acquire()
    second.release()


class Checked:
    """A connection whose checks give these answers, one after the other."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)

    def execute(self, statement: str) -> Checked:
        return self

    def fetchone(self) -> tuple[str]:
        return (self.answers.pop(0),)


def test_a_disk_that_failed_to_read_once_leaves_no_damaged_file():
    assert opening.is_sound(Checked("unable to get the page. error code=10", "ok"))
    assert opening.is_sound(Checked("ok"))
    assert not opening.is_sound(Checked("damaged", "damaged"))


def test_a_store_on_a_disk_that_can_only_be_read_can_be_read(tmp_path, monkeypatch):
    Database(tmp_path / FILE_NAME).close()
    before = sorted(tmp_path.iterdir())

    def only_read(folder):
        return OSError(errno.EROFS, "Read-only file system", str(folder))

    monkeypatch.setattr(opening, "write_refusal", only_read)
    database = Database(tmp_path / FILE_NAME, read_only=True)
    assert database.read(lambda it: it.execute("SELECT count(*) FROM session").fetchone())[0] == 0
    database.close()
    # Nothing was made beside it: on such a disk that is what fails.
    assert sorted(tmp_path.iterdir()) == before


def test_what_the_folder_refuses_is_said_with_the_folder(tmp_path, monkeypatch):
    def only_read(folder):
        return OSError(errno.EROFS, "Read-only file system", str(folder))

    monkeypatch.setattr(opening, "write_refusal", only_read)
    with (
        pytest.raises(StoreError, match=f"{tmp_path} cannot be used: it lies on a disk"),
        opening.in_words(tmp_path / FILE_NAME),
    ):
        opening.connect(tmp_path / "none" / FILE_NAME).execute("BEGIN IMMEDIATE")
