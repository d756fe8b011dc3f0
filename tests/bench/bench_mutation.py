"""Mutation score of the gate: small faults in its modules, one by one; tests must notice (N21).

Every fault is tried; SAMPLE takes a seeded part of them, MODULES only some modules, and MINUTES
ends the run early, with the score of what was tried, in random order, until then. Faults that
change nothing anybody could see are listed with the reason in `harmless_faults.toml` and do not
count; one listed there that a test notices, or that is no longer there, is told and counts as a
miss. Prints each survivor and {value, limit, pass}; exits 1 below the limit.

    python tests/bench/bench_mutation.py [SAMPLE] [SEED] [MODULE,MODULE…] [MINUTES]
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT), str(ROOT / "tests")]

import pytest  # noqa: E402
from fault_runs import FaultRuns  # noqa: E402
from small_faults import MODULES, Fault, faults  # noqa: E402

LIMIT = 0.9
# All of them run in the process that holds the faulty module, and none has a time limit.
TESTS = (
    "tests/policy", "tests/attacks/test_shell_cases.py", "tests/attacks/test_path_cases.py",
    "tests/net/test_net_secrets.py",
    "--ignore=tests/policy/test_one_gate.py",
)  # fmt: skip


@dataclass
class Score:
    """How many faults were tried, and which were not noticed."""

    tried: dict[str, int] = field(default_factory=dict)
    survived: list[Fault] = field(default_factory=list)
    wrong: int = 0

    def told(self) -> bool:
        """Prints it; True if it is good enough."""
        for module, tried in sorted(self.tried.items()):
            alive = sum(fault.module == module for fault in self.survived)
            print(json.dumps({"module": module, "noticed": tried - alive, "tried": tried}))
        tried = sum(self.tried.values())
        value = round(1 - len(self.survived) / tried, 4) if tried else 0.0
        good = value >= LIMIT and not self.wrong
        told = {"name": "mutation score of the gate", "value": value, "limit": LIMIT}
        print(json.dumps({**told, "pass": good, "tried": tried, "survived": len(self.survived)}))
        return good


def harmless() -> dict[tuple[str, str, str], str]:
    """(module, line of source, fault) to the reason why it changes nothing."""
    listed = tomllib.loads((HERE / "harmless_faults.toml").read_text(encoding="utf-8"))
    return {
        (entry["module"], entry["source"], what): entry["reason"]
        for entry in listed["fault"]
        for what in entry["what"]
    }


def key(fault: Fault) -> tuple[str, str, str]:
    """What a list knows it by: line numbers change too often."""
    return fault.module, fault.source, fault.what


def measured(
    runs: FaultRuns,
    chosen: Iterable[Fault],
    known: dict[tuple[str, str, str], str],
    score: Score,
    minutes: float,
) -> None:
    """Plants each of them."""
    ends = time.monotonic() + minutes * 60
    for fault in chosen:
        if time.monotonic() > ends:
            return
        noticed = runs.noticed(fault)
        listed = key(fault) in known
        if listed and not noticed:
            continue
        if listed:
            print(f"listed as harmless but noticed: {key(fault)}", flush=True)
            score.wrong += 1
        score.tried[fault.module] = score.tried.get(fault.module, 0) + 1
        if not noticed:
            score.survived.append(fault)
            print(
                f"survived: {fault.module}:{fault.line} {fault.what} | {fault.source}", flush=True
            )


def main() -> int:
    """Collects the tests once, then tries every fault."""
    sample = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 21
    modules = sys.argv[3].split(",") if len(sys.argv) > 3 else list(MODULES)
    os.chdir(ROOT)
    every = [fault for module in modules for fault in faults(module)]
    minutes = float(sys.argv[4]) if len(sys.argv) > 4 else 600.0
    chosen = random.Random(seed).sample(every, min(sample or len(every), len(every)))
    known, score = harmless(), Score()
    here = {key(fault) for fault in every}
    for gone in [one for one in known if one[0] in modules and one not in here]:
        print(f"listed as harmless but not there any more: {gone}", flush=True)
        score.wrong += 1
    runs = FaultRuns(modules, lambda runs: measured(runs, chosen, known, score, minutes))
    options = ["-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:qt"]
    pytest.main([*options, "-p", "no:faulthandler", *TESTS], plugins=[runs])
    return 0 if score.told() else 1


if __name__ == "__main__":
    sys.exit(main())
