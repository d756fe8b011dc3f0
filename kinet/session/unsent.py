"""What was typed and not sent lies in files beside the database: it goes for good with its session.

A file is an object with the id of a session for each key. Whoever holds one in memory writes it by
`write`, which leaves out what was removed meanwhile.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from kinet.core.atomic_write import write_bytes
from kinet.core.errors import StoreError

DRAFTS, EDITS = "drafts.json", "edits.json"

_log = logging.getLogger(__name__)
# Sessions are removed in a thread while the window writes what is typed.
_writing = threading.Lock()


def read(path: Path) -> dict[str, Any]:
    """What the file holds; nothing, and a line in the log, where it cannot be read."""
    return _held(path) or {}


def write(path: Path, values: Mapping[str, Any], held: Collection[str]) -> frozenset[str]:
    """Writes `values` but for those of sessions that were removed since the file held `held`.

    The ids of those come back. Raises OSError.
    """
    with _writing:
        # A file that is gone or damaged tells nothing of what was removed.
        now = _held(path) if held else None
        gone = frozenset(held) - now.keys() if now is not None else frozenset()
        kept = {key: value for key, value in values.items() if key not in gone}
        path.parent.mkdir(parents=True, exist_ok=True)
        _put(path, kept)
    return gone


def forget(folder: Path, session_ids: Collection[str]) -> None:
    """Takes the texts of these sessions out of both files. StoreError if that cannot be."""
    for path in (folder / DRAFTS, folder / EDITS):
        with _writing:
            before = read(path)
            kept = {key: value for key, value in before.items() if key not in session_ids}
            if len(kept) == len(before):
                continue
            try:
                _put(path, kept)
            except OSError as exc:
                raise StoreError(
                    f"What was typed and not sent cannot be removed from {path.name}: "
                    f"{exc.strerror or exc}.",
                    hint="The deleted sessions stay in the trash; look at the data folder's rights "
                    "and free space.",
                ) from exc


def _held(path: Path) -> dict[str, Any] | None:
    try:
        raw = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as exc:
        _log.warning("%s could not be read: %s", path.name, exc)
        return None
    return raw if isinstance(raw, dict) else None


def _put(path: Path, values: Mapping[str, Any]) -> None:
    write_bytes(path, json.dumps(values, ensure_ascii=False).encode())
