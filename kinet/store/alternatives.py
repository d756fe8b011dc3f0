"""Reads the turns that begin at one place of a session, each by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinet.core.events import Event, ModelChosen
from kinet.store.branches import Entry, EventTree
from kinet.store.event_rows import decode
from kinet.store.sessions import SessionStore

_BEGIN, _END, _CHOSEN = "turn_started", "turn_finished", "model_chosen"


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """One turn: its events, how many turns come behind it, and the choice that held for it."""

    events: tuple[Event, ...]
    following: int
    chosen: ModelChosen | None


def stored_turns(
    store: SessionStore, session_id: str, tree: EventTree, begins: Sequence[Entry]
) -> list[StoredTurn]:
    """The turns that these entries begin, in their order. Rows that cannot be read are left out.

    Reads the rows of these turns alone, however long the session is. Blocks; may raise StoreError.
    """
    return [
        StoredTurn(
            tuple(_events(store, session_id, _rows_of(tree, begin))),
            _following(tree, begin),
            _chosen(store, session_id, tree, begin),
        )
        for begin in begins
    ]


def _rows_of(tree: EventTree, begin: Entry) -> list[int]:
    """The numbers of the rows from the beginning of a turn to its end."""
    rows = [begin.seq]
    newest = max(tree.entries, default=0)
    for seq in range(begin.seq + 1, newest + 1):
        entry = tree.entries.get(seq)
        # A turn is never forked within: the next row of it is the one behind its last.
        if entry is None or entry.parent != rows[-1]:
            continue
        if entry.type == _BEGIN:
            break
        rows.append(seq)
        if entry.type == _END:
            break
    return rows


def _following(tree: EventTree, begin: Entry) -> int:
    count, seq = 0, tree.newest_leaf(begin)
    while seq > begin.seq:
        entry = tree.entries[seq]
        count += entry.type == _BEGIN
        seq = entry.parent
    return count


def _chosen(
    store: SessionStore, session_id: str, tree: EventTree, begin: Entry
) -> ModelChosen | None:
    """The newest choice before the turn on its own path."""
    seq = begin.parent
    while (entry := tree.entries.get(seq)) is not None:
        if entry.type == _CHOSEN:
            found = next(iter(_events(store, session_id, [seq])), None)
            return found if isinstance(found, ModelChosen) else None
        seq = entry.parent
    return None


def _events(store: SessionStore, session_id: str, rows: Sequence[int]) -> list[Event]:
    query = "SELECT seq, body FROM event WHERE session_id = ? AND seq BETWEEN ? AND ? ORDER BY seq"
    values = (session_id, rows[0], rows[-1])
    found = store.database.read(lambda db: db.execute(query, values).fetchall())
    wanted = set(rows)
    events = []
    for seq, body in found:
        if seq in wanted:
            try:
                events.append(decode(body, store.fetch))
            except ValueError:
                continue
    return events
