"""Every wire case, through `kinet complete`, each in a process of its own.

Prints {value, limit, pass}: the number of failed cases (limit 0), and how long it took. Exits 1 on
a miss.

    python tests/bench/bench_wire.py
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "wire"))

from wire_processes import ROOT, Processes
from wire_replay import load_cases


async def run() -> int:
    """All cases; the number that failed."""
    cases = load_cases(ROOT / "tests" / "wire" / "cases")
    asked_for = sorted(cases)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as home:
        processes = Processes(cases, Path(home))
        async with processes.server as base_url:
            asked = (processes.problems(id_, base_url) for id_ in asked_for)
            found = await asyncio.gather(*asked, return_exceptions=True)
    told = (item if isinstance(item, list) else [repr(item)] for item in found)
    failed = {id_: problems for id_, problems in zip(asked_for, told, strict=True) if problems}
    for id_, problems in failed.items():
        print(id_, *problems, sep="\n    ")
    shown = {"name": "wire cases through kinet complete, failed", "value": len(failed)}
    print(json.dumps({**shown, "limit": 0, "pass": not failed, "cases": len(asked_for)}))
    print(json.dumps({"name": "seconds", "value": round(time.monotonic() - began, 1)}))
    return len(failed)


if __name__ == "__main__":
    sys.exit(1 if asyncio.run(run()) else 0)
