"""Looks over 10,000 files around a command and takes it back: seconds, and how the loop fares.

Run as `python -m tests.bench.bench_journal`; ends with 1 if the loop ever stood longer than 50 ms.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from kinet.engine.base import JournalCall
from kinet.workspace.journal import Journal
from kinet.workspace.undoing import Undoing

_FILES = 10_000
_LIMIT_S = 0.05


async def _main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "project"
        for number in range(_FILES):
            place = folder / f"d{number % 100}"
            place.mkdir(parents=True, exist_ok=True)
            (place / f"f{number}").write_text(f"line {number}\n" * 50)
        journal = Journal(Path(name) / "home")
        lags: list[float] = []
        idle: list[float] = []
        watch = asyncio.create_task(_watch(idle))
        await asyncio.sleep(2.0)
        watch.cancel()
        watch = asyncio.create_task(_watch(lags))
        times: dict[str, float] = {}
        for round_name in ("first", "second"):
            call = JournalCall("s", round_name, "c", "shell", {"command": "x"}, folder)
            began = time.monotonic()
            ticket = await journal.before(call)
            times[f"{round_name} look"] = time.monotonic() - began
            command = "for f in d1/*; do echo more >> $f; done; rm -r d2; mv d3 e3"
            if round_name == "first":
                await asyncio.to_thread(
                    subprocess.run, ["bash", "-c", command], cwd=folder, check=True
                )
            began = time.monotonic()
            changes = await journal.after(ticket)
            times[f"{round_name} change"] = time.monotonic() - began
        assert not changes.paths
        undoing = Undoing(journal.book(folder), "s")
        began = time.monotonic()
        outcome = await asyncio.to_thread(lambda: undoing.carry_out(undoing.plan("undo", "first")))
        times["undo"] = time.monotonic() - began
        watch.cancel()
    line = {
        "bench": "longest stop of the loop, s",
        "value": round(max(lags), 4),
        "limit": _LIMIT_S,
        "pass": max(lags) <= _LIMIT_S and not outcome.failed,
        "idle": round(max(idle), 4),
        "p99": round(statistics.quantiles(lags, n=100)[98], 4),
        "files": len(outcome.done),
        "seconds": {key: round(value, 3) for key, value in times.items()},
    }
    print(json.dumps(line))
    return 0 if line["pass"] else 1


async def _watch(lags: list[float]) -> None:
    while True:
        began = time.monotonic()
        await asyncio.sleep(0.005)
        lags.append(time.monotonic() - began - 0.005)


if __name__ == "__main__":
    sys.exit(asyncio.run(_main()))
