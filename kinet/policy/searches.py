"""What a search through folders would read, and whether anything guarded is among it."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kinet.policy import protected

# Above this many entries guarded ones are not looked for, and the command asks.
_MOST_ENTRIES = 4_000
_IGNORE_FILES = frozenset({".gitignore", ".ignore", ".rgignore"})
# In the `.git` of each repository that lies around or below.
_OWN_IGNORE_FILE = frozenset({"exclude"})
_LARGEST_IGNORE_FILE = 64 * 1024
# A part of a pattern in which only * and ? mean something, to every reader of patterns.
_SIMPLE = re.compile(r"\A[A-Za-z0-9_.*?-]+\Z")
# Nothing of a repository's own has such an ending but the name of a branch.
_ENDING = re.compile(r"\A\*\.([A-Za-z][A-Za-z0-9]{0,7})\Z")
_NO_ENDINGS = frozenset({"lock", "sample", "pack", "idx", "rev", "keep", "bak", "orig"})


@dataclass(slots=True)
class Search:
    """One search. `only` are the patterns of names it reads, None for all names.

    `left_out` are names of folders it does not enter, `shown` patterns that let it see hidden
    names where it `skips_hidden`. With `links` it follows them, with `enters_git` it does not pass
    by a repository's own folder.
    """

    only: tuple[str, ...] | None = None
    left_out: frozenset[str] = frozenset()
    skips_hidden: bool = False
    shown: list[str] = field(default_factory=list)
    links: bool = False
    enters_git: bool = False

    def reads(self, name: str) -> bool:
        """False only for a file that is surely not opened."""
        if self.only is not None and not any(_may_match(one, name) for one in self.only):
            return False
        return not self.passes_hidden(name)

    def passes_hidden(self, name: str) -> bool:
        """True for a hidden file or folder that is surely left out."""
        if not self.skips_hidden or not name.startswith("."):
            return False
        return not any(_may_match(pattern, name) for pattern in self.shown)

    def enters_repository(self, name: str) -> bool:
        """True if it may read what lies in a folder like `.git`."""
        if not self.enters_git or self.passes_hidden(name):
            return False
        return self.only is None or not all(_is_ending(pattern) for pattern in self.only)


def search_of(name: str, given: Sequence[tuple[str, str]]) -> Search:
    """The search that grep, rg or diff makes with these (option, value)s, in their order."""
    if name == "diff":
        return Search(links=True)
    if name == "rg":
        wanted = [value for option, value in given if option in ("g", "glob", "iglob")]
        wanted = [pattern for pattern in wanted if not pattern.startswith("!")]
        # A pattern of its own shows hidden names too; what matches none is not read.
        shown = [part for pattern in wanted for part in pattern.split("/")]
        last = tuple(pattern.rstrip("/").rpartition("/")[2] for pattern in wanted)
        return Search(last or None, skips_hidden=True, shown=shown, enters_git=True)
    names = [(option, value) for option, value in given if option in ("include", "exclude")]
    only = None
    if names and names[0][0] == "include":
        # After an --exclude a name that matches nothing would be read.
        only = tuple(value for option, value in names if option == "include")
    left_out = frozenset(value for option, value in given if option == "exclude-dir")
    return Search(only, left_out, enters_git=True)


def guarded_below(top: Path, word: str, search: Search, root: Path, own: Sequence[str]) -> str:
    """Why what lies below the real folder `top` may not be searched unasked, "" if it may.

    `root` is the project, `own` are real folders of the app. Raises OSError where it cannot look.
    """
    if search.skips_hidden:
        for above in (top, *top.parents):
            _note_shown(str(above), _IGNORE_FILES, search)
            _note_shown(str(above / ".git" / "info"), _OWN_IGNORE_FILE, search)
    count = 0
    todo = [(str(top), top.relative_to(root).parts)]
    while todo:
        folder, parts = todo.pop()
        with os.scandir(folder) as found:
            entries = list(found)
        count += len(entries)
        if count > _MOST_ENTRIES:
            return f"{word} is too large to make sure that no secret lies in it"
        if search.skips_hidden and folder != str(top):
            names = {entry.name for entry in entries}
            _note_shown(folder, _IGNORE_FILES & names, search)
            if ".git" in names:
                _note_shown(os.path.join(folder, ".git", "info"), _OWN_IGNORE_FILE, search)
        for entry in entries:
            reason = _guarded(entry, (*parts, entry.name), word, search, own)
            if reason:
                return reason
            if entry.is_dir(follow_symlinks=False) and not _passed(entry.name, search):
                todo.append((entry.path, (*parts, entry.name)))
    return ""


def _guarded(
    entry: os.DirEntry[str], parts: tuple[str, ...], word: str, search: Search, own: Sequence[str]
) -> str:
    name = entry.name
    folder = entry.is_dir(follow_symlinks=False)
    if folder and name in search.left_out:
        return ""
    if protected.is_repository((name,)):
        # A folder of that name, or the file that stands for one.
        if not search.enters_repository(name):
            return ""
        return (
            f"{name} below {word} is a repository's own folder "
            "(grep leaves it out with --exclude-dir=.git)"
        )
    if folder and entry.path in own:
        return f"{entry.path} belongs to the app itself"
    opened = not search.passes_hidden(name) if folder else search.reads(name)
    if opened and protected.is_secret(parts):
        return f"a file below {word} may hold keys or passwords ({name})"
    if entry.is_symlink():
        return f"a link lies below {word} ({name})" if search.links else ""
    if folder or entry.is_file(follow_symlinks=False):
        return ""
    return f"a pipe or device lies below {word}"


def _passed(name: str, search: Search) -> bool:
    """True for a folder that the search does not enter, or whose names nobody asks for."""
    return name in search.left_out or search.passes_hidden(name) or protected.is_repository((name,))


def _note_shown(folder: str, names: frozenset[str] | set[str], search: Search) -> None:
    """Adds the patterns with which files of ignored names there show what is hidden."""
    for name in names:
        try:
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as opened:
                text = opened.read(_LARGEST_IGNORE_FILE + 1)
        except OSError:
            continue
        if len(text) > _LARGEST_IGNORE_FILE:
            search.shown.append("*")
        for line in text.splitlines():
            if line.strip().startswith("!"):
                search.shown += line.strip()[1:].rstrip("/").split("/")


def _may_match(pattern: str, name: str) -> bool:
    """False only if the pattern surely does not match the name."""
    if not _SIMPLE.match(pattern):
        return pattern != ""
    return fnmatch.fnmatchcase(name.lower(), pattern.lower())


def _is_ending(pattern: str) -> bool:
    found = _ENDING.match(pattern)
    if found is None:
        return False
    ending = found.group(1).lower()
    return ending not in _NO_ENDINGS and not protected.is_secret_name(f"x.{ending}")
