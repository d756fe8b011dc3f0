"""Moves a file to the trash of the system, so that the person can take it back there.

On Linux and the like it follows the freedesktop.org Trash specification 1.0: the home trash, or the
one at the top of the file's own disk. On macOS it is the folder .Trash. A file that no trash can
take stays where it is.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from pathlib import Path
from urllib.parse import quote

from kinet.core.errors import ToolError
from kinet.policy.visible import visible_line
from kinet.tools.files.file_access import Place, failure

_TRIES = 1_000


def put_in_trash(place: Place) -> Path:
    """Where the file lies now. ToolError, and nothing has changed, where it cannot be moved."""
    refused: OSError | None = None
    for trash in _trashes(place.path):
        try:
            return _move(place, trash)
        except OSError as exc:
            # The trash of another disk, or one that cannot be written: the next one is tried.
            refused = exc
            if exc.errno == errno.ENOENT and place.status() is None:
                raise failure("delete", place.path, exc) from exc
    reason = f": {refused.strerror}" if refused is not None and refused.strerror else ""
    raise ToolError(
        f"{visible_line(str(place.path))} cannot be moved to the trash{reason}. It was not "
        "deleted.",
        hint="Ask the person to delete it, or use a command.",
        kind="trash",
    )


def _trashes(path: Path) -> list[Path]:
    if os.name == "nt":
        return []
    if sys.platform == "darwin":
        return [Path.home() / ".Trash"]
    data = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return [Path(data) / "Trash", _top_of(path) / f".Trash-{os.getuid()}"]


def _top_of(path: Path) -> Path:
    """Where the disk of the file is mounted."""
    top = path.parent
    while not os.path.ismount(top):
        top = top.parent
    return top


def _move(place: Place, trash: Path) -> Path:
    if sys.platform == "darwin":
        trash.mkdir(mode=0o700, exist_ok=True)
        return _renamed(place, trash, None)
    files, info = trash / "files", trash / "info"
    for folder in (files, info):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not stat.S_ISDIR(folder.lstat().st_mode):
            raise OSError(errno.ENOTDIR, "the trash is no folder of its own")
    return _renamed(place, files, info)


def _renamed(place: Place, files: Path, info: Path | None) -> Path:
    name = place.path.name
    for number in range(1, _TRIES):
        free = name if number == 1 else f"{place.path.stem} {number}{place.path.suffix}"
        target = files / free
        if target.exists() or target.is_symlink():
            continue
        note = None if info is None else info / f"{free}.trashinfo"
        if note is not None and not _noted(note, place.path):
            continue
        try:
            if place.folder is None:
                os.rename(place.path, target)
            else:
                os.rename(name, target, src_dir_fd=place.folder)
        except OSError:
            if note is not None:
                note.unlink(missing_ok=True)
            raise
        return target
    raise OSError(errno.EEXIST, "the trash is full of files of this name")


def _noted(note: Path, path: Path) -> bool:
    """Writes where the file came from; False if that name is taken."""
    text = (
        f"[Trash Info]\nPath={quote(os.fsencode(path))}\n"
        f"DeletionDate={time.strftime('%Y-%m-%dT%H:%M:%S')}\n"
    )
    try:
        with open(note, "x", encoding="ascii") as file:
            file.write(text)
    except FileExistsError:
        return False
    return True
