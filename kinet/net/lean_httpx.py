"""Keeps httpx from importing its own command line, which nothing here uses."""

from __future__ import annotations

import sys
from types import ModuleType

_COMMANDS = "httpx._main"


def leave_out_commands() -> None:
    """Before the first `import httpx`: saves some megabytes and a tenth of a second of the start.

    httpx imports a terminal program (click, rich, pygments) wherever those are installed.
    """
    if "httpx" in sys.modules or _COMMANDS in sys.modules:
        return
    stand_in = ModuleType(_COMMANDS)
    stand_in.main = _no_commands  # type: ignore[attr-defined]
    sys.modules[_COMMANDS] = stand_in


def _no_commands() -> None:
    raise SystemExit("httpx has no command line inside Kinet.")
