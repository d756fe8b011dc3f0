"""Looks a whole store over: the file, its rows, the files beside it, and every conversation."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kinet.core.conversation import Conversation
from kinet.core.errors import StoreError
from kinet.core.pairing import repair, unanswered
from kinet.store import search
from kinet.store.sessions import SessionStore

# Of one kind, so many are named; the rest is counted.
_NAMED = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as it should be. `mends` says who puts it right, "" for nobody."""

    kind: str
    detail: str
    session_id: str = ""
    mends: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """What was looked at, and what was found."""

    sessions: int
    events: int
    outputs: int
    findings: tuple[Finding, ...]


_AT_NEXT = "Kinet mends this when the session is opened next."
_TIDY = "It takes room and does no harm; kinet sessions check --mend removes it."


def check(store: SessionStore) -> Checked:
    """Reads everything and changes nothing. Takes time in proportion to the store. StoreError if
    the file cannot be read at all."""
    findings: list[Finding] = []
    findings += store.database.read(lambda db: list(_file(db)))
    findings += store.database.read(lambda db: list(_rows(db)))
    if any(finding.kind == "damage" for finding in findings):
        return Checked(0, 0, 0, tuple(findings))
    ids = [row[0] for row in _all(store, "SELECT id FROM session ORDER BY id")]
    events = 0
    for id_ in ids:
        count, found = _session(store, id_)
        events += count
        findings += found
    outputs, found = _outputs(store)
    return Checked(len(ids), events, outputs, (*findings, *found))


def mend(store: SessionStore) -> None:
    """Removes what belongs to nobody, and indexes what is missing. Deletes nothing of a session."""
    from kinet.store.trash import Trash

    def work(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM search WHERE rowid NOT IN (SELECT id FROM event)")
        for table in _CHILDREN:
            connection.execute(
                f"DELETE FROM {table} WHERE session_id NOT IN (SELECT id FROM session)"
            )
        for (id_,) in connection.execute(_NOT_INDEXED).fetchall():
            search.index(connection, id_, store.fetch)

    store.database.submit(work).result()
    Trash(store).collect().result()


_CHILDREN = ("event", "draft", "file_state", "blob", "fact_use")
_NOT_INDEXED = (
    "SELECT id FROM session WHERE state NOT IN ('running', 'waiting') AND indexed_to <"
    " (SELECT coalesce(max(seq), 0) FROM event WHERE session_id = session.id AND type IN"
    " ('message_completed', 'tool_started', 'tool_finished'))"
)


def _file(db: sqlite3.Connection) -> Iterator[Finding]:
    try:
        rows = db.execute(f"PRAGMA integrity_check({_NAMED})").fetchall()
    except sqlite3.DatabaseError as exc:
        rows = [(str(exc),)]
    for (text,) in rows:
        if text != "ok":
            hint = "Start Kinet: it sets a damaged file aside and takes over what can be read."
            yield Finding("damage", str(text), mends=hint)


def _rows(db: sqlite3.Connection) -> Iterator[Finding]:
    """Rows that belong to nothing. A store of an earlier format may lack a table."""
    there = {row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    counted = [
        ("SELECT count(*) FROM search WHERE rowid NOT IN (SELECT id FROM event)", "search rows"),
        *(
            (
                f"SELECT count(*) FROM {table} WHERE session_id NOT IN (SELECT id FROM session)",
                f"rows of {table}",
            )
            for table in _CHILDREN
            if table in there
        ),
    ]
    try:
        for query, words in counted:
            count = db.execute(query).fetchone()[0]
            if count:
                yield Finding("orphan rows", f"{count} {words} belong to no session.", mends=_TIDY)
        for (id_,) in db.execute(_NOT_INDEXED).fetchall():
            yield Finding(
                "not indexed", "It is not found by its words yet.", id_,
                "Kinet does this at its next start.",
            )  # fmt: skip
    except sqlite3.DatabaseError as exc:
        yield Finding("damage", str(exc))


def _session(store: SessionStore, session_id: str) -> tuple[int, list[Finding]]:
    """The number of events of a session, and what is wrong with them."""
    findings: list[Finding] = []
    rows = _all(
        store, "SELECT seq, parent FROM event WHERE session_id = ? ORDER BY seq", session_id
    )
    numbers = {seq for seq, _ in rows}
    lost = [seq for seq, parent in rows if parent and parent not in numbers]
    if lost:
        detail = f"Event {lost[0]} and {len(lost) - 1} more come after one that is not there."
        findings.append(Finding("gap", detail, session_id))
    (leaf, state) = _all(store, "SELECT leaf, state FROM session WHERE id = ?", session_id)[0]
    if leaf and leaf not in numbers:
        findings.append(Finding("gap", f"It ends at event {leaf}, which is not there.", session_id))
    try:
        events, unreadable = store.load_counting(session_id)
    except StoreError as exc:
        return len(rows), [*findings, Finding("damage", exc.message, session_id)]
    if unreadable:
        findings.append(
            Finding(
                "unreadable", f"{unreadable} events cannot be read and are left out.", session_id
            )
        )
    conversation = Conversation()
    for event in events:
        conversation.apply(event)
    if state not in ("running", "waiting") and not conversation.interrupted:
        messages = conversation.messages
        if unanswered(messages) or len(repair(messages)) != len(messages):
            detail = "A call has no result, or a result no call."
            findings.append(Finding("pairing", detail, session_id, _AT_NEXT))
    return len(rows), findings


def _outputs(store: SessionStore) -> tuple[int, list[Finding]]:
    """The files of large outputs: there, whole, and somebody's."""
    if store.blobs is None:
        return 0, []
    wanted: dict[str, str] = dict(
        _all(store, "SELECT hash, min(session_id) FROM blob GROUP BY hash")
    )
    there = store.blobs.all()
    findings = []
    for digest in sorted(there - wanted.keys())[:_NAMED]:
        findings.append(Finding("orphan file", f"The output {digest} is nobody's.", mends=_TIDY))
    for digest in sorted(wanted):
        text = store.blobs.get(digest)
        if text is None:
            detail = f"The file of an output is gone or cannot be read: {digest}."
            findings.append(Finding("output gone", detail, wanted[digest]))
        elif hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() != digest:
            detail = f"The file of an output was changed: {digest}."
            findings.append(Finding("output changed", detail, wanted[digest]))
    return len(there), findings


def _all(store: SessionStore, query: str, *values: str) -> list[tuple[Any, ...]]:
    return store.database.read(lambda db: db.execute(query, values).fetchall())
