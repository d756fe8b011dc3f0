"""What is kept beside the conversations, how much room each kind takes, and one limit for all."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kinet.settings.store import SettingsStore
from kinet.store import backups, blobs
from kinet.tools.processes import whole_output
from kinet.workspace import journal as journals
from kinet.workspace.journal import Journal

_GB = 1_000_000_000
_DATABASE = "kinet.db"


@dataclass(frozen=True, slots=True)
class Share:
    """One kind of kept things. `size` is bytes; one that is not `counted` never goes by itself."""

    name: str
    title: str
    help: str
    size: int
    can_free: bool = True
    counted: bool = True


class KeptThings:
    """Measures and frees the shares of a data folder. Methods block: call them in a thread."""

    def __init__(self, home: Path, settings: SettingsStore) -> None:
        self._home, self._settings = home, settings
        self.journal = Journal(home)
        self._guard = threading.Lock()
        self._at_work: threading.Thread | None = None

    @property
    def limit(self) -> int:
        """Bytes that all counted shares may take together."""
        return int(self._settings.values.data.limit_gb * _GB)

    def shares(self) -> list[Share]:
        """What there is now."""
        home = self._home
        results = _size(home / blobs.FOLDER_NAME) - _size(home / whole_output.FOLDER)
        database = sum(_file_size(home / f"{_DATABASE}{end}") for end in ("", "-wal", "-shm"))
        return [
            Share("outputs", "Outputs of commands", "What long commands printed, whole.",
                  _size(home / whole_output.FOLDER)),
            Share("journal", "Journal of changes", "What Undo needs. Freed, earlier changes of "
                  "files cannot be taken back.", _size(home / journals.FOLDER_NAME)),
            Share("backups", "Backups", "Copies of all conversations; the newest stays.",
                  _size(home / backups.FOLDER_NAME)),
            Share("results", "Long results and pictures", "Parts of conversations; they go with "
                  "them.", results, can_free=False),
            Share("conversations", "Conversations", "They go when you delete them.", database,
                  can_free=False, counted=False),
        ]  # fmt: skip

    def free(self, name: str) -> None:
        """Frees a share as far as it can be; nothing for one that cannot."""
        match name:
            case "outputs":
                for file in self._output_files():
                    _remove(file)
            case "backups":
                for file in backups.backups(self._home / _DATABASE)[1:]:
                    _remove(file)
            case "journal":
                self.journal.make_room(0)
            case _:
                return

    def make_room(self) -> None:
        """Keeps the limit: the oldest outputs and backups go first, then the journal's oldest."""
        shares = {share.name: share.size for share in self.shares() if share.counted}
        over = sum(shares.values()) - self.limit
        if over <= 0:
            return
        files = [*self._output_files(), *backups.backups(self._home / _DATABASE)[1:]]
        for file in sorted(files, key=_age):
            if over <= 0:
                return
            size = _file_size(file)
            if _remove(file):
                over -= size
        if over > 0:
            self.journal.make_room(max(0, self.journal.store.total - over))

    def make_room_soon(self) -> None:
        """The same in a thread of its own; at most one is at work."""
        with self._guard:
            if self._at_work is not None and self._at_work.is_alive():
                return
            self._at_work = threading.Thread(target=self.make_room, name="make room", daemon=True)
            self._at_work.start()

    def _output_files(self) -> list[Path]:
        return list((self._home / whole_output.FOLDER).glob("*/*.*"))


def _size(folder: Path) -> int:
    return sum(_file_size(file) for file in _files(folder))


def _files(folder: Path) -> Iterator[Path]:
    for place, _, names in os.walk(folder):
        yield from (Path(place) / name for name in names)


def _file_size(file: Path) -> int:
    try:
        return file.lstat().st_size
    except OSError:
        return 0


def _age(file: Path) -> float:
    try:
        return file.lstat().st_mtime
    except OSError:
        return 0.0


def _remove(file: Path) -> bool:
    with contextlib.suppress(OSError):
        file.unlink()
        return True
    return False
