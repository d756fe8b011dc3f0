"""Where each turn of a session's path stands among those that begin at the same place."""

from __future__ import annotations

import sqlite3

from kinet.core.events import TurnStarted
from kinet.store.branches import EventTree
from kinet.store.database import Database
from kinet.store.event_rows import decode

# (turn_id, number from 1, how many there are)
TurnPlace = tuple[str, int, int]


def turn_places(database: Database, session_id: str) -> list[TurnPlace]:
    """All turns of the path, in order; one that cannot be read is left out.

    Only the beginnings of turns are read, of a session that never branched nothing else. Blocks:
    for a thread. May raise StoreError.
    """
    ids = database.read(lambda db: turn_ids(db, session_id))
    query = "SELECT branched FROM session WHERE id = ?"
    found = database.read(lambda db: db.execute(query, (session_id,)).fetchone())
    if not found or not found[0]:
        return [(id_, 1, 1) for id_ in ids.values()]
    tree = EventTree.read(database, session_id)
    places = []
    for turn, others in zip(tree.turns(), tree.alternatives(), strict=True):
        if turn in ids:
            places.append((ids[turn], others.index(turn) + 1, len(others)))
    return places


def turn_ids(connection: sqlite3.Connection, session_id: str) -> dict[int, str]:
    """The ids of all turns, whatever their branch, by the rows that begin them."""
    rows = connection.execute(
        "SELECT seq, body FROM event WHERE session_id = ? AND type = 'turn_started' ORDER BY seq",
        (session_id,),
    )
    ids = {}
    for seq, body in rows:
        try:
            event = decode(body)
        except ValueError:
            continue
        if isinstance(event, TurnStarted):
            ids[seq] = event.turn_id
    return ids
