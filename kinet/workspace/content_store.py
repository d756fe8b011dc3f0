"""Keeps the bytes of files by their hash, for this person alone, under one limit."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import re
import secrets
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

from kinet.core import atomic_write
from kinet.paths import ensure_private_dir
from kinet.workspace.content_packs import LARGEST, ContentPacks

_log = logging.getLogger(__name__)

_HASH = re.compile(r"[0-9a-f]{64}")
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)


class ContentStore:
    """Bytes by SHA-256. Calls may come from any thread; those that write raise OSError."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._guard = threading.Lock()
        self._packs = ContentPacks(folder / "packs")
        self._known: dict[str, int] | None = None
        self._total = 0
        # Known to be whole and on the disk.
        self._firm: set[str] = set()
        # Only while a removal is under way.
        self._put_since: set[str] | None = None
        # How many are at something whose contents nobody else can name yet, and what was put then.
        self._holders = 0
        self._held: set[str] = set()

    def put(self, data: bytes, *, durable: bool = False) -> str:
        """Keeps `data`; its hash. With `durable` it is on the disk when this returns.

        Without, a loss of power may lose it; that is told by its hash when it is asked for.
        """
        digest = hashlib.sha256(data).hexdigest()
        with self._guard:
            known = self._sizes()
            if self._put_since is not None:
                self._put_since.add(digest)
            if self._holders:
                self._held.add(digest)
            if digest in known:
                if durable:
                    self._make_firm(digest, data)
                return digest
            if durable or len(data) > LARGEST:
                self._put_alone(digest, data, durable=durable)
            else:
                self._packs.put(digest, data)
            known[digest] = len(data)
            self._total += len(data)
            if durable:
                self._firm.add(digest)
        return digest

    def get(self, digest: str) -> bytes | None:
        """The bytes, whole and as they were; None if they are gone or damaged."""
        if not _HASH.fullmatch(digest):
            return None
        try:
            data = self._path(digest).read_bytes()
        except OSError:
            with self._guard:
                self._sizes()
                return self._packs.get(digest)
        return data if hashlib.sha256(data).hexdigest() == digest else None

    def has(self, digest: str) -> bool:
        """True if these bytes are kept."""
        with self._guard:
            return digest in self._sizes()

    @property
    def total(self) -> int:
        """Bytes kept in all."""
        with self._guard:
            self._sizes()
            return self._total

    @contextlib.contextmanager
    def holding(self) -> Iterator[None]:
        """What is put meanwhile, by anybody, is not taken to make room: a look over a folder puts
        its contents long before it is known."""
        with self._guard:
            self._holders += 1
        try:
            yield
        finally:
            with self._guard:
                self._holders -= 1
                if not self._holders:
                    self._held.clear()

    def make_room(self, limit: int, wanted: Iterable[str]) -> None:
        """Removes contents until `limit` bytes are left: first what nobody wants any more.

        `wanted` are hashes in the order of their worth, the most worthy first.
        """
        with self._guard:
            known = self._sizes()
            if self._total <= limit:
                return
            room = limit
            staying: set[str] = set()
            for digest in wanted:
                if digest in known and digest not in staying:
                    room -= known[digest]
                    if room < 0:
                        break
                    staying.add(digest)
            self._remove(known.keys() - staying - self._held)

    def begin_removal(self) -> None:
        """What is put from now on is not taken by the next `remove`, old or new."""
        with self._guard:
            self._put_since = set()

    def remove(self, digests: Iterable[str]) -> None:
        """Removes these contents, but for what was put since `begin_removal`."""
        with self._guard:
            kept, self._put_since = self._put_since or set(), None
            self._remove(self._sizes().keys() & (set(digests) - kept))

    def _remove(self, digests: Iterable[str]) -> None:
        known = self._sizes()
        gone: list[str] = []
        for digest in list(digests):
            with contextlib.suppress(OSError):
                self._path(digest).unlink(missing_ok=True)
                gone.append(digest)
        self._firm.difference_update(gone)
        try:
            self._packs.remove(gone)
            self._total -= sum(known.pop(digest) for digest in gone)
        except OSError as exc:
            _log.warning("contents of the journal could not be removed: %s", exc)
            # Some are gone: what is taken for kept would never be kept again.
            self._known = None

    def _sizes(self) -> dict[str, int]:
        if self._known is None:
            self._known = {}
            for folder in sorted(self.folder.glob("??")):
                with contextlib.suppress(OSError), os.scandir(folder) as entries:
                    for entry in entries:
                        if _HASH.fullmatch(entry.name):
                            self._known[entry.name] = entry.stat(follow_symlinks=False).st_size
            self._known |= self._packs.load()
            self._total = sum(self._known.values())
        return self._known

    def _make_firm(self, digest: str, data: bytes) -> None:
        """Brings what is kept already to the disk; what is damaged there is kept anew."""
        if digest in self._firm:
            return
        path = self._path(digest)
        if path.exists():
            is_whole = path.read_bytes() == data and _synced(path)
        else:
            is_whole = self._packs.sync(digest)
        if not is_whole:
            self._put_alone(digest, data, durable=True)
        self._firm.add(digest)

    def _put_alone(self, digest: str, data: bytes, *, durable: bool) -> None:
        path = self._path(digest)
        if not path.parent.is_dir():
            ensure_private_dir(self.folder)
            ensure_private_dir(path.parent)
        if durable:
            atomic_write.write_bytes(path, data)
        else:
            _write(path, data)

    def _path(self, digest: str) -> Path:
        return self.folder / digest[:2] / digest


def _synced(path: Path) -> bool:
    # Windows syncs nothing that cannot be written.
    descriptor = os.open(path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    atomic_write.sync_folder(path.parent)
    return True


def _write(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".{secrets.token_hex(8)}.new")
    descriptor = os.open(temporary, _FLAGS, atomic_write.PRIVATE)
    try:
        try:
            atomic_write.write_all(descriptor, data)
        finally:
            os.close(descriptor)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
