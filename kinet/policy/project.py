"""Where a project begins, and the folders from there down to the one that is worked on."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from kinet.core.errors import SettingsError
from kinet.policy.stand_ins import is_stand_in

_NEVER_FROM = frozenset({"node_modules", ".git"})


def project_root(folder: Path) -> Path:
    """The nearest folder with `.git` at or above `folder`; `folder` itself if there is none.

    The home folder and the root of the disk are never taken for a project above a folder.
    """
    folder = Path(os.path.realpath(folder))
    home = Path(os.path.realpath(Path.home()))
    for place in (folder, *folder.parents):
        if place != folder and place in (home, Path(place.anchor)):
            break
        if (place / ".git").exists() and not is_stand_in(place / ".git"):
            return place
    return folder


def way_down(root: Path, folder: Path) -> list[Path]:
    """The folders from `root` to `folder`, both real; it ends before installed dependencies."""
    places = [root]
    for part in folder.relative_to(root).parts:
        if part in _NEVER_FROM:
            break
        places.append(places[-1] / part)
    return places


def check_folder(folder: Path) -> None:
    """SettingsError if a session cannot work on this folder."""
    try:
        with suppress(StopIteration):
            next(folder.iterdir())
    except OSError as exc:
        raise SettingsError(
            f"The folder {folder} cannot be used: {exc.strerror or exc}.",
            hint="Choose a folder that you can read.",
        ) from exc
