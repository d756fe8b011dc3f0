"""Copies of the database: made whole, checked, then put in place; the newest seven are kept."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import threading
import time
from pathlib import Path

from kinet.core.atomic_write import sync_folder
from kinet.core.errors import StoreError
from kinet.paths import ensure_private_dir
from kinet.store import opening

FOLDER_NAME = "backups"
KEPT = 7
_DAY = 86_400
_NAME = re.compile(r"kinet-\d{8}-\d{6}(?:-v\d+)?\.db")
# Pages copied at a time; between them others get the file.
_PAGES = 512


class DailyCopy:
    """Makes the copy of the day in a thread of its own; `end` breaks it off."""

    def __init__(self, path: Path, problems: list[str]) -> None:
        self._path = path
        self._problems = problems
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="kinet-backup", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Returns when the thread has ended; a copy that was not finished is removed."""
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            back_up_daily(self._path, self._ended)
        except StoreError as exc:
            self._problems.append(f"Today's backup could not be made. {exc.sentence()}")


def back_up(
    path: Path, *, mark: str = "", kept: int = KEPT, ended: threading.Event | None = None
) -> Path | None:
    """Copies the database at `path` into the folder `backups` beside it. Returns the copy.

    May take a while: for a thread. A copy that fails its check is removed and StoreError raised;
    older copies stay then. None if `ended` was set before it was whole.
    """
    with opening.in_words(path):
        folder = ensure_private_dir(path.parent / FOLDER_NAME)
        target = folder / f"kinet-{time.strftime('%Y%m%d-%H%M%S')}{mark}.db"
        unfinished = target.with_suffix(".new")
        os.close(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        try:
            if not _copy(path, unfinished, ended or threading.Event()):
                return None
            os.replace(unfinished, target)
        finally:
            for ending in ("", *opening.SIDE_FILES):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(f"{unfinished}{ending}")
        sync_folder(folder)
        for old in backups(path)[kept:]:
            old.unlink(missing_ok=True)
    return target


def back_up_daily(path: Path, ended: threading.Event | None = None) -> Path | None:
    """Makes a copy if the newest is older than a day. Returns it, or None if none was due."""
    if not path.exists():
        return None
    newest = next(iter(backups(path)), None)
    if newest is not None and abs(time.time() - newest.stat().st_mtime) < _DAY:
        return None
    return back_up(path, ended=ended)


def backups(path: Path) -> list[Path]:
    """The copies of the database at `path`, the newest first."""
    folder = path.parent / FOLDER_NAME
    if not folder.is_dir():
        return []
    found = [file for file in folder.iterdir() if _NAME.fullmatch(file.name)]
    return sorted(found, key=lambda file: file.stem, reverse=True)


def _copy(path: Path, target: Path, ended: threading.Event) -> bool:
    def go_on(status: int, remaining: int, total: int) -> None:
        if ended.is_set():
            raise _EndedError

    with contextlib.closing(opening.connect(path, read_only=True)) as source:
        copy = sqlite3.connect(target, isolation_level=None)
        with contextlib.closing(copy):
            try:
                source.backup(copy, pages=_PAGES, progress=go_on, sleep=0.01)
            except _EndedError:
                return False
            # A copy stands alone: no log beside it.
            copy.execute("PRAGMA journal_mode = DELETE")
            if not opening.is_sound(copy):
                raise StoreError(
                    f"A backup of {path} failed its check and was not kept.",
                    hint="Restart Kinet: it checks the database itself.",
                )
    descriptor = os.open(target, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return True


class _EndedError(Exception):
    """The copy is not wanted any more."""
