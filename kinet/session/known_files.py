"""Which bytes of which files the model has seen in this session, kept over a restart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kinet.store.notes import NoteStore


class KnownFiles:
    """Implements tools.base.FileStates for one session. May be used from any thread."""

    def __init__(self, notes: NoteStore, session_id: str, *, is_new: bool) -> None:
        self._notes = notes
        self._session_id = session_id
        self._digests = {} if is_new else notes.files(session_id)

    def seen(self, path: Path) -> str | None:
        """Hash of the bytes when last read or written in this session; None if never."""
        return self._digests.get(str(path))

    def remember(self, path: Path, digest: str) -> None:
        """Notes that the model knows these bytes."""
        if self._digests.get(str(path)) != digest:
            self._digests[str(path)] = digest
            self._notes.remember_file(self._session_id, str(path), digest)
