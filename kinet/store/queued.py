"""Messages a person sent while a turn ran: kept until they are sent, over a restart too."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Literal

from kinet.store.database import Database
from kinet.store.event_rows import clean

# "next" is sent after the turn; "steer" reaches the model at its next step; "command" is run.
QueuedKind = Literal["next", "steer", "command"]


@dataclass(frozen=True, slots=True)
class QueuedRow:
    """A message that waits in one session. `attached` are plain values, what is attached to it."""

    id: str
    text: str
    kind: QueuedKind = "next"
    attached: Sequence[Any] = ()


class QueueStore:
    """The waiting messages of all sessions, each in its order."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, session_id: str, row: QueuedRow) -> Future[None]:
        """Puts a message at the end of the session's queue, or changes the one with its id."""
        values: dict[str, Any] = {"text": row.text}
        if row.attached:
            values["attached"] = list(row.attached)
        body = clean(json.dumps(values, ensure_ascii=False))

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO queued (id, place, session_id, kind, body) SELECT ?, coalesce("
                "max(place), 0) + 1, ?, ?, ? FROM queued WHERE true"
                " ON CONFLICT DO UPDATE SET body = excluded.body, kind = excluded.kind",
                (row.id, session_id, row.kind, body),
            )

        return self._database.submit(work)

    def remove(self, id_: str) -> Future[None]:
        """Takes a message out; one that is gone already is fine."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM queued WHERE id = ?", (id_,))

        return self._database.submit(work)

    def list(self, session_id: str) -> list[QueuedRow]:
        """What waits in this session, the oldest first."""
        query = "SELECT id, kind, body FROM queued WHERE session_id = ? ORDER BY place"
        rows = self._database.read(lambda db: db.execute(query, (session_id,)).fetchall())
        return [_row(id_, kind, body) for id_, kind, body in rows]

    def names(self, file: str) -> bool:
        """True if a waiting message of any session names this file."""
        query = "SELECT EXISTS (SELECT 1 FROM queued WHERE instr(body, ?))"
        return bool(self._database.read(lambda db: db.execute(query, (file,)).fetchone())[0])


def _row(id_: str, kind: QueuedKind, body: str) -> QueuedRow:
    values = json.loads(body)
    attached = values.get("attached")
    return QueuedRow(
        id_, str(values.get("text", "")), kind, attached if isinstance(attached, list) else ()
    )


def queued_id() -> str:
    """A fresh id for a waiting message."""
    return secrets.token_hex(6)
