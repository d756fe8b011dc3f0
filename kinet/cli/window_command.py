"""`kinet` without a command: opens the window."""

from __future__ import annotations

import argparse
import sys

FAILED = 1


def window(options: argparse.Namespace) -> int:
    """Opens the window; returns when it was closed."""
    try:
        from kinet.app import main as open_window
    except ImportError as exc:
        if (exc.name or "").partition(".")[0] not in ("PySide6", "qasync", "shiboken6"):
            raise
        print(
            f"The window needs {exc.name}, which cannot be loaded ({exc}). "
            "Run packaging/bootstrap.py run to set it up; kinet run works without it.",
            file=sys.stderr,
        )
        return FAILED
    return open_window(options)
