"""The lock on a data folder: one program writes at a time, and the system frees it at death."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from pathlib import Path

from kinet.core.errors import StoreError

LOCK_NAME = "kinet.lock"
# Held by a start of the window from before it is given a folder until it holds it, or does not.
OPENING_NAME = "opening.lock"
_BUSY = frozenset({errno.EACCES, errno.EAGAIN, errno.EDEADLK, errno.EWOULDBLOCK})


class StoreInUseError(StoreError):
    """Another Kinet writes to this data folder. `holder` is its process number, 0 if unknown."""

    def __init__(self, message: str, *, hint: str = "", holder: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.holder = holder


class InstanceLock:
    """An exclusive lock on `folder`. Child processes never inherit it."""

    def __init__(self, folder: Path, name: str = LOCK_NAME) -> None:
        self._path = folder / name
        self._descriptor = -1

    @property
    def held(self) -> bool:
        """True between `acquire` and `release`."""
        return self._descriptor >= 0

    def acquire(self) -> None:
        """Takes the lock. StoreInUseError if another holds it; OSError if it cannot be made."""
        if self.held:
            return
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(descriptor)
        except OSError as exc:
            os.close(descriptor)
            if exc.errno not in _BUSY:
                raise
            holder = self.holder()
            who = f" (process {holder})" if holder else ""
            raise StoreInUseError(
                f"Another Kinet{who} already uses the data folder {self._path.parent}.",
                hint="Use its window, close it first, or choose another folder with KINET_HOME.",
                holder=holder,
            ) from exc
        self._descriptor = descriptor
        # The number only helps the one who is refused: a full disk must not keep the lock from
        # being held. The first byte is what Windows locks, so the number stands behind it.
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, 0)
            if hasattr(os, "pwrite"):
                os.pwrite(descriptor, f" {os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Gives the lock back; the file stays, so that nobody locks one that is being removed."""
        if not self.held:
            return
        # Whatever close says, the descriptor is gone and the lock with it.
        with contextlib.suppress(OSError):
            os.close(self._descriptor)
        self._descriptor = -1

    def is_free(self) -> bool:
        """True if nobody holds it at this moment; also where that cannot be told."""
        try:
            self.acquire()
        except StoreInUseError:
            return False
        except OSError:
            return True
        self.release()
        return True

    def holder(self) -> int:
        """The process number that was written last, 0 if there is none."""
        try:
            words = self._path.read_bytes()[:32].split()
        except OSError:
            return 0
        return int(words[0]) if words and words[0].isdigit() else 0


def _lock(descriptor: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
