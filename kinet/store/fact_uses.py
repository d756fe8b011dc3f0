"""Where kept facts were used: which sessions were told a fact."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from kinet.store.database import Database


@dataclass(frozen=True, slots=True)
class FactUse:
    """A session that was told a fact; `at` is wall time in seconds, of the first time."""

    session_id: str
    title: str
    at: float


class FactUses:
    """One row for each fact and session; they go when the session goes for good."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(self, session_id: str, fact_ids: Iterable[str]) -> Future[None]:
        """The session was told these facts. An unknown session is left out."""
        rows = [(id_, time.time(), session_id) for id_ in fact_ids]

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany(
                "INSERT INTO fact_use (fact_id, session_id, at)"
                " SELECT ?, id, ? FROM session WHERE id = ? ON CONFLICT DO NOTHING",
                rows,
            )

        return self._database.submit(work)

    def of(self, fact_id: str, limit: int = 50) -> list[FactUse]:
        """The sessions that were told this fact, the newest first; those in the trash left out."""
        query = (
            "SELECT session.id, session.title, fact_use.at FROM fact_use"
            " JOIN session ON session.id = fact_use.session_id"
            " WHERE fact_id = ? AND deleted IS NULL ORDER BY fact_use.at DESC LIMIT ?"
        )
        rows = self._database.read(lambda db: db.execute(query, (fact_id, limit)).fetchall())
        return [FactUse(*row) for row in rows]

    def sessions(self, session_ids: Sequence[str]) -> list[FactUse]:
        """Those of these sessions that are there and not in the trash, in this order."""
        ids = list(dict.fromkeys(session_ids))
        query = (
            "SELECT id, title, created FROM session WHERE deleted IS NULL"
            f" AND id IN ({', '.join('?' * len(ids))})"
        )
        rows = self._database.read(lambda db: db.execute(query, ids).fetchall())
        known = {row[0]: FactUse(*row) for row in rows}
        return [known[id_] for id_ in ids if id_ in known]
