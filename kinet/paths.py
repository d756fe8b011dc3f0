"""Where things lie: the person's data folder and Kinet's own resources."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

HOME_VARIABLE = "KINET_HOME"


def data_dir() -> Path:
    """The folder for settings, sessions and outputs; it may not exist yet.

    KINET_HOME names it; else a folder `data` beside a frozen program makes it portable; else it is
    the platform's place for user data.
    """
    chosen = os.environ.get(HOME_VARIABLE, "").strip()
    if chosen:
        return Path(chosen).expanduser().absolute()
    portable = _portable_dir()
    if portable is not None:
        return portable
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
        return (Path(base) if base else Path.home() / "AppData" / "Local") / "Kinet"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "Kinet"
    base = os.environ.get("XDG_DATA_HOME", "")
    # The XDG rules say that a relative path there is to be ignored.
    root = Path(base) if os.path.isabs(base) else Path.home() / ".local" / "share"
    return root / "kinet"


def resources_dir() -> Path:
    """The folder with prompts, themes, icons and fonts.

    It lies beside the package in a source checkout, inside it in an installed wheel, and where the
    bundle was unpacked in a frozen program.
    """
    package = Path(__file__).resolve().parent
    bundle = getattr(sys, "_MEIPASS", "")
    if bundle:
        return Path(bundle) / "resources"
    inside = package / "_resources"
    if inside.is_dir():
        return inside
    return package.parent / "resources"


def ensure_private_dir(path: Path) -> Path:
    """Makes `path` and its parents, for this person alone (0700). Returns it.

    Raises OSError (its `strerror` says why) if it cannot be made, is not a folder, or cannot be
    written.
    """
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if os.name == "posix" and path.stat().st_mode & 0o077:
        path.chmod(0o700)
    if (refusal := write_refusal(path)) is not None:
        raise refusal
    return path


def write_refusal(folder: Path) -> OSError | None:
    """Why nothing can be written in `folder`, as the system would say it; None if it can."""
    if os.access(folder, os.W_OK | os.X_OK):
        return None
    number = errno.EROFS if _only_read(folder) else errno.EACCES
    return OSError(number, os.strerror(number), str(folder))


def _only_read(folder: Path) -> bool:
    if not hasattr(os, "statvfs"):
        return False
    try:
        return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except OSError:
        return False


def _portable_dir() -> Path | None:
    if not getattr(sys, "frozen", False):
        return None
    beside = Path(sys.executable).resolve().parent / "data"
    return beside if beside.is_dir() else None
