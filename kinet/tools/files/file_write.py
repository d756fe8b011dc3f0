"""Replaces a file's bytes at once, keeping its mode, owner, attributes and links."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakValueDictionary

from kinet.core.atomic_write import write_all, write_bytes
from kinet.core.errors import ToolError
from kinet.policy.visible import visible_line
from kinet.tools.files.file_access import Place, failure, let_go

# The folder takes no new file, but the file itself may be open to change.
_NO_NEW_FILE = (errno.EACCES, errno.EPERM, errno.EROFS)
_ANY_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class _Lock:
    """A lock that a weak table can hold."""

    def __init__(self) -> None:
        self.inner = threading.Lock()


_locks: WeakValueDictionary[str, _Lock] = WeakValueDictionary()
_locks_guard = threading.Lock()


@contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """One change of a file at a time, from whatever session of this process."""
    with _locks_guard:
        lock = _locks.setdefault(str(path), _Lock())
    with lock.inner:
        yield


def check_writable(place: Place, status: os.stat_result) -> None:
    """ToolError kind read-only for a file without write permission: a rename would ignore that."""
    writable = os.access(place.path, os.W_OK) and status.st_mode & _ANY_WRITE
    if not writable:
        raise ToolError(
            f"{visible_line(str(place.path))} is read-only.",
            hint="Ask the person to make it writable, or write to another file.",
            kind="read-only",
        )


def replace_file(
    place: Place, data: bytes, before: bytes | None, saved_copies: Path | None = None
) -> None:
    """Puts `data` in place of `before` (None: a new file). ToolError; then nothing has changed.

    `saved_copies` is a folder outside the project in which the old bytes lie while a file has to
    be written in place (hard links, folders that take no new file).
    """
    try:
        status = place.status()
        if status is not None and not stat.S_ISREG(status.st_mode):
            raise ToolError(
                f"{visible_line(str(place.path))} is not a regular file.", kind="special"
            )
        if status is not None:
            check_writable(place, status)
        if status is not None and status.st_nlink > 1:
            _in_place(place, data, before or b"", saved_copies)
            return
        try:
            _by_rename(place, data, status)
        except OSError as exc:
            if status is None or exc.errno not in _NO_NEW_FILE:
                raise
            _in_place(place, data, before or b"", saved_copies)
    except OSError as exc:
        raise failure("write", place.path, exc) from exc


def _by_rename(place: Place, data: bytes, status: os.stat_result | None) -> None:
    name = f".{place.path.name[:60]}.{secrets.token_hex(6)}.new"
    descriptor = place.open(os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, name=name)
    try:
        try:
            write_all(descriptor, data)
            if status is None:
                _set_mode(descriptor, 0o666 & ~_umask())
            else:
                _keep(place, descriptor, status)
            os.fsync(descriptor)
        finally:
            let_go(descriptor)
        place.take(name)
    except BaseException:
        with contextlib.suppress(OSError):
            place.remove(name)
        raise
    place.sync()


def _in_place(place: Place, data: bytes, before: bytes, saved_copies: Path | None) -> None:
    copy = None
    if saved_copies is not None:
        saved_copies.mkdir(mode=0o700, parents=True, exist_ok=True)
        copy = saved_copies / f"{secrets.token_hex(8)}.saved"
        write_bytes(copy, before)
    try:
        descriptor = place.open(os.O_WRONLY)
        try:
            _overwrite_or_put_back(place, descriptor, data, before, copy)
        finally:
            let_go(descriptor)
    except OSError:
        _drop(copy)
        raise
    _drop(copy)


def _overwrite_or_put_back(
    place: Place, descriptor: int, data: bytes, before: bytes, copy: Path | None
) -> None:
    """OSError: the old bytes are there again. ToolError: they are not, and lie in the copy."""
    try:
        _overwrite(descriptor, data)
    except BaseException:
        try:
            _overwrite(descriptor, before)
        except OSError as exc:
            where = f"; its old bytes lie in {visible_line(str(copy))}" if copy else ""
            raise ToolError(
                f"{visible_line(str(place.path))} was written in part and its old bytes could not "
                f"be put back ({exc.strerror or exc}){where}.",
                hint="Tell the person.",
                kind="io",
            ) from exc
        raise


def _drop(copy: Path | None) -> None:
    # The file itself is as it should be: a copy that stays is no failure of the write.
    with contextlib.suppress(OSError):
        if copy is not None:
            copy.unlink()


def _overwrite(descriptor: int, data: bytes) -> None:
    os.lseek(descriptor, 0, os.SEEK_SET)
    write_all(descriptor, data)
    os.ftruncate(descriptor, len(data))
    os.fsync(descriptor)


def _keep(place: Place, descriptor: int, status: os.stat_result) -> None:
    """Gives the new file what the old one had beside its bytes."""
    new = os.fstat(descriptor)
    if hasattr(os, "fchown") and (new.st_uid, new.st_gid) != (status.st_uid, status.st_gid):
        # Only the superuser may give files away; a group of one's own may be kept.
        with contextlib.suppress(PermissionError):
            os.fchown(descriptor, -1, status.st_gid)
        with contextlib.suppress(PermissionError):
            os.fchown(descriptor, status.st_uid, -1)
    _keep_attributes(place, descriptor)
    # Last: a change of owner clears special bits.
    _set_mode(descriptor, stat.S_IMODE(status.st_mode))


def _keep_attributes(place: Place, descriptor: int) -> None:
    if not hasattr(os, "listxattr"):
        return
    old = place.open(os.O_RDONLY)
    try:
        with _where_they_are_kept():
            for name in os.listxattr(old):
                # Attributes of the system (security labels) belong to the system.
                if name.startswith("user.") or name == "system.posix_acl_access":
                    with _where_they_are_kept():
                        os.setxattr(descriptor, name, os.getxattr(old, name))
    finally:
        let_go(old)


@contextmanager
def _where_they_are_kept() -> Iterator[None]:
    """Goes on without an attribute that the file system does not take."""
    try:
        yield
    except OSError as exc:
        if exc.errno not in (errno.ENOTSUP, errno.EPERM, errno.ENOSPC, errno.EINVAL):
            raise


def _set_mode(descriptor: int, mode: int) -> None:
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, mode)


def _umask() -> int:
    """The process's mask for new files, read without changing it where the system tells."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            found = re.search(r"^Umask:\s*([0-7]+)$", status.read(), re.MULTILINE)
    except OSError:
        found = None
    return int(found.group(1), 8) if found else 0o022
