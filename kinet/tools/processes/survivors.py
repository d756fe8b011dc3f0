"""The commands whose processes live on after their call: listed, and ended with the session."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kinet.tools.processes.process import RunningCommand


@dataclass(frozen=True, slots=True)
class Survivor:
    """What one call left behind. `processes` are {"pid", "name"} as they were at its end."""

    session_id: str
    call_id: str
    command: str
    processes: tuple[Mapping[str, Any], ...]
    running: RunningCommand


_guard = threading.Lock()
_survivors: list[Survivor] = []


def keep(survivor: Survivor) -> None:
    """Notes a call whose processes go on."""
    with _guard:
        _survivors[:] = [known for known in _survivors if not known.running.finished.is_set()]
        _survivors.append(survivor)


def listed(session_id: str | None = None) -> tuple[Survivor, ...]:
    """Those that still run, of one session or of all."""
    with _guard:
        return tuple(
            known
            for known in _survivors
            if session_id in (None, known.session_id) and not known.running.finished.is_set()
        )


def end_all(session_id: str | None = None, *, seconds: float = 2.0) -> None:
    """Ends them, of one session or of all, and waits up to `seconds` for each."""
    found = listed(session_id)
    for survivor in found:
        survivor.running.stop()
    for survivor in found:
        survivor.running.finished.wait(seconds)
