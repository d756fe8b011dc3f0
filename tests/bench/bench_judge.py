"""The judge of commands on random texts: time of a verdict, and what those judged plain change.

Prints {value, limit, pass}; exits 1 on a miss. Time is processor time of this thread, so that
other work on the machine does not count. Commands run in a box without network and rights only;
where no such box can be made that part is left out and said so.

    python tests/bench/bench_judge.py [TEXTS] [SEED] [COMMANDS]

COMMANDS is how many different plain ones of those are run, 0 for all: the goal is 20,000 (N3).
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kinet.policy.commands import judge_command
from tests.bench.judge_box import (
    box_available,
    clear_where_judged,
    harmful,
    lay_where_judged,
)
from tests.support.shell_texts import long_texts, shell_texts

PROJECT, HOME = Path("/box/project"), Path("/box/home")
CHUNK = 2_000
# Seconds.
SLOW = 0.01


def main() -> int:
    """Runs all three."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 400_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    if box_available():
        lay_where_judged()
    judge_command("ls", PROJECT, HOME)
    times: list[float] = []
    plain: list[str] = []
    for text in shell_texts(seed, count):
        if _timed(text, times) == "allow":
            plain.append(text)
    times.sort()
    p99 = times[int(len(times) * 0.99)] * 1000
    good = _say("verdict p99 ms", round(p99, 3), 2.0, texts=count, seed=seed)
    worst: list[float] = []
    for text in long_texts():
        _timed(text, worst)
    slowest = max(*times, *worst) * 1000
    good = _say("slowest verdict ms, up to 128 kB", round(slowest, 2), 50.0) and good
    unique = sorted(set(plain))
    good = _say("different plain commands are too few by", max(0, 20_000 - len(unique)), 0) and good
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    if most:
        unique = random.Random(seed).sample(unique, min(most, len(unique)))
    if not box_available():
        why = "no box without network and rights can be made here"
        print(json.dumps({"name": "judged plain and changing", "value": None, "why": why}))
        return 0 if good else 1
    print(json.dumps({"different plain commands": len(set(plain))}), flush=True)
    bad: list[str] = []
    for start in range(0, len(unique), CHUNK):
        bad += harmful(unique[start : start + CHUNK])
    good = _say("judged plain and changing something", len(bad), 0, ran=len(unique)) and good
    for text in bad[:20]:
        print(json.dumps(text))
    return 0 if good else 1


def _timed(text: str, times: list[float]) -> str:
    began = time.thread_time()
    verdict = judge_command(text, PROJECT, HOME).verdict
    taken = time.thread_time() - began
    for _ in range(2 if taken > SLOW else 0):
        # Once more: a pause of the machine or of the collector is not the judge's.
        began = time.thread_time()
        judge_command(text, PROJECT, HOME)
        taken = min(taken, time.thread_time() - began)
    times.append(taken)
    return verdict


def _say(name: str, value: float, limit: float, **more: int) -> bool:
    passed = value <= limit
    print(json.dumps({"name": name, "value": value, "limit": limit, "pass": passed, **more}))
    return passed


if __name__ == "__main__":
    try:
        sys.exit(main())
    finally:
        clear_where_judged()
