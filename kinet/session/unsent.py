"""What was typed and not sent lies in files beside the database: it goes for good with its session.

A file is an object with the id of a session for each key. Whoever holds one in memory writes it by
`UnsentFile`, which leaves out what was removed meanwhile.
"""

from __future__ import annotations

import json
import logging
import threading
import weakref
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinet.core.atomic_write import write_bytes
from kinet.core.errors import StoreError
from kinet.core.keeping import Keeper, done_now

if TYPE_CHECKING:
    from concurrent.futures import Future

DRAFTS, EDITS = "drafts.json", "edits.json"

_log = logging.getLogger(__name__)
# Sessions are removed in a thread while the window writes what is typed.
_writing = threading.Lock()
# Those that somebody holds in memory.
_files: weakref.WeakSet[UnsentFile] = weakref.WeakSet()


class UnsentFile:
    """One of the files, for whoever holds what is in it: written by `keeper`, the newest state
    alone where several wait."""

    def __init__(self, path: Path, keeper: Keeper | None = None) -> None:
        self.path = path
        self._keeper = keeper
        # The sessions that the file held when it was last looked at.
        self._held: frozenset[str] = frozenset()
        # Those that were removed for good and are still in whoever's memory.
        self._gone: frozenset[str] = frozenset()
        self._newest: Mapping[str, Any] | None = None
        self._guard = threading.Lock()
        _files.add(self)

    def read(self) -> dict[str, Any]:
        """What the file holds; nothing, and a line in the log, where it cannot be read."""
        values = read(self.path)
        self._held = frozenset(values)
        return values

    def write(self, values: Mapping[str, Any]) -> Future[None]:
        """Has the file hold `values`; the future says when, or raises OSError. What could not be
        written is tried again with the next `write`, or by `again`."""
        with self._guard:
            self._newest = _without(values, self._gone)
        return self.again()

    def again(self) -> Future[None]:
        """Done when what was last handed over is in the file."""
        return self._keeper.keep(self._write) if self._keeper else done_now(self._write)

    def take_gone(self) -> frozenset[str]:
        """The sessions that were removed for good since this was asked, to be forgotten."""
        with self._guard:
            gone, self._gone = self._gone, frozenset()
        return gone

    def forget(self, session_ids: Collection[str]) -> None:
        """What waits to be written is written without these."""
        with self._guard:
            self._gone |= frozenset(session_ids)
            if self._newest is not None:
                self._newest = _without(self._newest, self._gone)

    def _write(self) -> None:
        with _writing:
            with self._guard:
                values, self._newest = self._newest, None
            if values is None:
                # What was asked for before has taken it along.
                return
            try:
                # A file that is gone or damaged tells nothing of what was removed.
                now = _held(self.path) if self._held else None
                gone = self._held - now.keys() if now is not None else frozenset()
                values = _without(values, gone)
                self.path.parent.mkdir(parents=True, exist_ok=True)
                _put(self.path, values)
            except Exception as exc:
                _log.warning("%s could not be kept: %s", self.path.name, exc)
                with self._guard:
                    self._newest = values if self._newest is None else self._newest
                raise
            self._held = frozenset(values)
            with self._guard:
                self._gone |= gone


def read(path: Path) -> dict[str, Any]:
    """What the file holds; nothing, and a line in the log, where it cannot be read."""
    return _held(path) or {}


def forget(folder: Path, session_ids: Collection[str]) -> None:
    """Takes the texts of these sessions out of both files. StoreError if that cannot be."""
    for path in (folder / DRAFTS, folder / EDITS):
        with _writing:
            for file in tuple(_files):
                if file.path == path:
                    file.forget(session_ids)
            before = read(path)
            kept = {key: value for key, value in before.items() if key not in session_ids}
            if len(kept) == len(before):
                continue
            try:
                _put(path, kept)
            except OSError as exc:
                raise StoreError(
                    f"What was typed and not sent cannot be removed from {path.name}: "
                    f"{exc.strerror or exc}.",
                    hint="The deleted sessions stay in the trash; look at the data folder's rights "
                    "and free space.",
                ) from exc


def _without(values: Mapping[str, Any], gone: Collection[str]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key not in gone}


def _held(path: Path) -> dict[str, Any] | None:
    try:
        raw = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as exc:
        _log.warning("%s could not be read: %s", path.name, exc)
        return None
    return raw if isinstance(raw, dict) else None


def _put(path: Path, values: Mapping[str, Any]) -> None:
    # A name of a file may hold bytes that are no text: one such must not keep all else out.
    text = json.dumps(values, ensure_ascii=False)
    write_bytes(path, text.encode("utf-8", "surrogatepass"))
