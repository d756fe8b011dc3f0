"""What a place in a folder holds, as the journal keeps it: kind, mode, and content by hash."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["file", "link", "folder", "other"]


@dataclass(frozen=True, slots=True)
class FileState:
    """One place. `mode` are the permission bits (0 for links), `size` bytes of a file.

    `content` is the SHA-256 of a file's bytes or a link's target. A file whose bytes are not kept
    has "" there, and a `stamp` by which a change can still be told.
    """

    kind: Kind
    mode: int = 0
    size: int = 0
    content: str = ""
    stamp: str = ""

    @property
    def is_kept(self) -> bool:
        """True if the place can be made so again."""
        return self.kind in ("link", "folder") or bool(self.content)

    def to_json(self) -> list[Any]:
        """As short JSON."""
        return [self.kind, self.mode, self.size, self.content, self.stamp]


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one place; None for nothing there. The path is relative to the folder.

    A path outside the folder is absolute. Names that are no text keep their bytes as surrogates.
    """

    path: str
    before: FileState | None
    after: FileState | None

    @property
    def is_folder(self) -> bool:
        """True if nothing but a folder was there, before or after."""
        kinds = {state.kind for state in (self.before, self.after) if state is not None}
        return kinds == {"folder"}

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "path": self.path,
            "before": self.before and self.before.to_json(),
            "after": self.after and self.after.to_json(),
        }


def state_from_json(value: Any) -> FileState | None:
    """The reverse of `FileState.to_json`; ValueError or TypeError for anything else."""
    if value is None:
        return None
    kind, mode, size, content, stamp = value
    if kind not in ("file", "link", "folder", "other"):
        raise ValueError(f"{kind!r} is no kind of place")
    return FileState(kind, int(mode), int(size), str(content), str(stamp))


def change_from_json(value: Mapping[str, Any]) -> Change:
    """The reverse of `Change.to_json`; KeyError, ValueError or TypeError for anything else."""
    before, after = state_from_json(value["before"]), state_from_json(value["after"])
    return Change(str(value["path"]), before, after)


def stamp_of(status: os.stat_result) -> str:
    """By this a change of a file is told without its bytes."""
    return f"{status.st_size}:{status.st_mtime_ns}:{status.st_ino}"


def plain_state(status: os.stat_result, target: str = "") -> FileState:
    """The state of anything whose bytes are not read."""
    mode = stat.S_IMODE(status.st_mode)
    if stat.S_ISLNK(status.st_mode):
        return FileState("link", content=target)
    if stat.S_ISDIR(status.st_mode):
        return FileState("folder", mode)
    if stat.S_ISREG(status.st_mode):
        return FileState("file", mode, status.st_size, stamp=stamp_of(status))
    return FileState("other", mode, stamp=f"{status.st_ino}")
