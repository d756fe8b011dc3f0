"""Small contents, many to a file: a first look over a folder keeps thousands of them."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import itertools
import os
import secrets
import struct
import weakref
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from kinet.core import atomic_write
from kinet.paths import ensure_private_dir

# Bytes. What is larger has a file of its own; a pack that holds so much is followed by another.
LARGEST = 256 * 1024
_FULL = 16 * 1024 * 1024
# Each content is preceded by its SHA-256 and its length.
_HEAD = struct.Struct(">32sI")
# Where a content was that is gone.
_NOTHING = bytes(32)
_SUFFIX = ".pack"
# So often a pack is opened anew that others put together at this very moment.
_ATTEMPTS = 5
_BINARY = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a content lies."""

    pack: str
    offset: int
    size: int


class ContentPacks:
    """Bytes by SHA-256. It writes into packs of its own, so several may share a folder.

    Whoever owns it sees to it that one thread calls at a time. Those that write raise OSError.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._places: dict[bytes, _Place] = {}
        # Further copies, that others wrote.
        self._copies: defaultdict[bytes, list[_Place]] = defaultdict(list)
        # The pack that is written now.
        self._name, self._end, self._descriptor = "", 0, -1
        self._closing: weakref.finalize[[int], ContentPacks] | None = None
        # Packs of which everything that is in them was brought to the disk.
        self._synced: set[str] = set()

    def load(self) -> dict[str, int]:
        """Looks through all packs: each content's hash and size."""
        self._places.clear()
        self._copies.clear()
        with contextlib.suppress(OSError), os.scandir(self._folder) as entries:
            for name in sorted(entry.name for entry in entries):
                if name.endswith(_SUFFIX):
                    with contextlib.suppress(OSError):
                        self._note(self._in_pack(name))
        return {digest.hex(): place.size for digest, place in self._places.items()}

    def put(self, digest: str, data: bytes) -> None:
        """Keeps what is not kept yet."""
        if self._descriptor < 0 or self._end > _FULL:
            self._begin()
        raw = bytes.fromhex(digest)
        record = _HEAD.pack(raw, len(data)) + data
        try:
            atomic_write.write_all(self._descriptor, record)
        except OSError:
            # Half a record would hide all that came after it.
            try:
                os.ftruncate(self._descriptor, self._end)
                os.lseek(self._descriptor, self._end, os.SEEK_SET)
            except OSError:
                self._leave()
            raise
        self._synced.discard(self._name)
        if before := self._places.get(raw):
            self._copies[raw].append(before)
        self._places[raw] = _Place(self._name, self._end + _HEAD.size, len(data))
        self._end += len(record)

    def sync(self, digest: str) -> bool:
        """Brings a content to the disk, and all that shares its pack; False if it is damaged.

        OSError if that cannot be.
        """
        if self.get(digest) is None:
            return False
        pack = self._places[bytes.fromhex(digest)].pack
        if pack not in self._synced:
            # Windows syncs nothing that cannot be written.
            descriptor = os.open(self._folder / pack, os.O_RDWR | _BINARY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            atomic_write.sync_folder(self._folder)
            self._synced.add(pack)
        return True

    def get(self, digest: str) -> bytes | None:
        """The bytes, whole and as they were; None if they are gone or damaged."""
        raw = bytes.fromhex(digest)
        data = self._read(raw)
        if data is None:
            # Another one may have put its pack together anew.
            self.load()
            data = self._read(raw)
        return data

    def remove(self, digests: Collection[str]) -> None:
        """Removes contents; their bytes are gone from the disk when this returns.

        One pack that cannot be changed keeps none of the others.
        """
        # Others may have written copies, and put packs together anew.
        self.load()
        all_copies = itertools.chain(self._places.values(), *self._copies.values())
        held = Counter(place.pack for place in all_copies)
        by_pack: defaultdict[str, set[bytes]] = defaultdict(set)
        for digest in digests:
            raw = bytes.fromhex(digest)
            if place := self._places.pop(raw, None):
                for each in (place, *self._copies.pop(raw, ())):
                    by_pack[each.pack].add(raw)
        problem: OSError | None = None
        # First those that go as a whole: on a full disk the others need the room of these.
        for name in sorted(by_pack, key=lambda name: len(by_pack[name]) < held[name]):
            if name == self._name:
                self._leave()
            try:
                self._take_out(name, by_pack[name])
            except FileNotFoundError:
                continue
            except OSError as exc:
                problem = problem or exc
        if problem is not None:
            raise problem

    def _take_out(self, name: str, leaving: Collection[bytes]) -> None:
        """Puts a pack together without these; in one that somebody writes they are blanked."""
        path = self._folder / name
        for _ in range(_ATTEMPTS):
            descriptor = os.open(path, os.O_RDWR | _BINARY)
            try:
                is_ours = _lock(descriptor)
                found = _records(name, descriptor)
                staying = [item for item in found.items() if item[0] not in leaving]
                joined = b""
                if is_ours:
                    joined = b"".join(_record(descriptor, *item) for item in staying)
                else:
                    _blank(descriptor, found, leaving)
                if _is_at(path, descriptor):
                    break
            finally:
                os.close(descriptor)
        else:
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), str(path))
        if not is_ours:
            return
        # Closed by now, for Windows removes and replaces nothing that is open. Nobody begins to
        # write a pack that is there already.
        try:
            if staying:
                atomic_write.write_bytes(path, joined)
            else:
                path.unlink()
        except OSError:
            # A full disk has no room for another pack, and Windows leaves one that somebody else
            # has open: then the old one stays, with nothing of these.
            self._blank_in(path, leaving)
        else:
            self._move(name, staying)

    def _blank_in(self, path: Path, leaving: Collection[bytes]) -> None:
        descriptor = os.open(path, os.O_RDWR | _BINARY)
        try:
            _blank(descriptor, _records(path.name, descriptor), leaving)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _move(self, name: str, staying: Collection[tuple[bytes, _Place]]) -> None:
        end = 0
        for raw, old in staying:
            place = _Place(name, end + _HEAD.size, old.size)
            end = place.offset + place.size
            known = self._places.get(raw)
            if known is None or known.pack == name:
                self._places[raw] = place
            else:
                others = [copy for copy in self._copies[raw] if copy.pack != name]
                self._copies[raw] = [*others, place]

    def _note(self, found: dict[bytes, _Place]) -> None:
        for raw, place in found.items():
            if self._places.setdefault(raw, place) is not place:
                self._copies[raw].append(place)

    def _read(self, raw: bytes) -> bytes | None:
        place = self._places.get(raw)
        if place is None:
            return None
        try:
            descriptor = os.open(self._folder / place.pack, os.O_RDONLY | _BINARY)
            try:
                data = _at(descriptor, place.offset, place.size)
            finally:
                os.close(descriptor)
        except OSError:
            return None
        return data if hashlib.sha256(data).digest() == raw else None

    def _in_pack(self, name: str) -> dict[bytes, _Place]:
        descriptor = os.open(self._folder / name, os.O_RDONLY | _BINARY)
        try:
            return _records(name, descriptor)
        finally:
            os.close(descriptor)

    def _begin(self) -> None:
        self._leave()
        ensure_private_dir(self._folder)
        name = f"{secrets.token_hex(8)}{_SUFFIX}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY
        descriptor = os.open(self._folder / name, flags, atomic_write.PRIVATE)
        _lock(descriptor)
        self._name, self._end, self._descriptor = name, 0, descriptor
        self._closing = weakref.finalize(self, os.close, descriptor)

    def _leave(self) -> None:
        """This pack is not written any further."""
        if self._closing is not None:
            self._closing()
        self._name, self._end, self._descriptor, self._closing = "", 0, -1, None


def _records(name: str, descriptor: int) -> dict[bytes, _Place]:
    """What a pack holds; one that was broken off ends with its last whole content."""
    found: dict[bytes, _Place] = {}
    end, offset = os.fstat(descriptor).st_size, 0
    while offset + _HEAD.size <= end:
        head = _at(descriptor, offset, _HEAD.size)
        if len(head) < _HEAD.size:
            break
        raw, size = _HEAD.unpack(head)
        offset += _HEAD.size
        if offset + size > end:
            break
        if raw != _NOTHING:
            found[raw] = _Place(name, offset, size)
        offset += size
    return found


def _is_at(path: Path, descriptor: int) -> bool:
    """False if another pack has taken the place of this one: never where that needs it closed."""
    return os.name == "nt" or os.path.samestat(os.fstat(descriptor), path.stat())


def _blank(descriptor: int, found: Mapping[bytes, _Place], leaving: Collection[bytes]) -> None:
    """Leaves nothing of these contents but their room."""
    for place in (place for raw, place in found.items() if raw in leaving):
        os.lseek(descriptor, place.offset - _HEAD.size, os.SEEK_SET)
        atomic_write.write_all(descriptor, _HEAD.pack(_NOTHING, place.size) + bytes(place.size))


def _record(descriptor: int, raw: bytes, place: _Place) -> bytes:
    return _HEAD.pack(raw, place.size) + _at(descriptor, place.offset, place.size)


def _at(descriptor: int, offset: int, size: int) -> bytes:
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, size)


def _lock(descriptor: int) -> bool:
    """Holds a pack until it is closed; False if somebody else does."""
    try:
        import fcntl
    except ImportError:
        # Windows: a file that is open there is neither removed nor replaced.
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
