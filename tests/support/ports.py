"""Ports of this computer for servers that a test starts."""

from __future__ import annotations

import socket
import time


def free_port() -> int:
    """One that nobody has just now."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return int(place.getsockname()[1])


def wait_for(port: int) -> None:
    """Returns when somebody listens there."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        with socket.socket() as place:
            if place.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("the server did not start")
