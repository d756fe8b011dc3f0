"""What is not finished yet: the answer that streams in, and the text a person is typing."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Literal

from kinet.store.database import Database
from kinet.store.event_rows import clean

DraftKind = Literal["text", "reasoning"]


@dataclass(frozen=True, slots=True)
class DraftPiece:
    """A piece of an unfinished answer, or of its reasoning."""

    kind: DraftKind
    text: str


class DraftStore:
    """Unfinished texts by session."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self, session_id: str, pieces: Sequence[DraftPiece], *, restart: bool = False
    ) -> Future[None]:
        """Adds pieces of the unfinished answer; with `restart` what was there is dropped first."""
        rows = [(session_id, piece.kind, clean(piece.text)) for piece in pieces]

        def work(connection: sqlite3.Connection) -> None:
            if restart:
                clear_draft(connection, session_id)
            connection.executemany(
                "INSERT INTO draft (session_id, kind, text) VALUES (?, ?, ?)", rows
            )

        return self._database.submit(work)

    def load(self, session_id: str) -> tuple[str, str]:
        """Text and reasoning of the unfinished answer; ("", "") if there is none."""
        query = "SELECT kind, text FROM draft WHERE session_id = ? ORDER BY id"
        rows = self._database.read(lambda db: db.execute(query, (session_id,)).fetchall())
        text = "".join(piece for kind, piece in rows if kind == "text")
        return text, "".join(piece for kind, piece in rows if kind == "reasoning")

    def save_composer(self, session_id: str, value: Mapping[str, Any]) -> Future[None]:
        """Keeps what stands in a session's composer (text, caret, …); an empty value removes it."""
        body = json.dumps(dict(value), ensure_ascii=True) if value else ""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM composer WHERE session_id = ?", (session_id,))
            if body:
                connection.execute(
                    "INSERT INTO composer (session_id, body) VALUES (?, ?)", (session_id, body)
                )

        return self._database.submit(work)

    def composer(self, session_id: str) -> dict[str, Any]:
        """What `save_composer` kept; {} if nothing."""
        query = "SELECT body FROM composer WHERE session_id = ?"
        found = self._database.read(lambda db: db.execute(query, (session_id,)).fetchone())
        try:
            value = json.loads(found[0]) if found else {}
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}


def clear_draft(connection: sqlite3.Connection, session_id: str) -> None:
    """Drops the unfinished answer; for use inside a transaction."""
    connection.execute("DELETE FROM draft WHERE session_id = ?", (session_id,))
