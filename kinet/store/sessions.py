"""Sessions and their events: appended, loaded, listed, named. Nothing here is ever overwritten."""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from kinet.core.errors import StoreError
from kinet.core.events import (
    ApprovalRequested,
    ApprovalResolved,
    Event,
    MessageCompleted,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
    event_type,
    is_saved,
)
from kinet.core.own_command import NAME
from kinet.core.wanted import IsWanted, always, empty, while_wanted
from kinet.store import search, usage
from kinet.store.blobs import FOLDER_NAME, BlobFolder
from kinet.store.database import Database, awaitable
from kinet.store.drafts import DraftPiece, clear_draft
from kinet.store.event_rows import Fetch, clean, decode, encode
from kinet.store.path_rows import bodies, newest_bodies

COLUMNS = "id, title, folder, profile, updated, state, message_count, created, deleted, titled_by"


@dataclass(frozen=True, slots=True)
class SessionRow:
    """What a list shows of a session. Times are wall time in seconds, for display only.

    `state` is idle, running, waiting, failed, stopped or interrupted; `titled_by` is "person" when
    a person gave the name; `deleted` is when it went to the trash.
    """

    id: str
    title: str
    folder: str
    profile: str
    updated: float
    state: str
    message_count: int
    created: float = 0.0
    deleted: float | None = None
    titled_by: str = ""


@dataclass(frozen=True, slots=True)
class NewSession:
    """What a session begins with."""

    id: str
    folder: str = ""
    profile: str = ""
    title: str = ""


def new_id() -> str:
    """A fresh session id."""
    return secrets.token_hex(8)


class SessionStore:
    """All sessions of a data folder. Reads block the caller; changes are done by the store thread.

    Changes return a future; `store.database.awaitable` makes one for the event loop of it.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        folder = database.folder
        self.blobs = BlobFolder(folder / FOLDER_NAME) if folder is not None else None
        if not database.read_only:
            # Only one program writes, so whatever still runs in the file died with another.
            # Awaited, so that the first list is right; a refusing disk is told with the next act.
            database.submit(_mark_interrupted).exception()
            self._index_next("")

    # --- changes

    def create(self, session: NewSession) -> Future[None]:
        """Makes the session; one that is there already stays as it is."""
        now = time.time()
        row = (session.id, clean(session.title), session.folder, session.profile, now, now)

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO session (id, title, folder, profile, created, updated)"
                " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                row,
            )

        return self.database.submit(work)

    async def append(self, session_id: str, events: Sequence[Event], *, model: str = "") -> None:
        """Saves these events; they are durable when it returns. Raises StoreError."""
        await awaitable(self.put(session_id, events, model=model))

    def put(
        self,
        session_id: str,
        events: Sequence[Event],
        *,
        model: str = "",
        sent: Sequence[str] = (),
        draft: Sequence[DraftPiece] = (),
        restart: bool = False,
    ) -> Future[None]:
        """Saves these events in order, in one transaction, and counts their money.

        Events that are not saved ones are left out. `sent` are the ids of the queued messages
        that became events here. A message, the end of a turn, or `restart` clears the unfinished
        answer, then `draft` is added. `model` is the one asked, for calls that do not name it.
        """
        kept = [event for event in events if is_saved(event)]
        now = time.time()

        def work(connection: sqlite3.Connection) -> None:
            _append(
                connection,
                session_id,
                [(event, self.encoded(connection, session_id, event)) for event in kept],
                now,
            )
            usage.record(connection, session_id, kept, model, now)
            for id_ in sent:
                connection.execute("DELETE FROM queued WHERE id = ?", (id_,))
            if restart or any(isinstance(event, MessageCompleted | TurnFinished) for event in kept):
                clear_draft(connection, session_id)
            connection.executemany(
                "INSERT INTO draft (session_id, kind, text) VALUES (?, ?, ?)",
                [(session_id, piece.kind, clean(piece.text)) for piece in draft],
            )

        future = self.database.submit(work)
        if any(isinstance(event, TurnFinished) for event in kept):
            self.index(session_id)
        return future

    def index(self, session_id: str) -> Future[None]:
        """Brings the search up to date with this session."""
        return self.database.submit(
            lambda connection: search.index(connection, session_id, self.fetch)
        )

    def rename(self, session_id: str, title: str, *, by: str = "person") -> Future[None]:
        """Names the session. A name by a person is never replaced by one that is not."""
        return self._update(
            "UPDATE session SET title = ?, titled_by = ? WHERE id = ?"
            " AND (? = 'person' OR titled_by <> 'person')",
            (clean(title), by, session_id, by),
        )

    def move_leaf(self, session_id: str, seq: int) -> Future[None]:
        """Goes back to the event `seq` (0: before the first); what comes next begins a branch."""
        return self._update(
            "UPDATE session SET leaf = ?, branched = 1 WHERE id = ?", (seq, session_id)
        )

    def set_profile(self, session_id: str, profile: str) -> Future[None]:
        """Notes the profile the session uses now."""
        return self._update("UPDATE session SET profile = ? WHERE id = ?", (profile, session_id))

    def set_folder(self, session_id: str, folder: str) -> Future[None]:
        """Notes the folder the session works in now."""
        return self._update("UPDATE session SET folder = ? WHERE id = ?", (folder, session_id))

    # --- reads

    def load(self, session_id: str, is_wanted: IsWanted = always) -> list[Event]:
        """All saved events on the path to the session's leaf, in order. Rows that cannot be read
        are left out. An unknown session gives []."""
        return self.load_counting(session_id, is_wanted)[0]

    def load_counting(
        self, session_id: str, is_wanted: IsWanted = always
    ) -> tuple[list[Event], int]:
        """What `load` gives, and how many rows were left out because they cannot be read.

        StoreError soon after it is not wanted any more, or the data folder is closed.
        """

        def go_on() -> bool:
            return is_wanted() and not self.database.closed

        return self.database.read(
            lambda connection: _decoded(bodies(connection, session_id), self.fetch, go_on)
        )

    def load_newest(self, session_id: str, count: int) -> list[Event]:
        """The end of what `load` gives: what of the newest `count` rows can be read."""
        rows = self.database.read(lambda db: newest_bodies(db, session_id, count))
        return _decoded(rows, self.fetch)[0]

    def row(self, session_id: str) -> SessionRow | None:
        """The session's line in the list, also from the trash; None if there is none."""
        rows = _rows(self.database, "WHERE id = ?", (session_id,))
        return rows[0] if rows else None

    def list(self, limit: int = -1, offset: int = 0) -> list[SessionRow]:
        """The sessions that hold something and are not in the trash, the newest first."""
        return _rows(
            self.database,
            "WHERE deleted IS NULL AND touched > 0 ORDER BY touched DESC LIMIT ? OFFSET ?",
            (limit, offset),
        )

    def count(self) -> int:
        """How many sessions `list` would give."""
        query = "SELECT count(*) FROM session WHERE deleted IS NULL AND touched > 0"
        return int(self.database.read(lambda connection: connection.execute(query).fetchone()[0]))

    def output(self, session_id: str, call_id: str, *, private: bool = False) -> str | None:
        """The whole output of a call, or None if no such call ended.

        What the person keeps from the model is given only where `private` asks for it.
        """
        query = (
            "SELECT body FROM event WHERE session_id = ? AND call_id = ?"
            " AND type = 'tool_finished' ORDER BY seq DESC LIMIT 1"
        )
        found = self.database.read(lambda db: db.execute(query, (session_id, call_id)).fetchone())
        if found is None:
            return None
        event = decode(found[0], self.fetch)
        if not isinstance(event, ToolFinished) or (event.details.get("private") and not private):
            return None
        return event.content

    def fetch(self, digest: str) -> str | None:
        """A large text by its hash, None if its file is gone."""
        return self.blobs.get(digest) if self.blobs is not None else None

    def _index_next(self, after: str) -> None:
        """Brings the search up to date session by session, so that other work comes between."""

        def work(connection: sqlite3.Connection) -> str:
            found = connection.execute(
                "SELECT id FROM session WHERE id > ? AND touched > 0"
                " AND (indexed_to = 0 OR state = 'interrupted') ORDER BY id LIMIT 1",
                (after,),
            ).fetchone()
            if found is None:
                return ""
            search.index(connection, found[0], self.fetch)
            return str(found[0])

        def go_on(done: Future[str]) -> None:
            if done.exception() is None and done.result() and not self.database.closed:
                self._index_next(done.result())

        self.database.submit(work).add_done_callback(go_on)

    def _update(self, statement: str, values: tuple[Any, ...]) -> Future[None]:
        def work(connection: sqlite3.Connection) -> None:
            connection.execute(statement, values)

        return self.database.submit(work)

    def encoded(self, connection: sqlite3.Connection, session_id: str, event: Event) -> str:
        """The row of an event; what is large goes to a file. For use inside a transaction."""
        blobs = self.blobs
        if blobs is None:
            return encode(event)

        def keep(text: str) -> str:
            digest = blobs.put(text)
            connection.execute(
                "INSERT INTO blob (hash, session_id, characters) VALUES (?, ?, ?)"
                " ON CONFLICT DO NOTHING",
                (digest, session_id, len(text)),
            )
            return digest

        return encode(event, keep)


def _decoded(
    rows: Iterable[str], fetch: Fetch, is_wanted: IsWanted = always
) -> tuple[list[Event], int]:
    """The events of what can be read, and how many rows cannot be."""
    events: list[Event] = []
    lost = 0
    try:
        for row in while_wanted(rows, is_wanted):
            try:
                events.append(decode(row, fetch))
            except ValueError:
                lost += 1
    except BaseException:
        empty(events)
        raise
    return events, lost


def _rows(database: Database, condition: str, values: Iterable[Any]) -> list[SessionRow]:
    query = f"SELECT {COLUMNS} FROM session {condition}"
    rows = database.read(lambda db: db.execute(query, tuple(values)).fetchall())
    return [SessionRow(*row) for row in rows]


def _append(
    connection: sqlite3.Connection,
    session_id: str,
    rows: Sequence[tuple[Event, str]],
    now: float,
) -> None:
    if not rows:
        return
    found = connection.execute("SELECT leaf FROM session WHERE id = ?", (session_id,)).fetchone()
    if found is None:
        raise StoreError(
            f"The session {session_id} is not there any more.", hint="Begin a new session."
        )
    parent = found[0]
    newest = "SELECT coalesce(max(seq), 0) FROM event WHERE session_id = ?"
    seq = connection.execute(newest, (session_id,)).fetchone()[0]
    last_row = 0
    for event, body in rows:
        seq += 1
        call = event.call_id if isinstance(event, ToolFinished) else ""
        last_row = (
            connection.execute(
                "INSERT INTO event (session_id, seq, parent, type, call_id, at, body)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (session_id, seq, parent, event_type(event), clean(call), now, body),
            ).lastrowid
            or 0
        )
        parent = seq
    said = sum(is_said(event) for event, _ in rows)
    connection.execute(
        "UPDATE session SET leaf = ?, touched = ?, updated = ?, state = coalesce(?, state),"
        " message_count = message_count + ? WHERE id = ?",
        (parent, last_row, now, _state_after(rows), said, session_id),
    )


def _state_after(rows: Sequence[tuple[Event, str]]) -> str | None:
    state: str | None = None
    for event, _ in rows:
        match event:
            case TurnStarted() | ApprovalResolved():
                state = "running"
            case ApprovalRequested():
                state = "waiting"
            case TurnFinished(reason=reason, error=error):
                kind = error.kind if error is not None else ""
                state = kind if kind == "interrupted" else _END_STATES.get(reason, "idle")
            case _:
                pass
    return state


def is_said(event: Event) -> bool:
    """True for what makes a session worth a row in the list: a message, or a command of the
    person's own, from its start on."""
    return isinstance(event, MessageCompleted) or (
        isinstance(event, ToolStarted) and event.name == NAME
    )


def _mark_interrupted(connection: sqlite3.Connection) -> None:
    connection.execute(
        "UPDATE session SET state = 'interrupted' WHERE state IN ('running', 'waiting')"
    )


_END_STATES = {"failed": "failed", "stopped": "stopped"}
