"""Finds the repository a command of git would use, and looks whether it is a plain one."""

from __future__ import annotations

import os
import re
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
# Clocks of file systems go in steps of some milliseconds, or of two seconds.
_MOMENT_NS, _LONG_MOMENT_NS = 20_000_000, 2_500_000_000
# With these sections names lie in another index, or stand for whole folders.
_PARTIAL = (b"link", b"sdir")
# Where such a section can begin: its name and, in four bytes, how long it is.
_PARTIAL_AT = re.compile(rb"link|sdir")
# How far behind its end an index may be read by git: what is mapped is filled up to a page.
_PAGE = 4096
# Without such a text git takes the folder for none of its own, and goes on to another.
_HEAD = re.compile(rb"ref:\s*refs/[\x21-\x7e\x80-\xff]+\s*\Z|[0-9a-f]{40}\s*\Z")
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
        # A folder that looks like the inside of one is taken for one, also where the rest of it
        # lies elsewhere.
        if os.path.lexists(place / "HEAD") and any(
            os.path.lexists(place / name) for name in ("objects", "commondir")
        ):
            return f"{place.name} may be a repository without files of its own"
    return "there is no repository here"


def _trouble(own: Path) -> str:
    status = os.lstat(own)
    if stat.S_ISLNK(status.st_mode) or not stat.S_ISDIR(status.st_mode):
        return "the repository's .git is no folder of its own (a work tree, a submodule or a link)"
    for name, kind in (("HEAD", stat.S_ISREG), ("objects", stat.S_ISDIR), ("refs", stat.S_ISDIR)):
        if not os.path.lexists(own / name) or not kind(os.lstat(own / name).st_mode):
            return f"the repository's .git/{name} is missing or a link"
    if not _is_entered(own):
        return "git may pass over the repository's .git (its HEAD, or who may enter it)"
    for name in ("commondir", "config.worktree", "objects/info/alternates"):
        if os.path.lexists(own / name):
            return f"the repository uses what lies elsewhere (.git/{name})"
    for folder in (*(own / name for name in _UNDER_WAY), *_work_trees(own)):
        if linked := _linked(folder):
            return f"a link lies in the repository's .git ({linked})"
    return ""


def _is_entered(own: Path) -> bool:
    """False where git may look further up, or take the folder around it for a repository."""
    try:
        head = (own / "HEAD").read_bytes()[:256]
    except OSError:
        return False
    open_to_us = all(os.access(own / name, os.R_OK | os.X_OK) for name in ("", "objects", "refs"))
    return open_to_us and bool(_HEAD.match(head))


def _work_trees(own: Path) -> list[Path]:
    """The folders of linked work trees; git prints what their files say."""
    folder = own / "worktrees"
    try:
        return [folder, *(folder / name for name in os.listdir(folder)[:_MOST_ENTRIES])]
    except OSError:
        return []


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
class IndexFile:
    """One file as the index knows it: its name, seen from the top, and what was noted of it."""

    name: str
    head: bytes
    flags: int

    @property
    def number(self) -> str:
        """That of its contents."""
        return self.head[40:60].hex()

    def is_as_noted(self, top: Path, written_ns: int) -> bool:
        """True only if git takes the file in the tree for unchanged without reading it.

        A file that changed in the moment in which the index was written could look the same; how
        long that moment is the file system says by its clock.
        """
        try:
            status = os.lstat(top / self.name)
        except OSError:
            return False
        noted = [int.from_bytes(self.head[at : at + 4], "big") for at in range(0, 40, 4)]
        changed, written = divmod(status.st_ctime_ns, 10**9), divmod(status.st_mtime_ns, 10**9)
        seen = [*changed, *written]
        same = noted[:4] == seen and noted[5] == status.st_ino & 0xFFFFFFFF
        same = same and noted[9] == status.st_size & 0xFFFFFFFF and not self.flags & 0x3000
        exact = changed[1] and written[1]
        margin = _MOMENT_NS if exact else _LONG_MOMENT_NS
        return same and max(status.st_mtime_ns, status.st_ctime_ns) < written_ns - margin


@dataclass(frozen=True, slots=True)
class Index:
    """What git's index says. `trouble` is why it was not read, "" else."""

    trouble: str = ""
    content: bytes = b""
    written_ns: int = 0

    @property
    def may_hold_repositories(self) -> bool:
        """False only if there surely is no submodule."""
        return _LINK_MODE in self.content or self._may_be_partial()

    def _may_be_partial(self) -> bool:
        """True if it may name only some of the files; the same letters in a name do not count."""
        data = self.content
        # A checksum of 20 bytes ends it; sections lead to it, one after the other.
        end = len(data) - 20
        for found in _PARTIAL_AT.finditer(data):
            at = found.start()
            while at <= end - 8:
                at += 8 + int.from_bytes(data[at + 4 : at + 8], "big")
            if end - 8 < at <= end + _PAGE:
                return True
        return False

    def files(self) -> Iterator[IndexFile]:
        """Each file in it. ValueError where they cannot be told."""
        yield from self._read({})

    def folders(self) -> dict[tuple[str, ...], str]:
        """The parts of each folder that is as a commit would have it now, and its number there."""
        sections: dict[bytes, bytes] = {}
        for _ in self._read(sections):
            pass
        data, at = sections.get(b"TREE", b""), 0
        found: dict[tuple[str, ...], str] = {}
        # The folders that lead to the next one, each with how many are still to come in it.
        way: list[tuple[tuple[str, ...], int]] = []
        while at < len(data):
            end = data.index(b"\0", at)
            line = data.index(b"\n", end)
            count, below = (int(word) for word in data[end + 1 : line].split(b" "))
            parts: tuple[str, ...] = ()
            if way:
                above, left = way.pop()
                way.append((above, left - 1))
                parts = (*above, os.fsdecode(data[at:end]))
            at = line + 1
            if count >= 0:
                found[parts] = data[at : at + 20].hex()
                at += 20
            way.append((parts, below))
            while way and not way[-1][1]:
                way.pop()
        return found

    def _read(self, sections: dict[bytes, bytes]) -> Iterator[IndexFile]:
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
            yield IndexFile(os.fsdecode(data[begin:end]), data[at : at + _ENTRY_HEAD], flags)
            # Entries are filled up to a multiple of eight, with one byte at least.
            at += ((end - at) // 8 + 1) * 8
        # A checksum of 20 bytes ends it; before that come sections of a name and a length.
        while at < len(data) - 20:
            if data[at : at + 4] in _PARTIAL:
                raise ValueError("its index is only a part of it")
            size = int.from_bytes(data[at + 4 : at + 8], "big")
            sections[data[at : at + 4]] = data[at + 8 : at + 8 + size]
            at += 8 + size


def read_index(own: Path) -> Index:
    """The index of a repository; one that is missing is empty."""
    try:
        status = os.lstat(own / "index")
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST_INDEX:
            return Index("its index is not a plain file of usual size")
        return Index("", (own / "index").read_bytes(), status.st_mtime_ns)
    except FileNotFoundError:
        return Index()
    except OSError as exc:
        return Index(f"its index cannot be read ({exc.strerror or exc})")
