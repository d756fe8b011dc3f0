"""Keeps what was learnt about a model's tokens over a restart; it is only an estimate."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from kinet.core import atomic_write
from kinet.engine.context.tokens import Calibration


def load_calibration(path: Path) -> Calibration:
    """What the file holds; an empty one where it cannot be read: it is learnt anew."""
    try:
        kept = json.loads(path.read_bytes())
        return Calibration({str(name): float(value) for name, value in kept.items()})
    except (OSError, ValueError, TypeError, AttributeError):
        return Calibration()


def keep_calibration(path: Path, calibration: Calibration) -> None:
    """Writes it if there is something to keep. A failure changes nothing."""
    if learnt := calibration.to_dict():
        with suppress(OSError):
            atomic_write.write_bytes(path, json.dumps(learnt).encode())
