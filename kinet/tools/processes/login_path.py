"""The PATH that a person has in a terminal, for a program that was started from a menu."""

from __future__ import annotations

import os
import secrets
import shutil
import threading
from collections.abc import Mapping
from pathlib import Path

from kinet.tools.processes.environment import child_environment
from kinet.tools.processes.program import run_now

_SECONDS = 5.0
_guard = threading.Lock()
_asked: list[str] = []


def with_login_path(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment with the entries that a login shell adds to PATH, behind its own.

    The shell is asked once. Where Kinet itself was started from a shell, nobody is asked: its PATH
    is the terminal's. Blocks: call it in a thread.
    """
    own = environment.get("PATH", "")
    if os.name == "nt" or "SHLVL" in os.environ:
        return dict(environment)
    with _guard:
        if not _asked:
            _asked.append(login_path())
    known = own.split(os.pathsep)
    more = [
        entry
        for entry in dict.fromkeys(_asked[0].split(os.pathsep))
        if os.path.isabs(entry) and entry not in known
    ]
    return {**environment, "PATH": os.pathsep.join([*known, *more])}


def login_path() -> str:
    """PATH as the person's login shell sets it; "" if it does not say so in time."""
    shell = os.environ.get("SHELL") or shutil.which("sh") or ""
    if not os.path.isabs(shell):
        return ""
    # What start-up files print stands around it.
    mark = secrets.token_hex(8)
    command = [shell, "-l", "-i", "-c", f'printf "%s" "{mark}${{PATH}}{mark}"']
    try:
        done = run_now(
            command, folder=Path.home(), environment=child_environment(), timeout_s=_SECONDS
        )
    except OSError:
        return ""
    parts = done.stdout.decode("utf-8", "replace").split(mark)
    return parts[1] if len(parts) == 3 else ""
