"""Deleted sessions: kept for a while, brought back, or removed with everything that is theirs."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from concurrent.futures import Future

from kinet.store import search
from kinet.store.sessions import COLUMNS, SessionRow, SessionStore
from kinet.tools.processes import whole_output

KEPT_DAYS = 30
_DAY = 86_400


class Trash:
    """The trash of a session store."""

    def __init__(self, sessions: SessionStore) -> None:
        self._sessions = sessions
        self._database = sessions.database

    def delete(self, session_id: str) -> Future[None]:
        """Moves a session to the trash."""
        return self._set(session_id, time.time())

    def restore(self, session_id: str) -> Future[None]:
        """Brings a session back from the trash."""
        return self._set(session_id, None)

    def list(self) -> list[SessionRow]:
        """What is in the trash, the newest first."""
        query = f"SELECT {COLUMNS} FROM session WHERE deleted IS NOT NULL ORDER BY deleted DESC"
        rows = self._database.read(lambda db: db.execute(query).fetchall())
        return [SessionRow(*row) for row in rows]

    def due(self, days: float = KEPT_DAYS) -> Sequence[str]:
        """Ids of what is in the trash for longer than `days`; 0 gives all that is in it."""
        query = "SELECT id FROM session WHERE deleted IS NOT NULL AND deleted <= ?"
        limit = time.time() - days * _DAY
        rows = self._database.read(lambda db: db.execute(query, (limit,)).fetchall())
        return [row[0] for row in rows]

    def remove(self, session_ids: Sequence[str]) -> Future[None]:
        """Removes sessions for good: events, search rows, outputs, what waited to be sent."""

        def work(connection: sqlite3.Connection) -> None:
            for id_ in session_ids:
                search.forget(connection, id_)
                connection.execute("DELETE FROM queued WHERE session_id = ?", (id_,))
                connection.execute("DELETE FROM session WHERE id = ?", (id_,))

        removed = self._database.submit(work)
        # The files go in a transaction of their own, when the rows are gone for certain.
        self.collect()
        return removed

    def collect(self) -> Future[int]:
        """Removes files that no session refers to (left by a crash). Gives their number."""
        blobs = self._sessions.blobs

        def work(connection: sqlite3.Connection) -> int:
            if blobs is None:
                return 0
            known = {row[0] for row in connection.execute("SELECT hash FROM blob")}
            orphans = blobs.all() - known
            blobs.delete(orphans)
            sessions = [row[0] for row in connection.execute("SELECT id FROM session")]
            whole_output.forget_all_but(blobs.folder.parent, sessions)
            return len(orphans)

        return self._database.submit(work)

    def _set(self, session_id: str, deleted: float | None) -> Future[None]:
        def work(connection: sqlite3.Connection) -> None:
            connection.execute("UPDATE session SET deleted = ? WHERE id = ?", (deleted, session_id))

        return self._database.submit(work)
