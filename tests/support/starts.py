"""Programs that open one data folder at the same moment, and say which of them writes."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys, time
from pathlib import Path
from kinet.core.errors import StoreError
from kinet.store.database import Database
from kinet.store.lock import StoreInUseError

for line in sys.stdin:
    path, at = line.rstrip("\\n").split("\\t")
    while time.time() < float(at):
        pass
    held = None
    try:
        held = Database(Path(path))
        print("writes", flush=True)
    except StoreInUseError:
        print("refused", flush=True)
    except StoreError as exc:
        print("error " + exc.message, flush=True)
    sys.stdin.readline()
    if held is not None:
        held.close()
    print("gone", flush=True)
"""


def rounds(count: int, programs: int, home: Path) -> list[list[str]]:
    """What the programs said in each round that went wrong."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM], cwd=ROOT, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )
        for _ in range(programs)
    ]  # fmt: skip
    wrong = []
    try:
        for number in range(count):
            # Every other time the folder is new: it is made at the same moment too.
            path = home / str(number // 2) / "kinet.db"
            said = _round(running, path)
            if sorted(said) != ["refused"] * (programs - 1) + ["writes"]:
                wrong.append(said)
    finally:
        for program in running:
            program.communicate()
    return wrong


def _round(running: list[subprocess.Popen[str]], path: Path) -> list[str]:
    at = time.time() + 0.03
    for program in running:
        assert program.stdin is not None
        program.stdin.write(f"{path}\t{at}\n")
        program.stdin.flush()
    said = [_line(program) for program in running]
    for program in running:
        assert program.stdin is not None
        program.stdin.write("\n")
        program.stdin.flush()
    for program in running:
        _line(program)
    return said


def _line(program: subprocess.Popen[str]) -> str:
    assert program.stdout is not None
    return program.stdout.readline().strip()
