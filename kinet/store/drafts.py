"""The answer that streams in and is not a message yet."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Literal

from kinet.store.database import Database
from kinet.store.event_rows import clean

DraftKind = Literal["text", "reasoning"]


@dataclass(frozen=True, slots=True)
class DraftPiece:
    """A piece of an unfinished answer, or of its reasoning."""

    kind: DraftKind
    text: str


class DraftStore:
    """Unfinished answers by session."""

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


def clear_draft(connection: sqlite3.Connection, session_id: str) -> None:
    """Drops the unfinished answer; for use inside a transaction."""
    connection.execute("DELETE FROM draft WHERE session_id = ?", (session_id,))
