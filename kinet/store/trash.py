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
# Sessions removed in one transaction.
_PORTION = 50


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
        """Removes sessions for good: events, search rows, outputs, what waited to be sent.

        Many go portion by portion, so that other work comes between; the future tells when all are
        gone. A portion that fails keeps its sessions in the trash, and all after it.
        """
        done: Future[None] = Future()
        done.set_running_or_notify_cancel()

        def go_on(start: int) -> None:
            part = session_ids[start : start + _PORTION]
            future = self._database.submit(lambda connection: _remove(connection, part))
            future.add_done_callback(lambda ended: went(ended, start + _PORTION))

        def went(ended: Future[None], next_start: int) -> None:
            if (error := ended.exception()) is not None:
                done.set_exception(error)
            elif next_start < len(session_ids) and not self._database.closed:
                go_on(next_start)
            else:
                # The files go in a transaction of their own, when the rows are gone for certain.
                if not self._database.closed:
                    self.collect()
                done.set_result(None)

        go_on(0)
        return done

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


def _remove(connection: sqlite3.Connection, session_ids: Sequence[str]) -> None:
    for id_ in session_ids:
        search.forget(connection, id_)
        connection.execute("DELETE FROM queued WHERE session_id = ?", (id_,))
        connection.execute("DELETE FROM session WHERE id = ?", (id_,))
