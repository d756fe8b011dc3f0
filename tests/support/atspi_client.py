"""Reads a running window through AT-SPI and prints it as JSON: role, name and children."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402

SECONDS = 20


def read(thing: Any, depth: int = 0) -> dict[str, Any]:
    """One accessible with what is below it."""
    children = [thing.get_child_at_index(n) for n in range(min(thing.get_child_count(), 200))]
    return {
        "role": thing.get_role_name(),
        "name": thing.get_name(),
        "children": [read(child, depth + 1) for child in children if child and depth < 30],
    }


def find(pid: int) -> Any:
    """The program of this process id, when it has joined the desktop."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        desktop = Atspi.get_desktop(0)
        for number in range(desktop.get_child_count()):
            program = desktop.get_child_at_index(number)
            if program is not None and program.get_process_id() == pid:
                return program
        time.sleep(0.2)
    return None


if __name__ == "__main__":
    found = find(int(sys.argv[1]))
    print(json.dumps(read(found) if found is not None else None), flush=True)
