"""T1, T2 and the idle half of T17 as ratios: the whole window against an empty QMainWindow.

Prints one JSON object a line: {"name", "value", "limit", "pass", "raw"}; exits 1 on a miss. The
starts are interleaved, so that whatever else the machine does weighs on both alike.

    python tests/bench/bench_startup.py [ROUNDS]
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

CHILD = Path(__file__).with_name("startup_child.py")
ROOT = Path(__file__).resolve().parents[2]


def start(*words: str) -> dict[str, Any]:
    """One start; stamps are seconds since the process was asked for."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    began = time.monotonic()
    ran = subprocess.run(
        [sys.executable, str(CHILD), *words],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
        check=True,
    )
    stamps: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    for name in ("python", "paint", "loop", "ready"):
        if name in stamps:
            stamps[name] -= began
    return stamps


def report(name: str, value: float, limit: float, raw: Any) -> bool:
    """Prints one line; True if the limit was kept."""
    good = value <= limit
    line = {"name": name, "value": round(value, 3), "limit": limit, "pass": good, "raw": raw}
    print(json.dumps(line), flush=True)
    return good


def main() -> int:
    """Measures and judges."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    bare: list[dict[str, Any]] = []
    kinet: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as home:
        start("bare")
        start("kinet", home)
        for _ in range(rounds):
            bare.append(start("bare"))
            kinet.append(start("kinet", home))
        floor, staying = start("bare", "stay"), start("kinet", home, "stay")

    def middle(runs: list[dict[str, Any]], name: str) -> float:
        return statistics.median(run[name] for run in runs)

    def raw(name: str) -> dict[str, list[float]]:
        return {
            "bare": [round(run["paint"], 3) for run in bare],
            "kinet": [round(run[name], 3) for run in kinet],
        }

    floor_paint = middle(bare, "paint")
    early = sorted({name for run in kinet for name in run["early"]})
    turns = [round(run["worst_turn_ms"], 1) for run in kinet]
    # With the first key comes what a first message needs.
    used = [round(run["worst_warm_turn_ms"], 1) for run in kinet]
    memory = [round(floor["memory_mb"]), round(staying["memory_mb"])]
    results = [
        report("T1 first paint / bare", middle(kinet, "paint") / floor_paint, 1.5, raw("paint")),
        report("T1 loop turning / bare", middle(kinet, "loop") / floor_paint, 2.0, raw("loop")),
        report("T2 heavy modules at first paint", len(early), 0, early),
        report("T2 longest turn, ms", statistics.median(turns), 50, turns),
        report("T2 longest turn after the first key, ms", statistics.median(used), 50, used),
        report("T17 idle CPU, %", staying["idle_cpu_percent"], 0.5, []),
        report("T17 memory / bare", memory[1] / memory[0], 2.2, memory),
    ]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
