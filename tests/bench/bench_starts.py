"""Many programs open one data folder at the same moment: exactly one writes each time (N18).

Real processes wait at a line, open the folder together, and say whether they write; whoever writes
then lets go. Prints {value, limit, pass}; exits 1 on a miss.

    python tests/bench/bench_starts.py [--rounds 100] [--programs 8]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.support.starts import rounds


def main() -> int:
    """Runs it and prints what came of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--programs", type=int, default=8)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        wrong = rounds(options.rounds, options.programs, Path(name))
    ok = not wrong
    print(json.dumps({"value": len(wrong), "limit": 0, "pass": ok, "rounds": options.rounds,
                      "programs": options.programs, "wrong": wrong[:10]}))  # fmt: skip
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
