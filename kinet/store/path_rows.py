"""The rows of the path that leads to where a session stands: all of them, or the newest."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

_UPWARDS = (
    "WITH RECURSIVE path (seq, parent, body) AS ("
    " SELECT seq, parent, body FROM event WHERE session_id = ?1 AND seq = ?2"
    " UNION ALL SELECT event.seq, event.parent, event.body FROM path"
    " JOIN event ON event.session_id = ?1 AND event.seq = path.parent"
    ") SELECT body FROM path"
)


def bodies(connection: sqlite3.Connection, session_id: str) -> Iterator[str]:
    """All rows of the path, in order, as they are read; none for an unknown session."""
    branched, leaf = _place(connection, session_id)
    if branched:
        rows = connection.execute(f"{_UPWARDS} ORDER BY seq", (session_id, leaf))
    else:
        query = "SELECT body FROM event WHERE session_id = ? ORDER BY seq"
        rows = connection.execute(query, (session_id,))
    return (row[0] for row in rows)


def newest_bodies(connection: sqlite3.Connection, session_id: str, count: int) -> list[str]:
    """The newest `count` rows of the path, in order; no others are read."""
    branched, leaf = _place(connection, session_id)
    if branched:
        # Going up gives them newest first, and stops at the limit.
        rows = connection.execute(f"{_UPWARDS} LIMIT ?3", (session_id, leaf, count))
    else:
        query = "SELECT body FROM event WHERE session_id = ? ORDER BY seq DESC LIMIT ?"
        rows = connection.execute(query, (session_id, count))
    return [row[0] for row in rows][::-1]


def _place(connection: sqlite3.Connection, session_id: str) -> tuple[bool, int]:
    """(whether the session ever branched, the number of the row where it stands)."""
    query = "SELECT branched, leaf FROM session WHERE id = ?"
    found = connection.execute(query, (session_id,)).fetchone()
    return (bool(found[0]), int(found[1])) if found is not None else (False, 0)
