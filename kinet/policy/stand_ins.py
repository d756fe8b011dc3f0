"""Empty places that keep a sandboxed command from bringing orders: told from a person's own."""

from __future__ import annotations

import os
import stat
from pathlib import Path

# Where they are not, a command must not be the one that brings them: each gives orders later on.
FOLDERS = (".git", ".kinet", ".vscode")
FILES = ("AGENTS.md", "CLAUDE.md", "KINET.md", "KINET-CONTEXT.md", ".mcp.json", ".envrc")
_NAMES = frozenset(FOLDERS + FILES)
# Nobody's file is of that moment, and any change makes it younger. An even second, since some file
# systems know no others: 2001-02-03 04:05:06 UTC.
MOMENT = 981_173_106
# Below the data folder: a file for each folder that has stand-ins now, so that they go at the next
# start if the program could not take them away.
NOTES = "stand-ins"


def is_stand_in(place: str | os.PathLike[str]) -> bool:
    """True for one of ours that nobody has touched since; False also for what is not there."""
    try:
        return is_like_one(os.path.basename(place), os.lstat(place))
    except OSError:
        return False


def is_like_one(name: str, status: os.stat_result) -> bool:
    """The same for a place of which the status is known."""
    if name not in _NAMES or int(status.st_mtime) != MOMENT:
        return False
    mode = status.st_mode
    return stat.S_ISSOCK(mode) or stat.S_ISDIR(mode) or (stat.S_ISREG(mode) and not status.st_size)


def is_there(place: Path) -> bool:
    """True if anything lies there, a broken link too, but no stand-in."""
    return os.path.lexists(place) and not is_stand_in(place)
