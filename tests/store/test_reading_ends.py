"""What is read in a thread ends with the data folder, or when nobody wants it any more."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kinet.core.errors import StoreError
from kinet.core.events import MessageCompleted
from kinet.core.messages import Message
from kinet.core.wanted import NotWantedError
from kinet.session.saved import read_saved
from kinet.store.database import FILE_NAME, Database
from kinet.store.sessions import NewSession, SessionStore

MANY = 1_500
_ENDLESS = (
    "WITH RECURSIVE counted (n) AS (SELECT begun() UNION ALL SELECT n + 1 FROM counted)"
    " SELECT count(*) FROM counted"
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SessionStore]:
    """One session of very many messages."""
    made = SessionStore(Database(tmp_path / FILE_NAME))
    made.create(NewSession("long"))
    said = [MessageCompleted(Message("user", f"Ask {number}")) for number in range(MANY)]
    made.put("long", said).result()
    yield made
    made.database.close()


def test_a_reading_ends_when_it_is_not_wanted_any_more(store: SessionStore) -> None:
    answers = iter((True, False))
    with pytest.raises(NotWantedError):
        store.load_counting("long", lambda: next(answers))
    # The connection serves the next one.
    assert len(store.load("long")) == MANY


def test_so_does_what_follows_the_reading(store: SessionStore) -> None:
    # As often as the rows ask, and then no more.
    answers = iter([True] * (MANY // 500) + [False])
    with pytest.raises(NotWantedError):
        read_saved(store, "long", lambda: next(answers))


def test_closing_the_data_folder_ends_a_reading_between_two_rows(store: SessionStore) -> None:
    def is_wanted() -> bool:
        store.database.close()
        return True

    with pytest.raises(StoreError):
        store.load_counting("long", is_wanted)


def test_closing_the_data_folder_ends_what_the_database_works_at(store: SessionStore) -> None:
    begun = threading.Event()

    def tell() -> int:
        begun.set()
        return 1

    def count(connection: sqlite3.Connection) -> object:
        connection.create_function("begun", 0, tell)
        return connection.execute(_ENDLESS).fetchone()

    with ThreadPoolExecutor(1) as pool:
        counting = pool.submit(store.database.read, count)
        assert begun.wait(20)
        store.database.close()
        with pytest.raises(StoreError, match="The data folder is closed"):
            counting.result(20)
