"""Small facts of a session that are no events: what was told last, which files the model knows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from kinet.store.database import Database
from kinet.store.event_rows import clean


class NoteStore:
    """Facts by session."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, session_id: str, notes: Mapping[str, Any]) -> Future[None]:
        """Keeps `notes` (JSON values) in place of what was kept before."""
        body = json.dumps(dict(notes), ensure_ascii=True)
        return self._run("UPDATE session SET notes = ? WHERE id = ?", (body, session_id))

    def load(self, session_id: str) -> dict[str, Any]:
        """What `save` kept; {} if nothing."""
        query = "SELECT notes FROM session WHERE id = ?"
        found = self._database.read(lambda db: db.execute(query, (session_id,)).fetchone())
        try:
            value = json.loads(found[0]) if found else {}
        except ValueError:
            value = {}
        return value if isinstance(value, dict) else {}

    def forget(self, name: str) -> Future[None]:
        """Drops one note in every session."""
        return self._run(
            "UPDATE session SET notes = json_remove(notes, '$.' || ?)"
            " WHERE json_valid(notes) AND json_type(notes, '$.' || ?) IS NOT NULL",
            (name, name),
        )

    def remember_file(self, session_id: str, path: str, digest: str) -> Future[None]:
        """Notes which bytes of a file the model knows."""
        return self._run(
            "INSERT INTO file_state (session_id, path, digest)"
            " SELECT id, ?, ? FROM session WHERE id = ?"
            " ON CONFLICT DO UPDATE SET digest = excluded.digest",
            (clean(path), digest, session_id),
        )

    def files(self, session_id: str) -> dict[str, str]:
        """Which bytes of which files the model knows: path to digest."""
        query = "SELECT path, digest FROM file_state WHERE session_id = ?"
        return dict(self._database.read(lambda db: db.execute(query, (session_id,)).fetchall()))

    def _run(self, statement: str, values: tuple[Any, ...]) -> Future[None]:
        def work(connection: sqlite3.Connection) -> None:
            connection.execute(statement, values)

        return self._database.submit(work)
