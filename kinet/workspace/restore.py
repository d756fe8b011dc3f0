"""Puts places of a folder back as they were: bytes, modes, links, and nothing beside them."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from kinet.core.atomic_write import write_all
from kinet.core.errors import ToolError
from kinet.tools.files.file_access import Place, held
from kinet.workspace.content_store import ContentStore
from kinet.workspace.file_state import FileState

_OWN = stat.S_IRWXU
_SYNCED_ONE_BY_ONE = 64


@dataclass(frozen=True, slots=True)
class Move:
    """One place that is to become `wanted`; it holds `current` now."""

    path: str
    current: FileState | None
    wanted: FileState | None


class Restoring:
    """Carries out moves below `root`. `look` gives what a place holds at the moment."""

    def __init__(
        self, root: Path, store: ContentStore, look: Callable[[str], FileState | None]
    ) -> None:
        self._root, self._store, self._look = root, store, look
        self.failed: dict[str, str] = {}
        # Folders in which something lies that is not the turn's; they stay, and that is no failure.
        self._staying: set[str] = set()
        self._each = True

    def run(self, moves: Iterable[Move]) -> list[str]:
        """The paths that now are as wanted; `failed` says why the others are not."""
        todo = sorted(moves, key=lambda move: move.path)
        # Very many files are brought to the disk together: one by one it takes minutes.
        self._each = len(todo) <= _SYNCED_ONE_BY_ONE
        for move in todo:
            if _is_folder(move.current) and _is_folder(move.wanted):
                self._try(move, self._open_up)
        for move in reversed(todo):
            if move.current is not None and _kind(move.current) != _kind(move.wanted):
                self._try(move, self._remove)
        for move in todo:
            if _is_folder(move.wanted) and not _is_folder(move.current):
                self._try(move, self._make_folder)
        for move in todo:
            if move.wanted is not None and not _is_folder(move.wanted):
                self._try(move, self._make)
        for move in reversed(todo):
            if _is_folder(move.wanted):
                self._try(move, self._set_mode)
        if not self._each and hasattr(os, "sync"):
            os.sync()
        left = self.failed.keys() | self._staying
        return [move.path for move in todo if move.path not in left]

    def _try(self, move: Move, act: Callable[[Move, Place], None]) -> None:
        if move.path in self.failed:
            return
        real = Path(os.path.join(self._root, move.path))
        try:
            with held(real, self._root, make_parents=move.wanted is not None) as place:
                act(move, place)
        except ToolError as exc:
            self.failed[move.path] = exc.message
        except OSError as exc:
            self.failed[move.path] = f"{exc.strerror or exc}"

    def _check(self, move: Move) -> None:
        """It must be what was planned for: somebody may have been faster."""
        if self._look(move.path) != move.current:
            raise OSError(None, "it was changed at this very moment")

    def _open_up(self, move: Move, place: Place) -> None:
        """What lies in a folder that was closed can only be put back with the folder open."""
        assert move.wanted is not None
        os.chmod(_name(place), move.wanted.mode | _OWN, dir_fd=place.folder)

    def _remove(self, move: Move, place: Place) -> None:
        if _is_folder(move.current):
            try:
                os.rmdir(_name(place), dir_fd=place.folder)
            except OSError as exc:
                if exc.errno not in (errno.ENOTEMPTY, errno.EEXIST) or move.wanted is not None:
                    raise
                self._staying.add(move.path)
        else:
            self._check(move)
            os.unlink(_name(place), dir_fd=place.folder)

    def _make_folder(self, move: Move, place: Place) -> None:
        status = place.status()
        if status is None or not stat.S_ISDIR(status.st_mode):
            os.mkdir(_name(place), _OWN, dir_fd=place.folder)

    def _set_mode(self, move: Move, place: Place) -> None:
        assert move.wanted is not None
        os.chmod(_name(place), move.wanted.mode, dir_fd=place.folder)

    def _make(self, move: Move, place: Place) -> None:
        current, wanted = move.current, move.wanted
        assert wanted is not None
        if _kind(current) == _kind(wanted):
            if self._look(move.path) == wanted:
                # Another name of the same file was put back before.
                return
            self._check(move)
        elif place.status() is not None:
            raise OSError(None, "something else lies there now")
        if wanted.kind == "link":
            self._link(wanted.content, place)
        elif current is not None and current.kind == "file" and current.content == wanted.content:
            os.chmod(_name(place), wanted.mode, dir_fd=place.folder)
        else:
            self._file(wanted, place)

    def _link(self, target: str, place: Place) -> None:
        name = _temporary(place)
        os.symlink(target, _beside(place, name), dir_fd=place.folder)
        _take(place, name, sync=self._each)

    def _file(self, wanted: FileState, place: Place) -> None:
        data = self._store.get(wanted.content)
        if data is None:
            raise OSError(None, "its content is no longer kept")
        status = place.status()
        if status is not None and status.st_nlink > 1:
            # A hard link stays one: its other names are the same file.
            self._in_place(data, wanted, place)
            return
        name = _temporary(place)
        descriptor = place.open(os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, name=name)
        try:
            _write(descriptor, data, wanted.mode, sync=self._each)
        except BaseException:
            with contextlib.suppress(OSError):
                place.remove(name)
            raise
        _take(place, name, sync=self._each)

    def _in_place(self, data: bytes, wanted: FileState, place: Place) -> None:
        os.chmod(_name(place), wanted.mode | stat.S_IWUSR, dir_fd=place.folder)
        _write(place.open(os.O_WRONLY), data, wanted.mode)


def _write(descriptor: int, data: bytes, mode: int, *, sync: bool = True) -> None:
    try:
        write_all(descriptor, data)
        os.ftruncate(descriptor, len(data))
        if hasattr(os, "fchmod"):
            os.fchmod(descriptor, mode)
        if sync:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _take(place: Place, name: str, *, sync: bool) -> None:
    try:
        place.take(name)
    except BaseException:
        with contextlib.suppress(OSError):
            place.remove(name)
        raise
    if sync:
        place.sync()


def _kind(state: FileState | None) -> str:
    return "" if state is None else state.kind


def _is_folder(state: FileState | None) -> bool:
    return state is not None and state.kind == "folder"


def _temporary(place: Place) -> str:
    return f".{place.path.name[:60]}.{secrets.token_hex(6)}.new"


def _name(place: Place) -> str:
    return place.path.name if place.folder is not None else str(place.path)


def _beside(place: Place, name: str) -> str:
    return name if place.folder is not None else str(place.path.with_name(name))
