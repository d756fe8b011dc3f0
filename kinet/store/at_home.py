"""Opens the database of a data folder, or one that leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

from kinet.core.data_folder import unusable
from kinet.paths import ensure_private_dir
from kinet.store.database import FILE_NAME, Database


def open_database(home: Path, *, save: bool) -> Database:
    """The database in `home`; without `save` one in memory. StoreError says what is wrong."""
    if not save:
        return Database(None)
    try:
        ensure_private_dir(home)
    except OSError as exc:
        raise unusable(home, exc) from exc
    return Database(home / FILE_NAME)
