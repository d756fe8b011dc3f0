"""A session's events as a tree: which turns begin at one place, and where each branch ends."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kinet.core.events import Event
from kinet.store.database import Database
from kinet.store.event_rows import decode

_TURN = "turn_started"
# What a turn is told apart by; anything between two turns belongs to the later one.
_BORDERS = frozenset({_TURN, "turn_finished"})


def answers_on_all_branches(database: Database, session_id: str) -> list[Event] | None:
    """What a session asked and was answered on every branch, oldest first; None if it has but one.

    Rows that cannot be read are left out. Blocks for a moment; may raise StoreError.
    """
    query = (
        "SELECT body FROM event WHERE session_id = ? AND type IN ('approval_requested',"
        " 'approval_resolved') ORDER BY seq"
    )
    branched = "SELECT branched FROM session WHERE id = ?"
    found = database.read(lambda db: db.execute(branched, (session_id,)).fetchone())
    if not found or not found[0]:
        return None
    events = []
    for (body,) in database.read(lambda db: db.execute(query, (session_id,)).fetchall()):
        try:
            events.append(decode(body))
        except ValueError:
            continue
    return events


@dataclass(frozen=True, slots=True)
class Entry:
    """One event row: its number, that of the entry before it on its path (0: none), its type."""

    seq: int
    parent: int
    type: str


@dataclass(frozen=True, slots=True)
class EventTree:
    """All entries of a session by number; `leaf` is where it stands."""

    entries: Mapping[int, Entry]
    leaf: int

    @classmethod
    def read(cls, database: Database, session_id: str) -> EventTree:
        """The tree as it is on the disk. Blocks for a moment; may raise StoreError."""
        rows = database.read(
            lambda db: db.execute(
                "SELECT seq, parent, type FROM event WHERE session_id = ? ORDER BY seq",
                (session_id,),
            ).fetchall()
        )
        found = database.read(
            lambda db: db.execute("SELECT leaf FROM session WHERE id = ?", (session_id,)).fetchone()
        )
        entries = {seq: Entry(seq, parent, type_) for seq, parent, type_ in rows}
        return cls(entries, found[0] if found else 0)

    def path(self) -> list[Entry]:
        """The entries from the root to the leaf."""
        out = []
        seq = self.leaf
        while (entry := self.entries.get(seq)) is not None:
            out.append(entry)
            seq = entry.parent
        return out[::-1]

    def turns(self) -> list[Entry]:
        """The beginnings of the turns on the path, in order."""
        return [entry for entry in self.path() if entry.type == _TURN]

    def siblings(self, turn: Entry) -> list[Entry]:
        """All turns that begin where `turn` begins, itself among them, the oldest first."""
        return self._turns_by_fork().get(self._fork(turn), [turn])

    def alternatives(self) -> list[Sequence[Entry]]:
        """For each turn of the path its siblings; one look at the tree for all."""
        forks = self._turns_by_fork()
        return [forks.get(self._fork(turn), [turn]) for turn in self.turns()]

    def newest_leaf(self, turn: Entry) -> int:
        """The end of the branch through `turn` that was worked on last."""
        seq = newest = turn.seq
        within = {seq}
        for entry in self.entries.values():
            # A child always has a greater number than its parent, and rows come in their order.
            if entry.parent in within:
                within.add(entry.seq)
                newest = entry.seq
        return newest

    def _turns_by_fork(self) -> dict[int, list[Entry]]:
        forks: defaultdict[int, list[Entry]] = defaultdict(list)
        for entry in self.entries.values():
            if entry.type == _TURN:
                forks[self._fork(entry)].append(entry)
        return forks

    def _fork(self, turn: Entry) -> int:
        """Where `turn` leaves what went before; a changed model in between is its own."""
        seq = turn.parent
        while (entry := self.entries.get(seq)) is not None and entry.type not in _BORDERS:
            seq = entry.parent
        return seq
