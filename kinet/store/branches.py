"""A session's events as a tree: which turns begin at one place, and where each branch ends."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass

from kinet.core.events import Event, TurnStarted, event_type
from kinet.store.database import Database
from kinet.store.event_rows import decode

Encoded = Callable[[sqlite3.Connection, str, Event], str]

# What rows are told apart by; anything between two turns belongs to the later one.
_OTHER, _BEGIN, _END, _CHOSEN = range(4)
_KIND = (
    f"CASE type WHEN 'turn_started' THEN {_BEGIN} WHEN 'turn_finished' THEN {_END}"
    f" WHEN 'model_chosen' THEN {_CHOSEN} ELSE {_OTHER} END"
)


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


def put_beside(
    database: Database, encoded: Encoded, session_id: str, turn_id: str, event: Event
) -> Future[None]:
    """Adds an event at the end of the branch of a turn; nothing where that is on the path.

    `encoded` is that of the session's store.
    """

    def work(connection: sqlite3.Connection) -> None:
        tree = EventTree.seen_by(connection, session_id)
        turn = _begin_of(connection, session_id, turn_id)
        if not turn or turn in tree.turns():
            return
        body = encoded(connection, session_id, event)
        parent, now = tree.newest_leaf(turn), time.time()
        connection.execute(
            "INSERT INTO event (session_id, seq, parent, type, call_id, at, body)"
            " VALUES (?, ?, ?, ?, '', ?, ?)",
            (session_id, tree.rows[-1] + 1, parent, event_type(event), now, body),
        )

    return database.submit(work)


def _begin_of(connection: sqlite3.Connection, session_id: str, turn_id: str) -> int:
    """The row in which a turn begins, 0 for none."""
    query = "SELECT seq, body FROM event WHERE session_id = ? AND type = 'turn_started'"
    for seq, body in connection.execute(query, (session_id,)):
        with contextlib.suppress(ValueError):
            begun = decode(body)
            if isinstance(begun, TurnStarted) and begun.turn_id == turn_id:
                return int(seq)
    return 0


@dataclass(frozen=True, slots=True)
class EventTree:
    """All rows of a session by their numbers, in order; `leaf` is where it stands.

    The rows lie in arrays: an object for each would be a few hundred thousand in a long session,
    and the collector of garbage would stop the window to look through them.
    """

    rows: array[int]
    parents: array[int]
    kinds: bytes
    leaf: int

    @classmethod
    def read(cls, database: Database, session_id: str) -> EventTree:
        """The tree as it is on the disk. Blocks for a moment; may raise StoreError."""
        return database.read(lambda connection: cls.seen_by(connection, session_id))

    @classmethod
    def seen_by(cls, connection: sqlite3.Connection, session_id: str) -> EventTree:
        """The tree as this connection sees it."""
        rows, parents, kinds = array("q"), array("q"), bytearray()
        query = f"SELECT seq, parent, {_KIND} FROM event WHERE session_id = ? ORDER BY seq"
        for seq, parent, kind in connection.execute(query, (session_id,)):
            rows.append(seq)
            parents.append(parent)
            kinds.append(kind)
        query = "SELECT leaf FROM session WHERE id = ?"
        found = connection.execute(query, (session_id,)).fetchone()
        return cls(rows, parents, bytes(kinds), int(found[0]) if found else 0)

    def parent(self, row: int) -> int:
        """The row before this one on its path, 0 for none."""
        place = self._place(row)
        return self.parents[place] if place >= 0 else 0

    def turns(self) -> list[int]:
        """The beginnings of the turns on the path, in order."""
        begins = [self.rows[place] for place in self._up(self.leaf) if self.kinds[place] == _BEGIN]
        return begins[::-1]

    def siblings(self, turn: int) -> list[int]:
        """All turns that begin where `turn` begins, itself among them, the oldest first."""
        return self._turns_by_fork().get(self._fork(turn), [turn])

    def alternatives(self) -> list[list[int]]:
        """For each turn of the path its siblings; one look at the tree for all."""
        forks = self._turns_by_fork()
        return [forks.get(self._fork(turn), [turn]) for turn in self.turns()]

    def newest_leaf(self, turn: int) -> int:
        """The end of the branch through `turn` that was worked on last."""
        newest = turn
        within = {turn}
        for place in range(self._place(turn) + 1, len(self.rows)):
            # A child always has a greater number than its parent, and rows come in their order.
            if self.parents[place] in within:
                newest = self.rows[place]
                within.add(newest)
        return newest

    def rows_of(self, turn: int) -> list[int]:
        """The rows of a turn, from its beginning to its end."""
        rows = [turn]
        for place in range(self._place(turn) + 1, len(self.rows)):
            # A turn is never forked within: the next row of it is the one behind its last.
            if self.parents[place] != rows[-1]:
                continue
            if self.kinds[place] == _BEGIN:
                break
            rows.append(self.rows[place])
            if self.kinds[place] == _END:
                break
        return rows

    def following(self, turn: int) -> int:
        """How many turns come behind this one on its branch that was worked on last."""
        count = 0
        for place in self._up(self.newest_leaf(turn)):
            if self.rows[place] == turn:
                break
            count += self.kinds[place] == _BEGIN
        return count

    def choice_before(self, turn: int) -> int:
        """The row of the newest choice of a model on the path to a turn, 0 for none."""
        up = self._up(self.parent(turn))
        return next((self.rows[place] for place in up if self.kinds[place] == _CHOSEN), 0)

    def _turns_by_fork(self) -> dict[int, list[int]]:
        forks: defaultdict[int, list[int]] = defaultdict(list)
        place = self.kinds.find(_BEGIN)
        while place >= 0:
            turn = self.rows[place]
            forks[self._fork(turn)].append(turn)
            place = self.kinds.find(_BEGIN, place + 1)
        return forks

    def _fork(self, turn: int) -> int:
        """Where `turn` leaves what went before; a changed model in between is its own."""
        for place in self._up(self.parent(turn)):
            if self.kinds[place] in (_BEGIN, _END):
                return self.rows[place]
        return 0

    def _up(self, row: int) -> Iterator[int]:
        """The places of a row and of those before it, as far as they are there."""
        while (place := self._place(row)) >= 0:
            yield place
            row = self.parents[place]

    def _place(self, row: int) -> int:
        """Where a row lies in the arrays, -1 if it is not there."""
        # Numbers have no gaps but in a file that was damaged.
        place = row - 1
        if not (0 <= place < len(self.rows) and self.rows[place] == row):
            place = bisect_left(self.rows, row)
        return place if place < len(self.rows) and self.rows[place] == row else -1
