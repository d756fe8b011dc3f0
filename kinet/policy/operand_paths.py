"""Judges the names of files that a command would read, and what a search finds below them."""

from __future__ import annotations

import functools
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from kinet.policy import protected
from kinet.policy.paths import is_inside
from kinet.policy.searches import Search, guarded_below


@dataclass(frozen=True, slots=True)
class Place:
    """Real paths of the project, the home folder, and the folder in which a command begins."""

    root: Path
    home: Path
    start: Path
    data_dir: Path | None = None


def path_objection(word: str, place: Place, search: Search | None = None) -> str:
    """Why this operand may not be read unasked, "" if it may. A name that is missing may.

    With a `search` a folder is looked through as that does.
    `-` is judged like any name: not every program takes it for its input.
    """
    if not word:
        return "an operand is empty"
    if len(word) > 1_000:
        return "an operand is very long"
    try:
        real = Path(os.path.realpath(place.start / word))
        if not is_inside(real, place.root):
            return f"{word} is outside the project folder"
        below = real.relative_to(place.root).parts
        if protected.is_secret(below) or protected.is_secret(Path(word).parts):
            return f"{word} may hold keys or passwords"
        if protected.is_repository(below):
            return f"{word} is inside a repository's own files (.git)"
        own = own_inside(place.root, place.home, place.data_dir)
        if own and any(is_inside(real, Path(folder)) for folder in own):
            return f"{word} belongs to the app itself"
        try:
            mode = os.lstat(real).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return ""
        if stat.S_ISDIR(mode):
            return guarded_below(real, word, search, place.root, own) if search else ""
        return "" if stat.S_ISREG(mode) else f"{word} is not a regular file"
    except (OSError, ValueError) as exc:
        return f"{word} cannot be looked at: {exc}"


@functools.lru_cache(maxsize=64)
def own_inside(root: Path, home: Path, data_dir: Path | None) -> tuple[str, ...]:
    """The app's own folders as far as they lie in the project: real paths, mostly none."""
    real = (Path(os.path.realpath(folder)) for folder in protected.own_folders(home, data_dir))
    return tuple(str(folder) for folder in real if is_inside(folder, root))
