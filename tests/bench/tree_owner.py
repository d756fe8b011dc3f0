"""A program that runs one command as the shell tool does, to be killed: FOLDER COMMAND."""

from __future__ import annotations

import sys
from pathlib import Path

from kinet.tools.processes.environment import child_environment
from kinet.tools.processes.process import RunningCommand

if __name__ == "__main__":
    running = RunningCommand(
        ["/bin/bash", "--noprofile", "--norc", "-c", sys.argv[2]],
        folder=Path(sys.argv[1]),
        environment=child_environment(),
        timeout_s=600,
    )
    running.start()
    print("started", flush=True)
    running.finished.wait()
