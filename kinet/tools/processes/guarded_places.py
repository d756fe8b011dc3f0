"""What a command in the sandbox may not see or change in the project, though it may write there."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from kinet.policy import protected

# Others' files: what lies in there is no secret of this person, and there is a lot of it.
_OTHERS = frozenset({"node_modules", "site-packages", "__pycache__", ".venv", "venv"})
_MOST_ENTRIES = 200_000
_MOST_PLACES = 2_000
_SECONDS = 3.0
# Where they are not, a command must not be the one that brings them: each gives orders later on.
_ORDERS = (".git", ".kinet", ".vscode")
_ORDER_FILES = ("AGENTS.md", "CLAUDE.md", "KINET.md", "KINET-CONTEXT.md", ".mcp.json", ".envrc")

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
    problem: str = ""

    def count(self) -> int:
        """How many places there are."""
        return len(self.read_only) + len(self.hidden_files) + len(self.hidden_folders)

    def release(self) -> None:
        """Removes the stand-ins that nobody needs any more, if they are still empty."""
        places, self.stand_ins = self.stand_ins, []
        with _guard:
            for place in places:
                _standing[place] -= 1
                if _standing[place] > 0:
                    continue
                del _standing[place]
                with contextlib.suppress(OSError):
                    if os.path.isdir(place):
                        os.rmdir(place)
                    elif os.path.getsize(place) == 0:
                        os.unlink(place)


def look(root: Path) -> Guarded:
    """Looks through the project (a real path). Blocks, 3 s at most; call `release` at the end."""
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
    _stand_in(root, found)
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


def _is_left_over(place: str) -> bool:
    """True for a stand-in that a crash left: no repository is an empty folder."""
    try:
        return os.path.basename(place) == ".git" and not os.listdir(place)
    except OSError:
        return False


def _stand_in(root: Path, found: Guarded) -> None:
    """Puts something empty where an order could be placed; it cannot be written in the box."""
    with _guard:
        for name in (*_ORDERS, *_ORDER_FILES):
            place = os.path.join(root, name)
            if place not in _standing and not _is_left_over(place):
                if os.path.lexists(place):
                    continue
                try:
                    if name in _ORDERS:
                        os.mkdir(place)
                    else:
                        os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))
                except OSError:
                    continue
            _standing[place] = _standing.get(place, 0) + 1
            found.stand_ins.append(place)
            if place not in found.read_only and place not in found.hidden_files:
                found.read_only.append(place)
