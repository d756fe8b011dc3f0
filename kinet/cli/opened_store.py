"""The store of the data folder, open for the length of one command."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from kinet.core.errors import StoreError
from kinet.paths import data_dir
from kinet.store.database import FILE_NAME, Database
from kinet.store.sessions import SessionRow, SessionStore


@contextmanager
def opened_database(*, read_only: bool = False) -> Iterator[Database]:
    """Holds the data folder while it writes; what went wrong beside is told on stderr at the end.

    Raises StoreInUseError if another program writes there, StoreError if it cannot be opened.
    """
    database = Database(data_dir() / FILE_NAME, read_only=read_only)
    try:
        yield database
    finally:
        database.close()
        # Also before a refusal: a store that was set aside is why a session cannot be found.
        for problem in database.problems:
            print(problem, file=sys.stderr)


@contextmanager
def opened_store(*, read_only: bool) -> Iterator[SessionStore]:
    """The sessions of the data folder; raises as `opened_database` does."""
    with opened_database(read_only=read_only) as database:
        yield SessionStore(database)


def session_row(store: SessionStore, session_id: str) -> SessionRow:
    """What is known of a session. Raises StoreError if there is none of this id."""
    row = store.row(session_id)
    if row is None:
        raise StoreError(
            f"There is no session {session_id!r}.", hint="kinet sessions list shows them."
        )
    return row
