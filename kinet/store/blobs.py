"""Keeps large texts in files of their own, named by hash, for this person alone."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Iterable
from pathlib import Path

from kinet.core import atomic_write
from kinet.paths import ensure_private_dir

FOLDER_NAME = "outputs"
# Characters; a longer text goes to a file.
LARGE = 64 * 1024

_HASH = re.compile(r"[0-9a-f]{64}")


class BlobFolder:
    """Texts by their SHA-256. One text is kept once, however many sessions hold it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, text: str) -> str:
        """Keeps `text`, durable when it returns. Returns its hash. Raises OSError."""
        data = text.encode("utf-8", "replace")
        digest = hashlib.sha256(data).hexdigest()
        path = self._path(digest)
        if not _is_whole(path, len(data)):
            ensure_private_dir(path.parent)
            atomic_write.write_bytes(path, data)
        return digest

    def get(self, digest: str) -> str | None:
        """The text, or None if its file is gone or unreadable."""
        if not _HASH.fullmatch(digest):
            return None
        try:
            return self._path(digest).read_bytes().decode("utf-8", "replace")
        except OSError:
            return None

    def delete(self, digests: Iterable[str]) -> None:
        """Removes these files; what is gone already is fine."""
        for digest in digests:
            with contextlib.suppress(OSError):
                self._path(digest).unlink()

    def all(self) -> set[str]:
        """The hashes of all files here."""
        if not self.folder.is_dir():
            return set()
        return {path.name for path in self.folder.glob("??/*") if _HASH.fullmatch(path.name)}

    def _path(self, digest: str) -> Path:
        return self.folder / digest[:2] / digest


def _is_whole(path: Path, size: int) -> bool:
    try:
        return os.stat(path).st_size == size
    except OSError:
        return False
