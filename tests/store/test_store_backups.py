"""There is always a copy that opens: daily, and before a file is brought to a newer form."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import threading
from pathlib import Path

import pytest

from kinet.core.errors import StoreError
from kinet.core.events import MessageCompleted, ToolFinished
from kinet.core.messages import Message
from kinet.store import opening, schema
from kinet.store.backups import KEPT, back_up, back_up_daily, backups
from kinet.store.database import FILE_NAME, Database
from kinet.store.sessions import NewSession, SessionStore
from kinet.store.sizes import StoreSizes, sizes

HELLO = MessageCompleted(Message("user", "hello"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / FILE_NAME


@pytest.fixture
def database(path: Path):
    database = Database(path)
    store = SessionStore(database)
    store.create(NewSession("s"))
    store.put("s", [HELLO]).result()
    yield database
    database.close()


def test_a_copy_made_while_kinet_writes_is_whole_and_private(database, path, tmp_path):
    copy = back_up(path)
    if os.name == "posix":
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    (tmp_path / "other").mkdir()
    shutil.copy(copy, tmp_path / "other" / FILE_NAME)
    other = Database(tmp_path / "other" / FILE_NAME)
    assert SessionStore(other).load("s") == [HELLO]
    other.close()
    assert [file.name for file in copy.parent.iterdir()] == [copy.name]


def test_one_a_day_is_made_and_seven_are_kept(database, path):
    assert back_up_daily(path) is not None
    assert back_up_daily(path) is None
    folder = path.parent / "backups"
    for day in range(1, 10):
        shutil.copy(backups(path)[0], folder / f"kinet-2001010{day}-000000.db")
    (folder / "mine.db").write_text("not a copy of Kinet")
    newest = back_up(path, mark="-v1")
    assert len(backups(path)) == KEPT
    assert backups(path)[0] == newest
    assert (folder / "mine.db").exists()


def test_a_clock_set_back_does_not_end_the_daily_copies(database, path):
    copy = back_up(path)
    os.utime(copy, (4e9, 4e9))
    assert back_up_daily(path) is not None


def test_a_damaged_file_gives_no_copy_and_takes_none_away(database, path):
    good = back_up(path)
    database.close()
    path.write_bytes(b"no database " * 1000)
    with pytest.raises(StoreError):
        back_up(path)
    assert backups(path) == [good]


def test_nothing_is_copied_where_nothing_is(path):
    assert back_up_daily(path) is None
    assert backups(path) == []


def test_an_upgrade_keeps_the_old_form_and_happens_whole_or_not_at_all(path, monkeypatch):
    Database(path).close()
    newer = (*schema.MIGRATIONS, "ALTER TABLE session ADD COLUMN colour TEXT;\nBROKEN;")
    monkeypatch.setattr(opening, "MIGRATIONS", newer)
    monkeypatch.setattr(opening, "VERSION", schema.VERSION + 1)
    with pytest.raises(StoreError):
        Database(path)
    (copy,) = backups(path)
    assert copy.name.endswith(f"-v{schema.VERSION}.db")
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA user_version").fetchone()[0] == schema.VERSION
    columns = [row[1] for row in connection.execute("PRAGMA table_info(session)")]
    connection.close()
    assert "colour" not in columns
    whole = (*schema.MIGRATIONS, "ALTER TABLE session ADD COLUMN colour TEXT;")
    monkeypatch.setattr(opening, "MIGRATIONS", whole)
    database = Database(path)
    version = database.submit(lambda db: db.execute("PRAGMA user_version").fetchone()[0]).result()
    assert version == schema.VERSION + 1
    database.close()


def test_the_copy_of_the_day_is_made_in_the_background_and_broken_off_at_the_end(path):
    database = Database(path)
    database.start_daily_copy()
    database.close()
    litter = [file.name for file in (path.parent / "backups").glob("*") if ".new" in file.name]
    assert litter == []
    ended = threading.Event()
    ended.set()
    assert back_up(path, ended=ended) is None
    assert len(backups(path)) <= 1


def test_the_room_of_each_part_is_told(path):
    assert sizes(path.parent) == StoreSizes()
    database = Database(path)
    store = SessionStore(database)
    store.create(NewSession("s"))
    store.put("s", [ToolFinished("c", "shell", content="x" * 200_000)]).result()
    database.close()
    kept = back_up(path)
    (path.parent / "kinet.damaged-1.db").write_bytes(b"12345")
    told = sizes(path.parent)
    assert told.database >= path.stat().st_size
    assert (told.outputs, told.aside) == (200_000, 5)
    assert kept is not None
    assert told.backups == kept.stat().st_size
