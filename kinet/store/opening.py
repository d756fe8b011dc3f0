"""Opens the database file: permissions, version, migrations, and what to do with a damaged one."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

from kinet.core.data_folder import unusable
from kinet.core.errors import StoreError
from kinet.paths import write_refusal
from kinet.store.schema import MIGRATIONS, VERSION

SIDE_FILES = ("-wal", "-shm", "-journal")
# A whole check reads the file once; above this size it would hold up the start.
CHECKED_AT_START = 64 * 1024 * 1024
# A file of this size is checked in a few milliseconds: always.
CHECKED_ALWAYS = 8 * 1024 * 1024


class DamagedError(StoreError):
    """The file is there, and is not a sound database."""


def connect(path: Path | None, *, read_only: bool = False) -> sqlite3.Connection:
    """A connection that begins transactions only when told to. Raises sqlite3.Error."""
    if path is None:
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    else:
        address = f"file:{quote(str(path))}?mode={'ro' if read_only else 'rwc'}"
        if read_only and _stands_still(path):
            address += "&immutable=1"
        connection = sqlite3.connect(
            address, uri=True, isolation_level=None, check_same_thread=False, timeout=5.0
        )
    connection.execute("PRAGMA busy_timeout = 5000")
    connection.execute("PRAGMA mmap_size = 0")
    if read_only:
        connection.execute("PRAGMA query_only = ON")
    return connection


def _stands_still(path: Path) -> bool:
    """True for a file nobody can write to, as in a copy on a disk that can only be read.

    SQLite would make its side files first; there it is told that none are needed.
    """
    if any(Path(f"{path}{side}").exists() for side in SIDE_FILES):
        return False
    return write_refusal(path.parent) is not None


def open_writer(
    path: Path | None, before_upgrade: Callable[[Path, int], object] = lambda path, version: None
) -> tuple[sqlite3.Connection, list[str]]:
    """The writing connection, brought to this version, and what there is to tell about it.

    `before_upgrade(path, version)` is called for a file of an older version, still unchanged.
    Raises StoreError: a newer version (the file is left as it is), or DamagedError.
    """
    warnings: list[str] = []
    if path is not None and path.exists():
        with in_words(path):
            version = _settled(path)
        if 0 < version < VERSION:
            before_upgrade(path, version)
    elif path is not None:
        # The side files take over the permissions of this one.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    with in_words(path):
        connection = connect(path)
    try:
        with in_words(path):
            mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            if path is not None and mode != "wal":
                warnings.append(
                    f"The data folder {path.parent} cannot keep a write-ahead log (is it on a"
                    " network drive?). Kinet works, but saving is slower there."
                )
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            migrate(connection)
    except BaseException:
        connection.close()
        raise
    if path is not None and os.name == "posix":
        path.chmod(0o600)
    return connection, warnings


def migrate(connection: sqlite3.Connection) -> None:
    """Applies the migrations that are missing, all in one transaction."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for script in MIGRATIONS[version:]:
            for statement in statements(script):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def statements(script: str) -> Iterator[str]:
    """The single statements of a script; `executescript` would commit between them."""
    piece = ""
    for line in script.splitlines(keepends=True):
        piece += line
        if sqlite3.complete_statement(piece):
            yield piece
            piece = ""


def suspicion(path: Path) -> Path:
    """The file whose presence says that damage was met since the last check."""
    return path.with_name(f"{path.name}.suspected")


def set_aside(path: Path) -> Path:
    """Renames a damaged file and its side files, bytes untouched. Returns the new name."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    number = 0
    while True:
        ending = f"-{number}" if number else ""
        aside = path.with_name(f"{path.stem}.damaged-{stamp}{ending}{path.suffix}")
        if not aside.exists():
            break
        number += 1
    # The log first: should this stop half-way, a fresh file never meets the old one's log.
    for side in SIDE_FILES:
        with contextlib.suppress(FileNotFoundError):
            os.rename(f"{path}{side}", f"{aside}{side}")
    os.rename(path, aside)
    return aside


def is_sound(connection: sqlite3.Connection) -> bool:
    """True if a whole check finds nothing. Takes time in proportion to the file.

    What it finds it has to find twice: a disk that failed to read once leaves no damaged file.
    """
    try:
        return any(
            connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok" for _ in range(2)
        )
    except sqlite3.DatabaseError as exc:
        if _code(exc) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return False
        raise


@contextlib.contextmanager
def in_words(path: Path | None) -> Iterator[None]:
    """Makes StoreErrors of what SQLite and the system raise inside."""
    try:
        yield
    except sqlite3.Error as exc:
        raise explain(exc, path) from exc
    except OSError as exc:
        raise explain_system(exc, path) from exc


def explain_system(exc: OSError, path: Path | None) -> StoreError:
    """What an error of the system means for a person."""
    where = path.parent if path is not None else Path(exc.filename or "in memory")
    return unusable(where, exc)


def explain(exc: sqlite3.Error, path: Path | None) -> StoreError:
    """What an error of SQLite means for a person."""
    where = str(path) if path is not None else "memory"
    code = _code(exc)
    if path is not None and code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
        # SQLite says that it cannot, the folder says why.
        refusal = write_refusal(path.parent)
        if refusal is not None and path.parent.is_dir():
            return unusable(path.parent, refusal)
    make: Callable[..., StoreError]
    make, message, hint = _WORDS.get(
        code,
        (StoreError, "The database {path} cannot do this: {detail}.", "Restart Kinet."),
    )
    known = {"path": where, "folder": path.parent if path is not None else where, "detail": exc}
    return make(message.format(**known), hint=hint.format(**known))


def look(path: Path) -> int:
    """The version of the file, read before anything is written. StoreError if it is newer."""
    with contextlib.closing(connect(path, read_only=True)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if version > VERSION:
        raise StoreError(
            f"The conversations in {path.parent} were saved by a newer Kinet (format {version},"
            f" this one knows {VERSION}). Nothing was changed.",
            hint="Install the newer version, or choose another data folder with KINET_HOME.",
        )
    return int(version)


def _settled(path: Path) -> int:
    """The version of the file, after a change that was cut short was taken back."""
    try:
        return look(path)
    except sqlite3.OperationalError as exc:
        if getattr(exc, "sqlite_errorcode", 0) != sqlite3.SQLITE_READONLY_ROLLBACK:
            raise
    # A rollback journal was left, by an end while the file was turned to its write-ahead log.
    # Only who may write can play it back; reading is enough to have that done.
    with contextlib.closing(connect(path)) as connection:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    return look(path)


def _code(exc: sqlite3.Error) -> int:
    # The extended code holds the plain one in its low byte.
    return getattr(exc, "sqlite_errorcode", 0) & 0xFF


_WORDS: dict[int, tuple[Callable[..., StoreError], str, str]] = {
    sqlite3.SQLITE_FULL: (
        StoreError,
        "The disk is full: the newest part of the conversation is not saved.",
        "Free some space where {folder} lies; Kinet tries again by itself.",
    ),
    sqlite3.SQLITE_READONLY: (
        StoreError,
        "The database {path} cannot be written.",
        "Check its permissions, or choose another data folder with KINET_HOME.",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        StoreError,
        "The database {path} cannot be opened.",
        "Check that the folder exists and is yours, or choose another with KINET_HOME.",
    ),
    sqlite3.SQLITE_IOERR: (
        StoreError,
        "The disk failed while reading or writing {path} ({detail}).",
        "Check the disk; Kinet tries again by itself.",
    ),
    sqlite3.SQLITE_BUSY: (
        StoreError,
        "The database {path} is held by another program.",
        "Close the program that reads it; Kinet tries again by itself.",
    ),
    sqlite3.SQLITE_CORRUPT: (
        DamagedError,
        "The database {path} is damaged ({detail}).",
        "Restart Kinet: it sets the file aside and keeps what can be read.",
    ),
    sqlite3.SQLITE_NOTADB: (
        DamagedError,
        "The file {path} is not a database of Kinet ({detail}).",
        "Restart Kinet: it sets the file aside.",
    ),
}
