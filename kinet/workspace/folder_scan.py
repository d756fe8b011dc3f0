"""Looks over a folder and keeps what it holds: what a command changed is told by two looks."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from kinet.policy.stand_ins import is_like_one
from kinet.workspace.content_store import ContentStore
from kinet.workspace.file_state import Change, FileState, plain_state
from kinet.workspace.ignore import Ignoring

Signature = tuple[int, int, int, int, int]
# A file that changed so shortly before a look may change once more without a trace in its times.
_RACY_NS = 50_000_000
_READ = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


@dataclass(frozen=True, slots=True)
class ScanLimits:
    """What is looked at and kept. Sizes in bytes, time in seconds."""

    entries: int = 100_000
    seconds: float = 30.0
    depth: int = 200
    largest_file: int = 20 * 1024 * 1024
    all_files: int = 512 * 1024 * 1024


@dataclass(slots=True)
class Look:
    """What a folder held. `problem` says in words why it is not whole; "" if it is.

    `too_large` where another look would end no better; one that ran out of time is gone on with.
    """

    states: dict[str, FileState] = field(default_factory=dict)
    signatures: dict[str, Signature] = field(default_factory=dict)
    ignoring: Ignoring | None = None
    problem: str = ""
    too_large: bool = False


class FolderScan:
    """One look at `root` (a real path); `known` is an earlier one, from which bytes are reused."""

    def __init__(
        self,
        root: str,
        store: ContentStore,
        *,
        known: Look | None = None,
        same_rules: bool = False,
        skip: str = "",
        limits: ScanLimits | None = None,
    ) -> None:
        """With `same_rules`, what `known` left out stays left out; `skip` is a path left out."""
        self._root, self._store, self._known = root, store, known or Look()
        self._limits = limits or ScanLimits()
        self._skip = skip
        self._look = Look(ignoring=Ignoring(root, self._known.ignoring if same_rules else None))
        self._same_rules = same_rules
        self._room = self._limits.all_files
        self._began_ns = time.time_ns()

    def run(self) -> Look:
        """Looks. Never raises for what is in the folder; OSError where nothing can be kept."""
        look = self._look
        deadline = time.monotonic() + self._limits.seconds
        for path, entry in self._walk():
            self._take(path, entry)
            look.too_large = len(look.states) > self._limits.entries
            if look.too_large or time.monotonic() > deadline:
                look.problem = (
                    f"The folder holds more than can be looked over ({len(look.states):,} entries "
                    "were)"
                )
                return look
        if self._same_rules:
            self._look_again()
        return look

    def _walk(self) -> Iterator[tuple[str, os.stat_result]]:
        assert self._look.ignoring is not None
        leaves_out = self._look.ignoring.leaves_out
        device = os.lstat(self._root).st_dev
        todo = [""]
        while todo:
            folder = todo.pop()
            for entry in _entries(os.path.join(self._root, folder)):
                path = f"{folder}/{entry.name}" if folder else entry.name
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                is_folder = stat.S_ISDIR(status.st_mode)
                if leaves_out(path, is_folder=is_folder) or self._is_skipped(path):
                    continue
                if not folder and is_like_one(path, status):
                    # It stands there for a sandboxed command that runs now.
                    continue
                yield path, status
                # Another disk is not the project's.
                if is_folder and status.st_dev == device and path.count("/") < self._limits.depth:
                    todo.append(path)

    def _is_skipped(self, path: str) -> bool:
        return bool(self._skip) and os.path.join(self._root, path) == self._skip

    def _look_again(self) -> None:
        """What the rules leave out now is not gone: it is still looked at by its name."""
        for path in self._known.states.keys() - self._look.states.keys():
            try:
                status = os.lstat(os.path.join(self._root, path))
            except PermissionError:
                # A folder that was closed hides what is in it; that is no deletion.
                self._look.states[path] = self._known.states[path]
            except OSError:
                continue
            else:
                self._take(path, status)

    def _take(self, path: str, status: os.stat_result) -> None:
        look, known = self._look, self._known
        if not stat.S_ISREG(status.st_mode):
            target = ""
            if stat.S_ISLNK(status.st_mode):
                try:
                    target = os.readlink(os.path.join(self._root, path))
                except OSError:
                    return
            look.states[path] = plain_state(status, target)
            return
        signature = _signature(status)
        state = known.states.get(path) if known.signatures.get(path) == signature else None
        if state is None or (state.content and not self._store.has(state.content)):
            full, state = read_state(
                os.path.join(self._root, path),
                self._store,
                min(self._limits.largest_file, self._room),
            )
            if state is None or full is None:
                state = plain_state(status)
            else:
                signature = _signature(full)
        if state.content:
            self._room -= state.size
        look.states[path] = state
        if max(status.st_mtime_ns, status.st_ctime_ns) < self._began_ns - _RACY_NS:
            look.signatures[path] = signature


def changes_between(before: Look, after: Look) -> list[Change]:
    """What differs, by path."""
    old, new = before.states, after.states
    changed = [path for path in old.keys() | new.keys() if old.get(path) != new.get(path)]
    return [Change(path, old.get(path), new.get(path)) for path in sorted(changed)]


def read_state(
    path: str, store: ContentStore, largest: int, *, durable: bool = False
) -> tuple[os.stat_result | None, FileState | None]:
    """What lies at a path, its bytes kept if there are up to `largest`; None for nothing there.

    OSError if the bytes cannot be kept. A file that cannot be read is told by its stamp.
    """
    try:
        status = os.lstat(path)
        target = os.readlink(path) if stat.S_ISLNK(status.st_mode) else ""
    except (OSError, ValueError):
        return None, None
    if not stat.S_ISREG(status.st_mode) or status.st_size > largest:
        return status, plain_state(status, target)
    try:
        descriptor = os.open(path, _READ)
    except OSError:
        return status, plain_state(status)
    try:
        status = os.fstat(descriptor)
        data = _read(descriptor, largest) if stat.S_ISREG(status.st_mode) else None
    except OSError:
        data = None
    finally:
        os.close(descriptor)
    if data is None:
        return status, plain_state(status)
    digest = store.put(data, durable=durable)
    return status, FileState("file", stat.S_IMODE(status.st_mode), len(data), digest)


def _read(descriptor: int, largest: int) -> bytes | None:
    pieces: list[bytes] = []
    left = largest + 1
    while left > 0 and (piece := os.read(descriptor, min(left, 1 << 20))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces) if left > 0 else None


def _signature(status: os.stat_result) -> Signature:
    return (
        status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_mode,
    )  # fmt: skip


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []
