"""Where the holder of a data folder says how to reach it; cheap to look at before a start."""

from __future__ import annotations

from pathlib import Path

# The port and a token, for this person's eyes alone.
ADDRESS_FILE = "owner.json"


def may_be_owned(home: Path) -> bool:
    """True if a window may be listening."""
    return (home / ADDRESS_FILE).exists()
