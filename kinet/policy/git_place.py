"""Finds the repository a command of git would use, and looks whether it is a plain one."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kinet.policy.paths import is_inside

# Larger ones are not looked through for names: a verdict has to be quick.
_LARGEST_INDEX = 32 * 1024 * 1024
_MOST_NAMES = 20_000
_MOST_ENTRIES = 2_000
# Mode and type of a repository inside this one, as an index notes it.
_LINK_MODE = b"\x00\x00\xe0\x00"
_ENTRY_HEAD = 62
_VERSIONS = (2, 3)
# With these sections names lie in another index, or stand for whole folders.
_PARTIAL = (b"link", b"sdir")
# Files there that git prints from while something is under way.
_UNDER_WAY = ("", "rebase-merge", "rebase-apply", "objects", "objects/info", "info", "remotes",
              "branches", "sequencer")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Repository:
    """`top` holds its files, `own` is its `.git`; both are real paths."""

    top: Path
    own: Path


def find_repository(start: Path, root: Path) -> Repository | str:
    """The one git would find from the real folder `start`, or why it is none to read unasked.

    It has to be a plain one of the project `root`: a folder `.git` with all of its own in it, and
    no link that leads anything of it elsewhere.
    """
    for place in (start, *start.parents):
        own = place / ".git"
        if os.path.lexists(own):
            if not is_inside(place, root):
                return "the repository reaches beyond the project folder"
            return _trouble(own) or Repository(place, own)
        # A folder that looks like the inside of one is taken for one.
        if os.path.lexists(place / "HEAD") and os.path.lexists(place / "objects"):
            return f"{place.name} may be a repository without files of its own"
    return "there is no repository here"


def _trouble(own: Path) -> str:
    status = os.lstat(own)
    if stat.S_ISLNK(status.st_mode) or not stat.S_ISDIR(status.st_mode):
        return "the repository's .git is no folder of its own (a work tree, a submodule or a link)"
    for name, kind in (("HEAD", stat.S_ISREG), ("objects", stat.S_ISDIR), ("refs", stat.S_ISDIR)):
        if not os.path.lexists(own / name) or not kind(os.lstat(own / name).st_mode):
            return f"the repository's .git/{name} is missing or a link"
    for name in ("commondir", "config.worktree", "objects/info/alternates"):
        if os.path.lexists(own / name):
            return f"the repository uses what lies elsewhere (.git/{name})"
    for name in _UNDER_WAY:
        if linked := _linked(own / name):
            return f"a link lies in the repository's .git ({linked})"
    return ""


def _linked(folder: Path) -> str:
    """The name of a link or of anything but files and folders there, "" for none."""
    try:
        with os.scandir(folder) as entries:
            for count, entry in enumerate(entries):
                plain = entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False)
                if not plain or count > _MOST_ENTRIES:
                    return entry.name
    except (FileNotFoundError, NotADirectoryError):
        return ""
    return ""


@dataclass(frozen=True, slots=True)
class Index:
    """What git's index says. `trouble` is why it was not read, "" else."""

    trouble: str = ""
    content: bytes = b""

    @property
    def may_hold_repositories(self) -> bool:
        """False only if there surely is no submodule."""
        return _LINK_MODE in self.content

    def names(self) -> Iterator[str]:
        """The name of each file in it, seen from the top. ValueError where they cannot be told."""
        data = self.content
        if not data:
            return
        version, count = (int.from_bytes(data[at : at + 4], "big") for at in (4, 8))
        if data[:4] != b"DIRC" or version not in _VERSIONS:
            raise ValueError("its index is of a kind that is not read here")
        if count > _MOST_NAMES:
            raise ValueError("it holds too many files to make sure that no secret is among them")
        at = 12
        for _ in range(count):
            flags = int.from_bytes(data[at + 60 : at + 62], "big")
            begin = at + _ENTRY_HEAD + (2 if flags & 0x4000 else 0)
            end = data.index(b"\0", begin)
            yield os.fsdecode(data[begin:end])
            # Entries are filled up to a multiple of eight, with one byte at least.
            at += ((end - at) // 8 + 1) * 8
        # A checksum of 20 bytes ends it; before that come sections of a name and a length.
        while at < len(data) - 20:
            if data[at : at + 4] in _PARTIAL:
                raise ValueError("its index is only a part of it")
            at += 8 + int.from_bytes(data[at + 4 : at + 8], "big")


def read_index(own: Path) -> Index:
    """The index of a repository; one that is missing is empty."""
    try:
        status = os.lstat(own / "index")
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_INDEX:
            return Index("its index is not a plain file of usual size")
        return Index("", (own / "index").read_bytes())
    except FileNotFoundError:
        return Index()
    except OSError as exc:
        return Index(f"its index cannot be read ({exc.strerror or exc})")
