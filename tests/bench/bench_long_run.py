"""A run of 200 steps through the whole program: time per step and memory do not grow.

Prints {value, limit, pass} for each protocol: processor time of a step, 30 % of the steps at the
end to 30 % near the beginning (limit 1.1), and resident memory, end to step 20 (limit 1.1). Exits 1
on a miss.

    python tests/bench/bench_long_run.py [STEPS]
"""

from __future__ import annotations

import asyncio
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from kinet.core.events import StepStarted
from kinet.runtime import create_runtime
from tests.bench.calling_server import served

PROTOCOLS = ("openai", "anthropic", "responses")
LIMIT = 1.1


def resident() -> int:
    """Kilobytes of this process that lie in memory now."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


async def run(protocol: str, steps: int, home: Path) -> tuple[list[float], list[int]]:
    """Seconds of processor time and kilobytes of memory at the beginning of each step.

    All threads of the program count; the server, which reads ever longer requests, has a process
    of its own. It keeps its connection, as those of vendors do.
    """
    folder = home / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("line\n" * 40)
    times: list[float] = []
    memory: list[int] = []
    with served(steps, "read_file") as root:
        url = root if protocol == "anthropic" else f"{root}/v1"
        # A model whose price is ours: nothing is read beside the first steps.
        runtime = create_runtime(
            home / "home", base_url=url, protocol=protocol, model="gpt-5", cwd=folder
        )
        runtime.preload()
        runtime.build()
        async for event in runtime.open_session().send("Read it all."):
            if isinstance(event, StepStarted):
                times.append(time.process_time())
                memory.append(resident())
        await runtime.close()
    assert len(times) == steps + 1, f"{len(times)} steps"
    return times, memory


def one(protocol: str, steps: int) -> None:
    """Measures one run, for a process of its own; prints [time ratio, memory ratio, seconds]."""
    with tempfile.TemporaryDirectory() as folder:
        times, memory = asyncio.run(run(protocol, steps, Path(folder)))
    took = [after - before for before, after in itertools.pairwise(times)]
    tenth = steps // 10
    # Sums over many steps: some systems count processor time in ticks of 10 ms.
    part = 3 * tenth
    early, late = sum(took[tenth : tenth + part]) / part, sum(took[-part:]) / part
    print(json.dumps([late / early, memory[-1] / memory[tenth], early, late, len(times)]))


def main(steps: int) -> int:
    """Each protocol three times; the median counts."""
    good = True
    for protocol in PROTOCOLS:
        command = [sys.executable, __file__, str(steps), protocol]
        raw = [json.loads(subprocess.check_output(command)) for _ in range(3)]
        for place, name in enumerate(("time of a step", "memory")):
            values = [item[place] for item in raw]
            value = statistics.median(values)
            good = good and value <= LIMIT
            shown = {"name": f"{protocol}: {name}, end to beginning", "value": round(value, 3)}
            rest = {"limit": LIMIT, "pass": value <= LIMIT, "raw": [round(v, 3) for v in values]}
            print(json.dumps({**shown, **rest, "ms": round(raw[0][3] * 1000, 2)}), flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    words = sys.argv[1:]
    if len(words) > 1:
        one(words[1], int(words[0]))
        sys.exit(0)
    sys.exit(main(int(words[0]) if words else 200))
