"""Judges which paths may be read, searched and written, always by the real path."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from kinet.policy import protected, windows_names
from kinet.policy.verdicts import Judgement, Part, VerdictWord
from kinet.policy.visible import visible_line

Purpose = Literal["read", "search", "write"]

# Devices, processes and kernel switches: never a file for a tool.
_SYSTEM_ROOTS = ("/dev", "/proc", "/sys")
_MAX_PATH = 4_096
_MAX_COMPONENT = 255


def resolve(path: str, folder: Path, home: Path | None = None) -> Path:
    """The real path: links followed, also those above a file that does not exist yet.

    Relative paths begin at `folder`; a leading `~/` is the home folder; nothing else is expanded.
    Raises ValueError for a path with a NUL, OSError where the system cannot tell.
    """
    if path == "~" or path.startswith("~/"):
        path = str(home or Path.home()) + path[1:]
    return Path(os.path.realpath(os.path.join(folder, path)))


def is_inside(path: Path, folder: Path) -> bool:
    """True if `path` is `folder` or lies in it, compared by components. Both have to be real."""
    return path == folder or folder in path.parents


def is_secret_path(path: Path, folder: Path | None = None) -> bool:
    """True for a path whose contents are kept from searches: keys, passwords, `.env`."""
    return protected.is_secret(_own_components(path, folder))


class SecretNames:
    """Tells secret files among many relative paths of one folder, looking at each folder once."""

    def __init__(self) -> None:
        self._folders: dict[str, bool] = {"": False}
        # The same names come again in many folders.
        self._names: dict[str, bool] = {}

    def holds(self, path: str) -> bool:
        """The same as `is_secret_path` for a path relative to the project."""
        folder, _, name = path.rpartition(os.sep)
        known = self._folders.get(folder)
        if known is None:
            # A file of no meaning in that folder is secret only by the folder.
            known = protected.is_secret((*folder.split(os.sep), "x"))
            self._folders[folder] = known
        secret = self._names.get(name)
        if secret is None:
            secret = self._names[name] = protected.is_secret_name(name)
        return known or secret


def judge_path(
    path: str,
    purpose: Purpose,
    folder: Path | None,
    *,
    home: Path | None = None,
    data_dir: Path | None = None,
    readable: Sequence[Path] = (),
) -> Judgement:
    """Judges the real target of `path` for a tool call made in `folder`. Never raises.

    What lies in one of the real folders `readable` may be read as if it lay inside.

    deny: it can or may not be done. ask: a question of its own, never a remembered answer.
    allow: the path adds nothing to the usual rules for such a call.
    """
    if folder is None:
        return _judged(path, "deny", "no-folder", "no folder is open in this session")
    trouble = _malformed(path)
    if trouble:
        return _judged(path, "deny", "malformed", trouble)
    home = home or Path.home()
    try:
        real = resolve(path, folder, home)
        root = Path(os.path.realpath(folder))
        lent = next((place for place in readable if is_inside(real, place)), None)
        if purpose == "read" and lent is not None:
            # There it is judged as in a project: what holds keys asks, and no folder is our own.
            root, data_dir, home = lent, None, lent
        word, rule, reason = _judge_real(real, root, purpose, home, data_dir)
    except (OSError, ValueError) as exc:
        return _judged(path, "deny", "unreadable", f"the path cannot be looked at: {exc}")
    return _judged(path, word, rule, reason, real)


@dataclass(frozen=True, slots=True)
class _Look:
    """What is at a real path."""

    exists: bool
    is_folder: bool = False
    is_file: bool = False


def _judge_real(
    real: Path, root: Path, purpose: Purpose, home: Path, data_dir: Path | None
) -> tuple[VerdictWord, str, str]:
    shown = visible_line(str(real))
    inside = is_inside(real, root)
    components = _own_components(real, root)
    if _is_own(real, home, data_dir):
        return "deny", "app-own-files", f"{shown} belongs to the app itself"
    if any(is_inside(real, Path(system)) for system in _SYSTEM_ROOTS):
        return "deny", "system-files", f"{shown} is a device or a view of the running system"
    if purpose == "write" and protected.is_repository(components):
        return "deny", "repository", f"{shown} is inside a repository's own files (.git)"
    if purpose == "write" and protected.is_disguised(components):
        return "deny", "disguised", f"{shown} is a disguised spelling of a guarded name"
    trouble = _trouble(real, purpose)
    if trouble:
        return "deny", trouble[0], f"{shown} {trouble[1]}"
    if protected.is_secret(components):
        return "ask", "secret", f"{shown} may hold keys or passwords"
    if protected.is_start_up(components) and not inside:
        return "ask", "start-up", f"{shown} is used when the machine or a shell starts"
    if not inside:
        return "ask", "outside", f"{shown} is outside the project folder"
    if protected.is_repository(components):
        return "ask", "repository", f"{shown} is inside a repository's own files (.git)"
    if purpose == "write" and protected.is_always_asked(components):
        return "ask", "instructions", f"{shown} gives orders to an agent or another program"
    return "allow", "inside", f"{shown} is inside the project folder"


def _judged(
    path: str, word: VerdictWord, rule: str, reason: str, real: Path | None = None
) -> Judgement:
    targets = () if real is None else (str(real),)
    shown = visible_line(path)
    return Judgement(word, reason, (Part(shown, word, rule),), targets, memorable=word == "allow")


def _malformed(path: str) -> str:
    if not path.strip():
        return "the path is empty"
    if "\x00" in path:
        return "the path holds a NUL character"
    if len(os.fsencode(path.encode("utf-8", "replace"))) > _MAX_PATH:
        return f"the path is longer than {_MAX_PATH} bytes"
    # Names as os.fsdecode carries them may hold escaped bytes; other lone surrogates are no name.
    if any(0xD800 <= ord(char) <= 0xDFFF and not 0xDC80 <= ord(char) <= 0xDCFF for char in path):
        return "the path holds half a character"
    if any(
        len(part.encode("utf-8", "surrogateescape")) > _MAX_COMPONENT for part in path.split("/")
    ):
        return f"a part of the path is longer than {_MAX_COMPONENT} bytes"
    return windows_names.trouble(path) if os.name == "nt" else ""


def _is_own(real: Path, home: Path, data_dir: Path | None) -> bool:
    name = [protected.folded(part) for part in real.parts]
    for folder in protected.own_folders(home, data_dir):
        own = [protected.folded(part) for part in Path(os.path.realpath(folder)).parts]
        if name[: len(own)] == own:
            return True
    return False


def _own_components(path: Path, folder: Path | None) -> tuple[str, ...]:
    """The parts that count: below the project inside it, all of them elsewhere."""
    if folder is not None and is_inside(path, folder):
        return path.relative_to(folder).parts
    return path.parts[1:] if path.is_absolute() else path.parts


def _trouble(real: Path, purpose: Purpose) -> tuple[str, str] | None:
    """What makes the call impossible, as (rule, words), or None."""
    look = _look(real)
    if look is None:
        return "link-ring", "is a link that leads back to itself"
    if purpose == "write":
        return _write_trouble(real, look)
    if not look.exists:
        return "missing", "does not exist; glob and list_folder show what does"
    if purpose == "search" and look.is_folder:
        return None
    if look.is_folder:
        return "folder", "is a folder, not a file"
    if not look.is_file:
        return "special", "is not a regular file (a pipe, a socket or a device)"
    if not os.access(real, os.R_OK):
        return "permission", "may not be read by this user"
    return None


def _write_trouble(real: Path, look: _Look) -> tuple[str, str] | None:
    if look.is_folder:
        return "folder", "is a folder, not a file"
    if look.exists and not look.is_file:
        return "special", "is not a regular file (a pipe, a socket or a device)"
    if look.exists:
        return None
    parent = real.parent
    while not (above := _look(parent) or _Look(True)).exists:
        parent = parent.parent
    if not above.is_folder:
        return "into-a-file", f"cannot be made: {visible_line(str(parent))} is a file"
    if not os.access(parent, os.W_OK | os.X_OK):
        return "permission", f"cannot be made: {visible_line(str(parent))} is read-only"
    return None


def _look(path: Path) -> _Look | None:
    """What is there; None if a real path still has a link in it, which only a ring can."""
    try:
        mode = os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return _Look(False)
    except OSError as exc:
        if exc.errno == errno.ELOOP:
            return None
        raise
    if stat.S_ISLNK(mode):
        return None
    return _Look(True, stat.S_ISDIR(mode), stat.S_ISREG(mode))
