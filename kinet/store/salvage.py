"""Takes over what can still be read from a damaged database."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kinet.store import opening

# Sessions first: the others refer to them.
_TABLES = (
    "session", "event", "draft", "queued", "file_state", "blob", "usage", "fact", "fact_use",
)  # fmt: skip
_STRIDE = 256


def salvage(damaged: Path, into: sqlite3.Connection) -> int:
    """Copies every readable row of `damaged` (left untouched). Returns the number of sessions.

    Rows that cannot be read are left out; a file that is no database at all gives 0.
    """
    try:
        source = opening.connect(damaged, read_only=True)
    except sqlite3.Error:
        return 0
    with contextlib.closing(source):
        into.execute("PRAGMA foreign_keys = OFF")
        into.execute("BEGIN IMMEDIATE")
        for table in _TABLES:
            _copy(source, into, table)
        # Events whose session row was lost get a row again, so that they can be found.
        into.execute(
            "INSERT INTO session (id, title, created, updated, touched, leaf)"
            " SELECT session_id, 'Recovered', min(at), max(at), max(id), max(seq) FROM event"
            " WHERE session_id NOT IN (SELECT id FROM session) GROUP BY session_id"
        )
        into.execute("UPDATE session SET indexed_to = 0")
        into.execute("COMMIT")
        into.execute("PRAGMA foreign_keys = ON")
    return int(into.execute("SELECT count(*) FROM session").fetchone()[0])


def _copy(source: sqlite3.Connection, into: sqlite3.Connection, table: str) -> None:
    names = [row[1] for row in into.execute(f"PRAGMA table_info({table})")]
    try:
        there = {row[1] for row in source.execute(f"PRAGMA table_info({table})")}
        low, high = source.execute(f"SELECT min(rowid), max(rowid) FROM {table}").fetchone()
    except sqlite3.Error:
        return
    columns = [name for name in names if name in there]
    if low is None or not columns:
        return
    listed = ", ".join(columns)
    marks = ", ".join("?" * len(columns))
    for row in _rows(source, f"SELECT {listed} FROM {table}", low, high):
        with contextlib.suppress(sqlite3.Error):
            into.execute(f"INSERT OR IGNORE INTO {table} ({listed}) VALUES ({marks})", row)


def _rows(
    source: sqlite3.Connection, select: str, low: int, high: int
) -> Iterator[tuple[Any, ...]]:
    """The readable rows; around a damaged place it looks at one row at a time."""
    while low <= high:
        end = min(high, low + _STRIDE - 1)
        try:
            yield from source.execute(
                f"{select} WHERE rowid BETWEEN ? AND ?", (low, end)
            ).fetchall()
        except sqlite3.Error:
            for number in range(low, end + 1):
                with contextlib.suppress(sqlite3.Error):
                    yield from source.execute(f"{select} WHERE rowid = ?", (number,)).fetchall()
        low = end + 1
