"""Says which data folder cannot be used, why, and what helps."""

from __future__ import annotations

import errno
from pathlib import Path

from kinet.core.errors import StoreError

_ELSEWHERE = "name another folder in KINET_HOME"
_FULL = (errno.ENOSPC, errno.EDQUOT)


def unusable(home: Path, exc: OSError) -> StoreError:
    """What an error of the system that met `home`, or what lies in it, means for a person."""
    why, hint = why_unusable(home, exc)
    return StoreError(f"The data folder {home} cannot be used: {why}.", hint=hint)


def why_unusable(home: Path, exc: OSError) -> tuple[str, str]:
    """The reason as the end of a sentence, and what to do."""
    where = str(exc.filename or home)
    if exc.errno == errno.EROFS:
        why = "it lies on a disk that can only be read"
        return why, f"Make that disk writable, or {_ELSEWHERE}."
    if exc.errno in (errno.EACCES, errno.EPERM):
        why = f"this account may not write {_there(where, home)}"
        return why, f"Give yourself write access to it, or {_ELSEWHERE}."
    if exc.errno in _FULL:
        return "its disk is full", f"Free some space there, or {_ELSEWHERE}."
    if isinstance(exc, (FileExistsError, NotADirectoryError)):
        why = f"{_nearest_file(Path(where))} is a file, not a folder"
        return why, f"Move that file away, or {_ELSEWHERE}."
    if isinstance(exc, FileNotFoundError):
        return "it cannot be made there", f"Check where it is to lie, or {_ELSEWHERE}."
    why = f"{exc.strerror or exc} ({where})"
    return why, f"Check its permissions and the free space, or {_ELSEWHERE}."


def _there(where: str, home: Path) -> str:
    return "there" if Path(where) == home else f"to {where}"


def _nearest_file(path: Path) -> Path:
    """The part of `path` that stands where a folder should."""
    for part in (path, *path.parents):
        if part.is_file():
            return part
    return path
