"""Opens exactly the file that was judged, whatever happens to the names in the meantime."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kinet.core.errors import ToolError
from kinet.policy.gate import grant_for
from kinet.policy.paths import Purpose, is_inside, judge_path
from kinet.policy.visible import visible_line
from kinet.tools.base import Accepted, Arguments, ToolContext

# A folder is held by a descriptor where the system can do that (not on Windows).
_BY_DESCRIPTOR = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_HOLD = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


def project(context: ToolContext) -> Path:
    """The real path of the session's folder. ToolError in a session without one."""
    if context.folder is None:
        raise ToolError(
            "This session has no folder, so there are no files to work on.",
            hint="Ask the person to choose a folder.",
            kind="no-folder",
        )
    return Path(os.path.realpath(context.folder))


def settle(
    tool: str, arguments: Arguments, path: str, purpose: Purpose, context: ToolContext
) -> Path:
    """The real path this call may use now. ToolError where it may not.

    A path that needs a question of its own passes only with the gate's grant for this very call;
    with a grant for other targets nothing passes.
    """
    project(context)
    judgement = judge_path(
        path, purpose, context.folder, data_dir=context.data_dir, readable=context.readable
    )
    if judgement.verdict == "deny":
        rule = judgement.parts[0].rule
        kind = "not-found" if rule == "missing" else "read-only" if rule == "permission" else rule
        raise ToolError(f"{_sentence(judgement.reason)}{_advice(rule)}", kind=kind)
    values = reduced(arguments.model_dump(), context.accepted)
    granted = grant_for(tool, values, judgement.targets) == context.grant
    if context.grant and not granted:
        raise ToolError(
            f"{visible_line(path)} is no longer what was approved: its real place is now "
            f"{visible_line(judgement.targets[0])}. Nothing was done.",
            kind="changed",
        )
    if judgement.verdict == "ask" and not granted:
        raise ToolError(
            f"{_sentence(judgement.reason)} That needs a permission that was not given.",
            kind="permission",
        )
    return Path(judgement.targets[0])


def reduced(values: Mapping[str, Any], accepted: Accepted | None) -> dict[str, Any]:
    """The call as it was approved: its arguments, and which hunks where not all were accepted."""
    if accepted is None:
        return dict(values)
    return {**values, "accepted": [list(accepted.hunks), accepted.shown]}


def relative(path: Path, context: ToolContext) -> str:
    """The path for messages and details: below the folder where it is inside, spelt out."""
    root = project(context)
    inside = is_inside(path, root)
    return visible_line(str(path.relative_to(root)) if inside else str(path))


def digest_of(data: bytes) -> str:
    """The hash by which a stale file is told."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class Place:
    """A name in a folder that is held open: swapping a parent for a link changes nothing."""

    path: Path
    folder: int | None

    def _named(self, name: str) -> str:
        return name if self.folder is not None else str(self.path.with_name(name))

    def open(self, flags: int, mode: int = 0o600, *, name: str = "") -> int:
        """A descriptor of the file, or of `name` beside it; never through a link."""
        named = self._named(name or self.path.name)
        return os.open(named, flags | _NO_LINK | _NO_WAIT, mode, dir_fd=self.folder)

    def status(self) -> os.stat_result | None:
        """What lies there, links not followed; None if nothing does."""
        try:
            named = self._named(self.path.name)
            return os.stat(named, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def take(self, name: str) -> None:
        """Gives the file `name` of the same folder this place's name."""
        if self.folder is None:
            os.replace(self._named(name), self.path)
        else:
            os.replace(name, self.path.name, src_dir_fd=self.folder, dst_dir_fd=self.folder)

    def remove(self, name: str) -> None:
        """Removes the file `name` of the same folder."""
        os.unlink(self._named(name), dir_fd=self.folder)

    def sync(self) -> None:
        """Brings the folder's entries to the disk where the system can do that."""
        if self.folder is None:
            return
        # The change has happened by now, so a folder that cannot be synced is no failed write.
        with suppress(OSError):
            descriptor = os.open(".", os.O_RDONLY | _NO_LINK, dir_fd=self.folder)
            try:
                os.fsync(descriptor)
            finally:
                let_go(descriptor)


@contextmanager
def held(path: Path, root: Path, *, make_parents: bool = False) -> Iterator[Place]:
    """The place of a real path, its folder held. ToolError if a parent is gone or became a link.

    With `make_parents` missing folders are made, and taken away again if the body fails.
    """
    if not _BY_DESCRIPTOR:
        yield from _held_by_name(path, make_parents)
        return
    start = root if is_inside(path, root) else Path(path.anchor)
    made: list[tuple[int, str]] = []
    opened: list[int] = []
    try:
        try:
            opened.append(os.open(start, _HOLD | _NO_LINK))
            for name in path.relative_to(start).parts[:-1]:
                opened.append(_step(opened[-1], name, made if make_parents else None))
        except OSError as exc:
            _unmake(made)
            raise failure("open", path, exc) from exc
        try:
            yield Place(path, opened[-1])
        except BaseException:
            _unmake(made)
            raise
    finally:
        for descriptor in opened:
            let_go(descriptor)


def let_go(descriptor: int) -> None:
    """Closes it. What close says is no news: it is gone, and what was written was synced before."""
    with suppress(OSError):
        os.close(descriptor)


def _held_by_name(path: Path, make_parents: bool) -> Iterator[Place]:
    if make_parents:
        path.parent.mkdir(parents=True, exist_ok=True)
    if Path(os.path.realpath(path.parent)) != path.parent:
        raise ToolError(f"{visible_line(str(path))} has become a link.", kind="changed")
    yield Place(path, None)


def _step(folder: int, name: str, made: list[tuple[int, str]] | None) -> int:
    try:
        return os.open(name, _HOLD | _NO_LINK, dir_fd=folder)
    except FileNotFoundError:
        if made is None:
            raise
    os.mkdir(name, dir_fd=folder)
    made.append((folder, name))
    return os.open(name, _HOLD | _NO_LINK, dir_fd=folder)


def _unmake(made: list[tuple[int, str]]) -> None:
    # What somebody has put something into since stays.
    with suppress(OSError):
        for folder, name in reversed(made):
            os.rmdir(name, dir_fd=folder)


def open_regular(place: Place) -> tuple[int, os.stat_result]:
    """A reading descriptor of a regular file and what it is; never waits. ToolError otherwise."""
    try:
        descriptor = place.open(os.O_RDONLY)
    except OSError as exc:
        raise failure("read", place.path, exc) from exc
    try:
        status = os.fstat(descriptor)
    except OSError as exc:
        let_go(descriptor)
        raise failure("read", place.path, exc) from exc
    if not stat.S_ISREG(status.st_mode):
        let_go(descriptor)
        raise ToolError(f"{visible_line(str(place.path))} is not a regular file.", kind="special")
    return descriptor, status


def read_bytes(place: Place, limit: int) -> tuple[bytes, os.stat_result]:
    """All bytes of a regular file. ToolError if there are more than `limit`."""
    descriptor, status = open_regular(place)
    try:
        if status.st_size > limit:
            raise ToolError(
                f"{visible_line(place.path.name)} has {status.st_size:,} bytes; files of up to "
                f"{limit:,} bytes can be changed by this tool.",
                hint="Use a command for it.",
                kind="io",
            )
        pieces: list[bytes] = []
        left = limit + 1
        while left and (piece := os.read(descriptor, min(left, 1 << 20))):
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces), status
    except OSError as exc:
        raise failure("read", place.path, exc) from exc
    finally:
        let_go(descriptor)


def failure(verb: str, path: Path, exc: OSError) -> ToolError:
    """A system's error in words, with the kind that fits."""
    shown = visible_line(str(path))
    match exc.errno:
        case errno.ENOENT:
            return ToolError(f"There is no file {shown}.", kind="not-found")
        case errno.ELOOP:
            return ToolError(f"{shown} has become a link; nothing was done.", kind="changed")
        case errno.ENOTDIR:
            return ToolError(
                f"{shown}: a part of the path is not a folder, or has become a link.",
                kind="changed",
            )
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return ToolError(f"Cannot {verb} {shown}: {exc.strerror}.", kind="read-only")
        case _:
            return ToolError(f"Cannot {verb} {shown}: {exc.strerror or exc}.", kind="io")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _advice(rule: str) -> str:
    return {
        "missing": " Look for it with glob; relative paths begin at the project folder.",
        "folder": " List its files with glob.",
    }.get(rule, "")
