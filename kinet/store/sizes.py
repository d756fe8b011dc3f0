"""How much room the store takes on the disk, part by part."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from kinet.store import backups, blobs
from kinet.store.database import FILE_NAME
from kinet.store.opening import SIDE_FILES


@dataclass(frozen=True, slots=True)
class StoreSizes:
    """Bytes. `aside` are damaged files that were kept."""

    database: int = 0
    outputs: int = 0
    backups: int = 0
    aside: int = 0


def sizes(home: Path) -> StoreSizes:
    """What the store of a data folder takes now; what cannot be looked at counts as nothing."""
    path = home / FILE_NAME
    return StoreSizes(
        sum(_size(Path(f"{path}{ending}")) for ending in ("", *SIDE_FILES)),
        sum(_size(file) for file in (home / blobs.FOLDER_NAME).glob("??/*")),
        sum(_size(file) for file in backups.backups(path)),
        sum(_size(file) for file in home.glob(f"{path.stem}.damaged-*")),
    )


def _size(path: Path) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
