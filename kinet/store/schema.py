"""The tables, as numbered migrations: each one is applied once, in order, and never changed."""

from __future__ import annotations

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE session (
        id            TEXT PRIMARY KEY,
        title         TEXT NOT NULL DEFAULT '',
        titled_by     TEXT NOT NULL DEFAULT '',
        folder        TEXT NOT NULL DEFAULT '',
        profile       TEXT NOT NULL DEFAULT '',
        state         TEXT NOT NULL DEFAULT 'idle',
        created       REAL NOT NULL,
        updated       REAL NOT NULL,
        touched       INTEGER NOT NULL DEFAULT 0,
        message_count INTEGER NOT NULL DEFAULT 0,
        leaf          INTEGER NOT NULL DEFAULT 0,
        branched      INTEGER NOT NULL DEFAULT 0,
        indexed_to    INTEGER NOT NULL DEFAULT 0,
        deleted       REAL,
        notes         TEXT NOT NULL DEFAULT '{}'
    ) STRICT;
    CREATE INDEX session_newest ON session (touched DESC) WHERE deleted IS NULL;

    CREATE TABLE event (
        id         INTEGER PRIMARY KEY AUTOINCREMENT,
        session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
        seq        INTEGER NOT NULL,
        parent     INTEGER NOT NULL,
        type       TEXT NOT NULL,
        call_id    TEXT NOT NULL DEFAULT '',
        at         REAL NOT NULL,
        body       TEXT NOT NULL,
        UNIQUE (session_id, seq)
    ) STRICT;
    CREATE INDEX event_result ON event (session_id, call_id) WHERE type = 'tool_finished';

    CREATE TABLE draft (
        id         INTEGER PRIMARY KEY,
        session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
        kind       TEXT NOT NULL,
        text       TEXT NOT NULL
    ) STRICT;
    CREATE INDEX draft_session ON draft (session_id, id);

    CREATE TABLE queued (
        id         TEXT PRIMARY KEY,
        place      INTEGER NOT NULL,
        session_id TEXT NOT NULL,
        kind       TEXT NOT NULL,
        body       TEXT NOT NULL
    ) STRICT;
    CREATE INDEX queued_session ON queued (session_id, place);

    CREATE TABLE file_state (
        session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
        path       TEXT NOT NULL,
        digest     TEXT NOT NULL,
        PRIMARY KEY (session_id, path)
    ) STRICT;

    CREATE TABLE blob (
        hash       TEXT NOT NULL,
        session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
        characters INTEGER NOT NULL,
        PRIMARY KEY (hash, session_id)
    ) STRICT;
    CREATE INDEX blob_session ON blob (session_id);

    CREATE TABLE usage (
        id          INTEGER PRIMARY KEY,
        session_id  TEXT NOT NULL,
        at          REAL NOT NULL,
        day         TEXT NOT NULL,
        model       TEXT NOT NULL,
        purpose     TEXT NOT NULL,
        tokens_in   INTEGER NOT NULL,
        tokens_out  INTEGER NOT NULL,
        cache_read  INTEGER NOT NULL,
        cache_write INTEGER NOT NULL,
        cost        REAL,
        estimate    INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX usage_day ON usage (day);

    CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

    CREATE VIRTUAL TABLE search USING fts5 (
        words, tokenize = "unicode61 remove_diacritics 2"
    );
    """,
    """
    CREATE TABLE fact_use (
        fact_id    TEXT NOT NULL,
        session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
        at         REAL NOT NULL,
        PRIMARY KEY (fact_id, session_id)
    ) STRICT;
    CREATE INDEX fact_use_session ON fact_use (session_id);
    CREATE INDEX usage_session ON usage (session_id);
    """,
)

VERSION = len(MIGRATIONS)
