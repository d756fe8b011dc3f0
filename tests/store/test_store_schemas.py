"""Stores of every earlier format open, whole, with a copy of what they were; starts that go wrong.

`schemas/` keeps one small database of each format there has been; none is ever changed or removed.
"""

from __future__ import annotations

import gzip
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from kinet.core.conversation import replay
from kinet.core.events import MessageCompleted
from kinet.core.messages import Message
from kinet.store import opening, schema
from kinet.store.backups import backups
from kinet.store.checking import check
from kinet.store.database import FILE_NAME, Database
from kinet.store.drafts import DraftStore
from kinet.store.fact_uses import FactUses
from kinet.store.notes import NoteStore
from kinet.store.queued import QueueStore
from kinet.store.search import SearchFilter, SearchIndex
from kinet.store.sessions import SessionStore
from kinet.store.usage import UsageLog

KEPT = Path(__file__).with_name("schemas")
FILES = sorted(path.name.removesuffix(".db.gz") for path in KEPT.glob("*.db.gz"))
OLDER = [name for name in FILES if f"-{schema.VERSION}" not in name]


def lay_down(home: Path, name: str) -> Path:
    home.mkdir(mode=0o700)
    path = home / FILE_NAME
    path.write_bytes(gzip.decompress((KEPT / f"{name}.db.gz").read_bytes()))
    return path


def version_of(path: Path) -> int:
    connection = sqlite3.connect(path)
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    connection.close()
    return version


def test_every_format_there_has_been_is_kept_here():
    versions = {int(name.split("-")[1]) for name in FILES}
    assert versions == set(range(1, schema.VERSION + 1))


@pytest.mark.parametrize("name", FILES)
def test_a_store_of_an_earlier_format_opens_whole(tmp_path: Path, name: str):
    path = lay_down(tmp_path / "home", name)
    before, old = path.read_bytes(), version_of(path)
    database = Database(path)
    store = SessionStore(database)
    texts = [
        (event.message.role, event.message.text)
        for event in store.load("old")
        if isinstance(event, MessageCompleted)
    ]
    asked = ("user", "Where do herons nest? 鷺はどこ")
    assert texts == [asked, ("assistant", ""), ("assistant", "In the reeds.")]
    assert replay(store.load("old")).cost == pytest.approx(0.03)
    row = store.row("old")
    assert row is not None
    assert (row.title, row.titled_by, row.folder) == ("Herons", "person", "/work/reeds")
    dying = store.row("dying")
    assert dying is not None
    assert dying.state == "interrupted"
    assert DraftStore(database).load("dying")[0] == "On chim"
    assert [item.text for item in QueueStore(database).list("old")] == ["And cranes?"]
    assert NoteStore(database).load("old")["memory"].startswith("<memory>")
    assert NoteStore(database).files("old") == {"/work/reeds/a.txt": "d1"}
    assert UsageLog(database).session("old").calls == 1
    index = SearchIndex(database, store.fetch)
    narrowed = SearchFilter(model="big", tool="shell")
    assert [hit.seq for hit in index.find("reeds", within=narrowed)] == [5]
    assert len(index.find("鷺")) == 1
    FactUses(database).note("old", ["f2"]).result()
    assert [use.session_id for use in FactUses(database).of("f2")] == ["old"]
    store.put("old", [MessageCompleted(Message("user", "more"))]).result()
    database.flush()
    assert [found.kind for found in check(store).findings] in ([], ["not indexed"])
    database.close()
    assert version_of(path) == schema.VERSION
    kept = backups(path)
    if old < schema.VERSION:
        assert [copy.name.endswith(f"-v{old}.db") for copy in kept] == [True]
        assert version_of(kept[0]) == old
        assert len(kept[0].read_bytes()) == len(before)
    else:
        assert kept == []


@pytest.mark.parametrize("name", OLDER)
def test_a_store_of_an_earlier_format_can_be_read_without_being_changed(tmp_path: Path, name: str):
    path = lay_down(tmp_path / "home", name)
    before = path.read_bytes()
    reader = Database(path, read_only=True)
    store = SessionStore(reader)
    assert [row.id for row in store.list()] == ["dying", "old"]
    assert len(SearchIndex(reader, store.fetch).find("reeds")) == 2
    assert {found.kind for found in check(store).findings} <= {"not indexed"}
    reader.close()
    assert path.read_bytes() == before


@pytest.mark.skipif(os.name != "posix", reason="kills a process")
@pytest.mark.parametrize("name", OLDER)
def test_a_migration_that_is_killed_leaves_the_old_form_and_is_done_at_the_next_start(
    tmp_path: Path, name: str
):
    path = lay_down(tmp_path / "home", name)
    old = version_of(path)
    program = (
        "import os, sys\nfrom pathlib import Path\nfrom kinet.store import opening\n"
        "from kinet.store.database import Database\nreal = opening.statements\n"
        "def dies(script):\n    yield next(iter(real(script)))\n    os.kill(os.getpid(), 9)\n"
        "opening.statements = dies\nDatabase(Path(sys.argv[1]))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], check=False)
    assert done.returncode == -9
    assert version_of(path) == old
    database = Database(path)
    assert len(SessionStore(database).load("old")) == 7
    database.close()
    assert version_of(path) == schema.VERSION


@pytest.mark.skipif(os.name != "posix", reason="kills a process")
@pytest.mark.parametrize("name", FILES)
def test_a_change_that_was_cut_short_is_taken_back(tmp_path: Path, name: str):
    """Its journal lies beside the file, which nobody can even read before it is played back."""
    path = lay_down(tmp_path / "home", name)
    program = (
        "import os, sqlite3, sys\ndb = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "for text in ('PRAGMA journal_mode = DELETE', 'PRAGMA cache_size = 1', 'BEGIN',\n"
        "    'UPDATE event SET body = hex(zeroblob(9000))'):\n    db.execute(text).fetchall()\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], check=False)
    assert done.returncode == -9
    assert Path(f"{path}-journal").stat().st_size
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        opening.look(path)
    database = Database(path)
    assert database.problems == []
    assert len(SessionStore(database).load("old")) == 7
    database.close()
    assert version_of(path) == schema.VERSION


def test_a_copy_of_a_newer_store_can_be_read_by_the_one_that_wrote_it(tmp_path: Path):
    """A newer file is refused untouched, so that the newer program finds what it left."""
    path = lay_down(tmp_path / "home", FILES[-1])
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {schema.VERSION + 5}")
    connection.close()
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(opening.StoreError, match="newer Kinet"):
            Database(path, read_only=read_only)
    assert path.read_bytes() == before
    assert sorted(item.name for item in path.parent.iterdir() if item.suffix == ".db") == [
        FILE_NAME
    ]
