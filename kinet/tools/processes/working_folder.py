"""Where the next command of a session begins: the folder in which its last one ended."""

from __future__ import annotations

import os
import tempfile
import threading
from pathlib import Path

_HIGH_DESCRIPTOR = 211
_LONGEST_PATH = 8_192

_guard = threading.Lock()
# session: (its project, where its last command ended), both real paths.
_kept: dict[str, tuple[Path, Path]] = {}


def current(session_id: str, root: Path) -> Path:
    """Where a command would begin now, a real path: `root` unless another folder was kept.

    A folder that is gone, or was kept for another project, does not count any more.
    """
    root = Path(os.path.realpath(root))
    with _guard:
        project, folder = _kept.get(session_id, (root, root))
    if folder == root:
        return root
    if project != root or not os.path.isdir(folder) or not os.access(folder, os.X_OK):
        return root
    return Path(os.path.realpath(folder))


def vanished(session_id: str, root: Path) -> Path | None:
    """The kept folder if it cannot be used any more; it is forgotten by being asked for."""
    with _guard:
        project, folder = _kept.get(session_id, (root, root))
    if folder == root or current(session_id, root) != root:
        return None
    with _guard:
        _kept.pop(session_id, None)
    return folder if project == root else None


def keep(session_id: str, root: Path, folder: Path) -> None:
    """Notes where a command ended. A call of no session keeps nothing."""
    if not session_id:
        return
    with _guard:
        if folder == root:
            _kept.pop(session_id, None)
        else:
            _kept[session_id] = (root, folder)


def forget(session_id: str) -> None:
    """The session is closed."""
    with _guard:
        _kept.pop(session_id, None)


class FolderNote:
    """A file without a name on which a shell writes, at its end, the folder it is in then."""

    def __init__(self) -> None:
        """OSError if there can be none."""
        with tempfile.TemporaryFile() as file:
            self.descriptor = _moved_up(file.fileno())

    @property
    def beginning(self) -> str:
        """Goes before a bash command, on its first line, so that no line number changes.

        What is traced (`set -x`) or printed there is not seen. A command with an EXIT trap of its
        own, or that becomes another program, leaves the folder as it was.
        """
        return f"trap '{{ builtin pwd -P >&{self.descriptor}; }} 2>/dev/null' EXIT; "

    def read(self) -> Path | None:
        """What was written: a folder that exists; None for nothing of the kind."""
        try:
            data = os.pread(self.descriptor, _LONGEST_PATH, 0)
        except OSError:
            return None
        path = os.fsdecode(data.removesuffix(b"\n"))
        if "\0" in path or not os.path.isabs(path) or not os.path.isdir(path):
            return None
        return Path(os.path.realpath(path))

    def close(self) -> None:
        """The file is gone with this."""
        os.close(self.descriptor)


def _moved_up(descriptor: int) -> int:
    """A copy with a number that scripts do not use for files of their own."""
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _HIGH_DESCRIPTOR)
