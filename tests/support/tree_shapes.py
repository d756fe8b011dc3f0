"""Process trees of many shapes, each a bash command whose processes carry a mark in their names."""

from __future__ import annotations

import itertools
import random
import secrets
from pathlib import Path

# MARK stands for a number that no other process sleeps for.
SHAPES: dict[str, str] = {
    "plain": "sleep MARK",
    "child": "sleep MARK & wait",
    "left child": "sleep MARK & true",
    "left with pipe": "sleep MARK & echo started",
    "left without pipe": "sleep MARK >/dev/null 2>&1 & echo started",
    "pipeline": "sleep MARK | cat | sleep MARK",
    "subshells": "( ( ( sleep MARK ) ) )",
    "chain": 'bash -c \'bash -c "bash -c \\"sleep MARK; true\\"; true"; true\'',
    "wide": "for n in 1 2 3 4 5 6 7 8 9 10; do sleep MARK & done; wait",
    "own session": "setsid sleep MARK",
    "left own session": "setsid sleep MARK & true",
    "double fork": "( setsid bash -c 'sleep MARK & exit' & ) ; sleep MARK",
    "nohup": "nohup sleep MARK >/dev/null 2>&1 & true",
    "disowned": "sleep MARK & disown; true",
    "ignores term": "trap '' TERM HUP INT; sleep MARK; sleep MARK",
    "ignores all it can": "bash -c \"trap '' TERM HUP INT QUIT PIPE USR1; sleep MARK & wait\"",
    "stopped": "sleep MARK & kill -STOP $!; wait",
    "respawning": "while true; do sleep MARK; done",
    "respawning left": "( while true; do sleep MARK; sleep 0.01; done ) & true",
    "forking": "f() { sleep MARK & }; for n in $(seq 30); do f; done; sleep MARK",
    "daemon": (
        "python3 -c 'import os,time\nif os.fork(): os._exit(0)\nos.setsid()\n"
        "if os.fork(): os._exit(0)\nfor n in (0,1,2): os.close(n)\ntime.sleep(MARK)'; sleep MARK"
    ),
    "left daemon": (
        "python3 -c 'import os,time\nif os.fork(): os._exit(0)\nos.setsid()\n"
        "if os.fork(): os._exit(0)\ntime.sleep(MARK)'"
    ),
    "flood": "yes MARK | cat",
    "silent flood": "yes MARK >/dev/null",
    "reads the terminal": "cat /dev/tty; read x; sleep MARK",
    "new group": "set -m; sleep MARK & sleep MARK",
    "orphan of an orphan": "( ( sleep MARK & ) & ) ; true",
    "exec": "exec sleep MARK",
    "kills its runner": "setsid sleep MARK & sleep MARK & kill -9 $PPID; sleep MARK",
    "stops its runner": "setsid sleep MARK & sleep MARK & kill -STOP $PPID; sleep MARK",
}


# Another run of the tests may go on beside this one, and an earlier one may have left something.
_marks = itertools.count(100_000_000 + secrets.randbelow(800_000_000))


def new_mark() -> int:
    """A number that no process carries, neither of this run nor of another."""
    return next(_marks)


def command_of(shape: str, mark: int) -> str:
    """The command of a shape with its mark."""
    return SHAPES[shape].replace("MARK", str(mark))


def joined(chance: random.Random, mark: int) -> str:
    """A tree of several shapes below each other and beside each other."""
    parts = [f"( {command_of(name, mark)} ) &" for name in chance.sample(sorted(SHAPES), 3)]
    return "\n".join([*parts, f"sleep {mark}" if chance.random() < 0.7 else "true"])


def alive(mark: int) -> list[int]:
    """The processes that carry the mark and are no zombies; the runner itself is not counted."""
    found: list[int] = []
    word = str(mark).encode()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            line = (entry / "cmdline").read_bytes()
            if word not in line or b"process_runner" in line or b"tree_owner" in line:
                continue
            state = (entry / "stat").read_bytes().rpartition(b")")[2].split()[0]
        except (OSError, IndexError):
            continue
        if state not in (b"Z", b"X"):
            found.append(int(entry.name))
    return found
