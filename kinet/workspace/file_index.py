"""The names in a folder, read once and found by a few letters; ignored files are left out."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kinet.core.errors import ToolError

# Beyond so many files only the first ones in order are offered: a letter has to answer at once.
MOST_FILES = 60_000


@dataclass(frozen=True, slots=True)
class FileIndex:
    """Paths below `folder` with slashes, files and their folders; a folder ends with a slash."""

    folder: Path
    paths: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()

    def find(self, letters: str, limit: int = 20) -> list[str]:
        """The paths that fit, the best first: named so, then with it in the name, in the path, and
        last with all letters in this order. Without letters the ones nearest to the top."""
        wanted = letters.casefold().replace("\\", "/").removeprefix("./")
        if not wanted:
            nearest = sorted(self.paths, key=lambda path: (path.rstrip("/").count("/"), path))
            return nearest[:limit]
        ranked = [
            (rank, len(path), path)
            for path, folded in zip(self.paths, self.folded, strict=True)
            if wanted in folded and (rank := _rank(folded, wanted)) >= 0
        ]
        if len(ranked) < limit and len(wanted) > 1:
            known = {path for _, _, path in ranked}
            ranked += [
                (9, len(path), path)
                for path, folded in zip(self.paths, self.folded, strict=True)
                if path not in known and _in_order(folded, wanted)
            ]
        return [path for _, _, path in sorted(ranked)[:limit]]


async def read_index(folder: Path) -> FileIndex:
    """Reads the names below `folder`, as the model's own tools see them: without what .gitignore
    names, hidden files and files for secrets. Empty where the folder cannot be read."""
    # The tools bring pydantic along, which the first frame does without.
    from kinet.tools.files.file_search import list_files

    try:
        found = await list_files(folder, folder, lambda names: names)
    except (ToolError, OSError):
        return FileIndex(folder)
    return await asyncio.to_thread(index_of, folder, found.files)


def index_of(folder: Path, files: Iterable[str]) -> FileIndex:
    """An index of these files, given relative to `folder`, and of the folders they are in."""
    # Names that are no text cannot be typed, and no model could name them.
    named = (name.replace(os.sep, "/") for name in files if name.isprintable())
    kept = [name for _, name in zip(range(MOST_FILES), named, strict=False)]
    folders = {parent for name in kept for parent in _parents(name)}
    paths = tuple(sorted([*kept, *folders]))
    return FileIndex(folder, paths, tuple(path.casefold() for path in paths))


def _parents(name: str) -> Iterator[str]:
    place = name.find("/")
    while place >= 0:
        yield name[: place + 1]
        place = name.find("/", place + 1)


def _rank(path: str, wanted: str) -> int:
    """How well a path fits that holds `wanted`; 0 is best."""
    name = path.rstrip("/").rpartition("/")[2]
    if name.startswith(wanted):
        return 0 if name in (wanted, wanted.rstrip("/")) or not path.endswith("/") else 1
    if path.startswith(wanted):
        return 2
    return 3 if wanted in name else 4


def _in_order(path: str, wanted: str) -> bool:
    place = -1
    for letter in wanted:
        place = path.find(letter, place + 1)
        if place < 0:
            return False
    return True
