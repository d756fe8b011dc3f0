"""What a command in the sandbox may not see or change in the project, though it may write there."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from kinet.core import atomic_write
from kinet.paths import ensure_private_dir
from kinet.policy import protected, stand_ins

# Others' files: what lies in there is no secret of this person, and there is a lot of it.
_OTHERS = frozenset({"node_modules", "site-packages", "__pycache__", ".venv", "venv"})
_MOST_ENTRIES = 200_000
_MOST_PLACES = 2_000
_SECONDS = 3.0

_guard = threading.Lock()
# Empty places that stand in for what is missing, and how many commands need them.
_standing: dict[str, int] = {}


@dataclass(slots=True)
class Guarded:
    """Absolute paths. `problem` says why nothing can be promised for this folder, "" else."""

    read_only: list[str] = field(default_factory=list)
    hidden_files: list[str] = field(default_factory=list)
    hidden_folders: list[str] = field(default_factory=list)
    stand_ins: list[str] = field(default_factory=list)
    note: Path | None = None
    problem: str = ""

    def count(self) -> int:
        """How many places there are."""
        return len(self.read_only) + len(self.hidden_files) + len(self.hidden_folders)

    def release(self) -> None:
        """Removes the stand-ins that nobody needs any more and nobody has touched."""
        places, self.stand_ins = self.stand_ins, []
        with _guard:
            for place in places:
                _standing[place] -= 1
                if _standing[place] > 0:
                    continue
                del _standing[place]
                _remove(place)
            if self.note is not None and not any(place in _standing for place in places):
                with contextlib.suppress(OSError):
                    self.note.unlink()


def clear(data_dir: Path) -> None:
    """Removes the stand-ins that an earlier run left. For the start; blocks, and never raises."""
    with contextlib.suppress(OSError):
        for note in list((data_dir / stand_ins.NOTES).iterdir()):
            root = os.fsdecode(note.read_bytes())
            with _guard:
                places = [os.path.join(root, name) for name in _names()]
                if any(place in _standing for place in places):
                    continue
                for place in places:
                    _remove(place)
                note.unlink()


def look(root: Path, data_dir: Path | None = None) -> Guarded:
    """Looks through the project (a real path). Blocks, 3 s at most; call `release` at the end.

    In `data_dir` it is noted where something stands in for what is missing.
    """
    found = Guarded()
    count = 0
    until = time.monotonic() + _SECONDS
    todo = [str(root)]
    while todo:
        try:
            with os.scandir(todo.pop()) as entries:
                for entry in entries:
                    count += 1
                    if below := _take(entry, found, root):
                        todo.append(below)
        except OSError:
            # What this person cannot read, the command cannot either.
            continue
        if count > _MOST_ENTRIES or time.monotonic() > until or found.count() > _MOST_PLACES:
            found.problem = "the folder is too large to find all that a sandbox has to hide"
            return found
    _stand_in(root, found, data_dir)
    return found


def _take(entry: os.DirEntry[str], found: Guarded, root: Path) -> str:
    """Notes the entry if it is guarded; the folder to look through next, "" for none."""
    name = (entry.name,)
    path = entry.path
    if entry.is_symlink():
        # What lies elsewhere is read-only or hidden anyway.
        path = os.path.realpath(path)
        if not (protected.is_secret(name) and os.path.isfile(path) and root in Path(path).parents):
            return ""
        found.hidden_files.append(path)
        return ""
    is_folder = entry.is_dir(follow_symlinks=False)
    if protected.is_repository(name):
        found.read_only.append(path)
    elif protected.is_secret(name):
        (found.hidden_folders if is_folder else found.hidden_files).append(path)
    elif protected.is_always_asked(name):
        found.read_only.append(path)
    elif is_folder and entry.name not in _OTHERS:
        return path
    return ""


def _stand_in(root: Path, found: Guarded, data_dir: Path | None) -> None:
    """Puts something empty where an order could be placed; it cannot be written in the box."""
    with _guard:
        places = [os.path.join(root, name) for name in _names()]
        missing = [place for place in places if not stand_ins.is_there(Path(place))]
        if missing and data_dir is not None:
            found.note = _noted(root, data_dir)
        for place in missing:
            # One that an earlier run left does as well.
            if not os.path.lexists(place) and not _make(place):
                continue
            _standing[place] = _standing.get(place, 0) + 1
            found.stand_ins.append(place)
            if place not in found.read_only and place not in found.hidden_files:
                found.read_only.append(place)


def _names() -> tuple[str, ...]:
    return (*stand_ins.FOLDERS, *stand_ins.FILES)


def _noted(root: Path, data_dir: Path) -> Path | None:
    note = data_dir / stand_ins.NOTES / hashlib.sha256(os.fsencode(root)).hexdigest()[:24]
    # Without a note the next look at this folder finds them all the same.
    with contextlib.suppress(OSError):
        if not note.exists():
            ensure_private_dir(note.parent)
            atomic_write.write_bytes(note, os.fsencode(root))
        return note
    return None


def _make(place: str) -> bool:
    """Makes a stand-in; False where that cannot be."""
    try:
        if os.path.basename(place) in stand_ins.FOLDERS:
            os.mkdir(place)
        else:
            _make_file(place)
    except OSError:
        return False
    os.utime(place, (stand_ins.MOMENT, stand_ins.MOMENT))
    return True


def _make_file(place: str) -> None:
    """A socket, which no `git add` takes and no program reads as rules; else an empty file."""
    try:
        os.mknod(place, stat.S_IFSOCK | 0o644)
    except FileExistsError:
        raise
    except OSError:
        os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))


def _remove(place: str) -> None:
    with contextlib.suppress(OSError):
        if stand_ins.is_stand_in(place):
            (os.rmdir if os.path.isdir(place) else os.unlink)(place)
