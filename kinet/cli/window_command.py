"""`kinet` without a command: opens the window."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable

from kinet.local.handover_place import may_be_owned
from kinet.paths import data_dir
from kinet.store.lock import OPENING_NAME, InstanceLock, StoreInUseError

FAILED = 1
_NEEDED = ("PySide6", "qasync", "shiboken6")


def window(options: argparse.Namespace) -> int:
    """Opens the window; returns when it was closed. Where one is open already, that one comes."""
    home = data_dir()
    begun: Callable[[], object] = lambda: None  # noqa: E731
    if options.picture is None and not options.demo and may_be_owned(home):
        from kinet.cli.handed_over import show_first_window

        opening = InstanceLock(home, OPENING_NAME)
        # Another start may be at it: then that one is waited for.
        with contextlib.suppress(StoreInUseError, OSError):
            opening.acquire()
        # The system frees it too, however this start ends.
        begun = opening.release
        if show_first_window(home, options.session):
            return 0
    try:
        from kinet.app import main as open_window
    except ImportError as exc:
        missing = (exc.name or "").partition(".")[0]
        # A missing system library is told without a module name: "libEGL.so.1: cannot open …".
        if missing not in _NEEDED and ".so" not in str(exc) and "DLL" not in str(exc):
            raise
        print(
            f"The window cannot be loaded: {exc}. "
            "Run packaging/bootstrap.py run to set it up; kinet run works without it.",
            file=sys.stderr,
        )
        return FAILED
    return open_window(options, begun)
