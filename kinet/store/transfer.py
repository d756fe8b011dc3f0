"""A session as text lines that can be kept elsewhere, and such lines as a session again.

The first line is the head, with "kinet" and the format's number; then one line an event, with its
place in the tree; the last line counts them and holds a hash of all before it.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kinet.core.conversation import replay
from kinet.core.errors import StoreError
from kinet.core.events import (
    Event,
    ToolFinished,
    event_type,
    from_json,
    is_saved,
    to_json,
)
from kinet.store import search, usage
from kinet.store.event_rows import clean, decode
from kinet.store.sessions import SessionStore, is_said

FORMAT = 1
_HEAD = ("id", "title", "titled_by", "folder", "profile", "created", "updated", "leaf", "branched")
_TEXTS = ("id", "title", "titled_by", "folder", "profile")


@dataclass(frozen=True, slots=True)
class Row:
    """An event in its place: its number, that of the one before it, wall time in seconds."""

    seq: int
    parent: int
    at: float
    event: Event


@dataclass(frozen=True, slots=True)
class Copy:
    """A whole session with all its branches. `head` has the fields of the list."""

    head: Mapping[str, Any]
    rows: Sequence[Row]


def lines_of(store: SessionStore, session_id: str) -> Iterator[str]:
    """The lines of a session, each with its line end. StoreError if there is none of this id.

    Rows that cannot be read are left out, and counted in the head.
    """
    columns = ", ".join(_HEAD)
    query = f"SELECT {columns} FROM session WHERE id = ?"
    found = store.database.read(lambda db: db.execute(query, (session_id,)).fetchone())
    if found is None:
        raise StoreError(f"There is no session {session_id!r}.")
    asked = "SELECT seq, parent, at, body FROM event WHERE session_id = ? ORDER BY seq"
    rows = store.database.read(lambda db: db.execute(asked, (session_id,)).fetchall())
    events: list[tuple[int, int, float, Event]] = []
    for seq, parent, at, body in rows:
        try:
            events.append((seq, parent, at, decode(body, store.fetch)))
        except ValueError:
            continue
    head = dict(zip(_HEAD, found, strict=True))
    head |= {"kinet": FORMAT, "events": len(events), "unreadable": len(rows) - len(events)}
    digest = hashlib.sha256()
    for value in (
        head,
        *({"seq": s, "parent": p, "at": at, "event": to_json(e)} for s, p, at, e in events),
    ):
        line = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str) + "\n"
        digest.update(line.encode("utf-8", "replace"))
        yield line
    yield json.dumps({"end": len(events), "sha256": digest.hexdigest()}) + "\n"


def copy_from(lines: Iterable[bytes]) -> Copy:
    """The session that `lines_of` wrote. StoreError says what is missing or was changed."""
    digest, head = hashlib.sha256(), None
    rows: list[Row] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        raw = _object(line, number)
        if head is None:
            head = _head(raw)
        elif "end" in raw:
            if raw.get("sha256") != digest.hexdigest() or raw["end"] != len(rows):
                raise StoreError(
                    "This export was changed after it was written, or cut.",
                    hint="Nothing was imported. Export it again.",
                )
            return Copy(head, rows)
        else:
            rows.append(_row(raw, number))
        digest.update(line)
    raise StoreError("This export ends too early.", hint="Nothing was imported. Export it again.")


def insert(store: SessionStore, copy: Copy) -> bool:
    """Keeps the session under its id; False if there is one of this id, in the trash or not."""
    session_id = str(copy.head["id"])

    def work(connection: sqlite3.Connection) -> bool:
        there = "SELECT 1 FROM session WHERE id = ?"
        if connection.execute(there, (session_id,)).fetchone():
            return False
        _insert_head(connection, copy)
        newest = 0
        for row in copy.rows:
            newest = _insert_row(connection, store, session_id, row)
        state, messages = _standing(copy)
        connection.execute(
            "UPDATE session SET touched = ?, state = ?, message_count = ? WHERE id = ?",
            (newest, state, messages, session_id),
        )
        search.index(connection, session_id, store.fetch)
        return True

    return store.database.submit(work).result()


def _insert_head(connection: sqlite3.Connection, copy: Copy) -> None:
    marks = ", ".join("?" * len(_HEAD))
    values = [copy.head.get(name) for name in _HEAD]
    connection.execute(f"INSERT INTO session ({', '.join(_HEAD)}) VALUES ({marks})", values)


def _insert_row(
    connection: sqlite3.Connection, store: SessionStore, session_id: str, row: Row
) -> int:
    event = row.event
    call = event.call_id if isinstance(event, ToolFinished) else ""
    body = store.encoded(connection, session_id, event)
    values = (session_id, row.seq, row.parent, event_type(event), clean(call), row.at, body)
    added = connection.execute(
        "INSERT INTO event (session_id, seq, parent, type, call_id, at, body)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        values,
    )
    usage.record(connection, session_id, [event], "", row.at)
    return added.lastrowid or 0


def _standing(copy: Copy) -> tuple[str, int]:
    """The state of the list and the number of messages."""
    said = sum(is_said(row.event) for row in copy.rows)
    if copy.head["branched"]:
        return "idle", said
    conversation = replay([row.event for row in copy.rows])
    if conversation.interrupted:
        return "interrupted", said
    end = conversation.last_end
    reason = end.reason if end is not None else ""
    return (reason if reason in ("failed", "stopped") else "idle"), said


def _object(line: bytes, number: int) -> dict[str, Any]:
    try:
        raw = json.loads(line)
    except (ValueError, RecursionError) as exc:
        raise StoreError(f"Line {number} of this export cannot be read: {exc}.") from exc
    if not isinstance(raw, dict):
        raise StoreError(f"Line {number} of this export is not an object.")
    return raw


def _head(raw: Mapping[str, Any]) -> dict[str, Any]:
    version = raw.get("kinet")
    if version != FORMAT:
        raise StoreError(
            f"This export has format {version!r}; this Kinet knows {FORMAT}.",
            hint="Install the newer version.",
        )
    head = {name: clean(str(raw.get(name) or "")) for name in _TEXTS}
    if not head["id"]:
        raise StoreError("This export does not name its session.")
    return head | {
        "created": _seconds(raw.get("created")),
        "updated": _seconds(raw.get("updated")),
        "leaf": int(raw.get("leaf") or 0),
        "branched": int(bool(raw.get("branched"))),
    }


def _row(raw: Mapping[str, Any], number: int) -> Row:
    try:
        event = from_json(raw["event"])
        row = Row(int(raw["seq"]), int(raw["parent"]), _seconds(raw.get("at")), event)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as exc:
        raise StoreError(
            f"Line {number} of this export is not an event: {exc}.", hint="Nothing was imported."
        ) from exc
    if not is_saved(event):
        raise StoreError(f"Line {number} of this export is no saved event.")
    return row


def _seconds(raw: Any) -> float:
    return float(raw) if isinstance(raw, int | float) and not isinstance(raw, bool) else 0.0
