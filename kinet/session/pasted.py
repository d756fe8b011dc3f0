"""Pictures that were pasted lie in files beside the database, as long as something names them."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from kinet.core.errors import StoreError
from kinet.session.unsent import DRAFTS, EDITS

if TYPE_CHECKING:
    from kinet.store.queued import QueueStore

FOLDER = "pasted"
# Seconds: what was pasted just now is in no draft yet.
_YOUNG = 3_600.0


def forget_beside(home: Path, queued: QueueStore) -> None:
    """`forget_unused` in a thread, where there is anything to look at."""
    if (home / FOLDER).is_dir():
        threading.Thread(
            target=forget_unused, args=(home, queued), name="forget pictures", daemon=True
        ).start()


def forget_unused(home: Path, queued: QueueStore) -> None:
    """Deletes the pictures that no draft, edit or waiting message names. Blocks; never raises.

    A message that waits may not have been read before the program died: its file is all there is.
    """
    with contextlib.suppress(OSError, StoreError):
        unsent = "".join(_texts(home))
        for path in sorted((home / FOLDER).iterdir()):
            is_old = time.time() - path.stat().st_mtime > _YOUNG
            # The name is made of the content: it stands for nothing else.
            if is_old and path.name not in unsent and not queued.names(path.name):
                path.unlink(missing_ok=True)


def _texts(home: Path) -> Iterator[str]:
    for name in (DRAFTS, EDITS):
        with contextlib.suppress(FileNotFoundError):
            yield (home / name).read_text("utf-8", "replace")
