"""Reads the turns that begin at one place of a session, each by itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from kinet.core.events import Event, ModelChosen
from kinet.store.branches import EventTree
from kinet.store.event_rows import decode
from kinet.store.sessions import SessionStore
from kinet.store.turn_places import turn_ids


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """One turn: its events, how many turns come behind it, and the choice that held for it."""

    events: tuple[Event, ...]
    following: int
    chosen: ModelChosen | None
    is_current: bool


def stored_turns(store: SessionStore, session_id: str, turn_id: str) -> list[StoredTurn]:
    """All turns that begin where this one does, the oldest first; none if it is not on the path.

    Of a session, however long, only the beginnings of its turns and the rows of these are read.
    Rows that cannot be read are left out. Blocks; may raise StoreError.
    """
    database = store.database
    ids = database.read(lambda db: turn_ids(db, session_id))
    tree = EventTree.read(database, session_id)
    current = next((turn for turn in tree.turns() if ids.get(turn) == turn_id), 0)
    if not turn_id or not current:
        return []
    return [
        StoredTurn(
            tuple(_events(store, session_id, tree.rows_of(turn))),
            tree.following(turn),
            _chosen(store, session_id, tree.choice_before(turn)),
            turn == current,
        )
        for turn in tree.siblings(current)
    ]


def first_choice(store: SessionStore, session_id: str) -> ModelChosen | None:
    """The oldest choice of a model in a session; what it changed held before."""
    query = (
        "SELECT seq FROM event WHERE session_id = ? AND type = 'model_chosen' ORDER BY seq LIMIT 1"
    )
    found = store.database.read(lambda db: db.execute(query, (session_id,)).fetchone())
    return _chosen(store, session_id, found[0]) if found else None


def _chosen(store: SessionStore, session_id: str, row: int) -> ModelChosen | None:
    found = next(iter(_events(store, session_id, [row])), None) if row else None
    return found if isinstance(found, ModelChosen) else None


def _events(store: SessionStore, session_id: str, rows: Sequence[int]) -> list[Event]:
    wanted = set(rows)

    def read(connection: sqlite3.Connection) -> list[str]:
        query = "SELECT seq, body FROM event WHERE session_id = ? AND seq BETWEEN ? AND ?"
        found = connection.execute(f"{query} ORDER BY seq", (session_id, rows[0], rows[-1]))
        return [body for seq, body in found if seq in wanted]

    events = []
    for body in store.database.read(read):
        try:
            events.append(decode(body, store.fetch))
        except ValueError:
            continue
    return events
