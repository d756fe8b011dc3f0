"""Ends process trees of all shapes in four ways and counts what lives on: 0 of 500 is the limit.

Run as `python -m tests.bench.bench_trees [TREES] [SEED]`; ends with 1 on a miss. The ways: Stop,
the time limit, the end of the session after the command ended, and kill -9 of the program itself.
"""

from __future__ import annotations

import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from kinet.tools.processes.environment import child_environment
from kinet.tools.processes.process import RunningCommand
from tests.support.tree_shapes import SHAPES, alive, command_of, joined

_OWNER = Path(__file__).with_name("tree_owner.py")
_ROOT = Path(__file__).parents[2]
_GRACE = 2.0
_RETURN_LIMIT = 0.5


def main(trees: int, seed: int) -> int:
    """Prints two lines: the survivors, and how long a call waits whose child keeps the pipe."""
    chance = random.Random(seed)
    left: list[str] = []
    marks: dict[int, str] = {}
    ends: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        for number in range(trees):
            mark = 40_000_000 + seed % 1000 * 10_000 + number
            shape = sorted(SHAPES)[number % len(SHAPES)]
            way = ("stop", "limit", "close", "kill")[number // len(SHAPES) % 4]
            command = joined(chance, mark) if number % 5 == 4 else command_of(shape, mark)
            began = _end(way, command, Path(name), chance)
            until = began + _GRACE
            while alive(mark) and time.monotonic() < until:
                time.sleep(0.01)
            ends.append(time.monotonic() - began)
            if found := alive(mark):
                # One that was only just being started is given the rest of its two seconds.
                time.sleep(max(0.0, until - time.monotonic()))
                found = alive(mark)
            marks[mark] = f"{way}: {shape}"
            if found:
                left.append(marks.pop(mark))
                for pid in found:
                    subprocess.run(["kill", "-9", str(pid)], check=False)
        time.sleep(_GRACE)
        left += [f"{words}, later" for mark, words in marks.items() if alive(mark)]
        returns = [_return_time(Path(name), 49_000_000 + n) for n in range(10)]
    gone = {"bench": "survivors 2 s after the end", "trees": trees, "seed": seed,
            "value": len(left), "limit": 0, "pass": not left, "left": left[:10],
            "slowest_s": round(max(ends), 3),
            "median_s": round(statistics.median(ends), 3)}  # fmt: skip
    back = {"bench": "a call whose child keeps the pipe, s", "value": round(max(returns), 3),
            "limit": _RETURN_LIMIT, "pass": max(returns) <= _RETURN_LIMIT,
            "samples": [round(value, 3) for value in returns]}  # fmt: skip
    print(json.dumps(gone))
    print(json.dumps(back))
    return 0 if gone["pass"] and back["pass"] else 1


def _end(way: str, command: str, folder: Path, chance: random.Random) -> float:
    """Starts a tree and ends it; when it was ended, on the monotonic clock."""
    if way == "kill":
        owner = subprocess.Popen(
            [sys.executable, str(_OWNER), str(folder), command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(_ROOT)},
        )
        assert owner.stdout is not None
        owner.stdout.readline()
        time.sleep(chance.uniform(0.05, 0.3))
        owner.send_signal(signal.SIGKILL)
        owner.wait()
        return time.monotonic()
    limit = 0.3 if way == "limit" else 600.0
    running = _started(command, folder, limit)
    if way == "limit":
        running.finished.wait(limit + 0.1)
        began = time.monotonic()
    else:
        time.sleep(chance.uniform(0.0, 0.3))
        began = time.monotonic()
    # A command that ended before its limit leaves what it left to the session's end.
    running.stop()
    running.finished.wait(5)
    return began


def _return_time(folder: Path, mark: int) -> float:
    began = time.monotonic()
    running = _started(f"sleep {mark} & echo started", folder, 600.0)
    ended = running.result.result(20)
    waited = time.monotonic() - began
    running.stop()
    running.finished.wait(5)
    assert ended.output == "started\n"
    return waited


def _started(command: str, folder: Path, limit: float) -> RunningCommand:
    running = RunningCommand(
        ["/bin/bash", "--noprofile", "--norc", "-c", command],
        folder=folder,
        environment=child_environment(),
        timeout_s=limit,
    )
    running.start()
    return running


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    sys.exit(main(numbers[0] if numbers else 500, numbers[1] if len(numbers) > 1 else 1))
