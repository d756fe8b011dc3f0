"""A program that runs one command as the shell tool does, to be killed: FOLDER COMMAND.

The end of its standard input, where that is a pipe, is the order to stop.
"""

from __future__ import annotations

import os
import stat
import sys
import threading
from pathlib import Path

from kinet.tools.processes.environment import child_environment
from kinet.tools.processes.process import RunningCommand


def _stop_when_told(running: RunningCommand) -> None:
    os.read(0, 1)
    running.stop()


if __name__ == "__main__":
    running = RunningCommand(
        ["/bin/bash", "--noprofile", "--norc", "-c", sys.argv[2]],
        folder=Path(sys.argv[1]),
        environment=child_environment(),
        timeout_s=600,
    )
    running.start()
    print("started", flush=True)
    if stat.S_ISFIFO(os.fstat(0).st_mode):
        threading.Thread(target=_stop_when_told, args=(running,), daemon=True).start()
    running.finished.wait()
