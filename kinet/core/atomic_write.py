"""Writes a whole file so that a crash leaves the old bytes or the new ones, never a mixture."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

PRIVATE = 0o600


def write_bytes(path: str | os.PathLike[str], data: bytes, *, mode: int = PRIVATE) -> None:
    """Puts `data` at `path` at once; a link stays a link and its target is replaced.

    The new file has the permissions `mode`. Returns when bytes and name are on the disk. Raises
    OSError and leaves no temporary file behind; the folder has to exist.
    """
    write_pieces(path, (data,), mode=mode)


def write_pieces(
    path: str | os.PathLike[str], pieces: Iterable[bytes], *, mode: int = PRIVATE
) -> None:
    """The same of what comes piece by piece; what `pieces` raises leaves everything as it was."""
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.new")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, PRIVATE)
    try:
        try:
            for data in pieces:
                write_all(descriptor, data)
            if hasattr(os, "fchmod"):
                os.fchmod(descriptor, mode)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    sync_folder(target.parent)


def write_all(descriptor: int, data: bytes) -> None:
    """Writes every byte: the system may take fewer at a time. Raises OSError."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Brings a renamed entry of `folder` to the disk, where the system can do that."""
    # Windows has no folder descriptors, and some file systems refuse to sync one; the rename
    # itself has happened by then, so that is no failure of the write.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
