"""10,000 generated files and edits against a byte model: no byte outside the span changes (N15).

The files lie on the disk and go through edit_file itself: endings, encodings, marks, modes, links.
Prints {value, limit, pass}; exits 1 on a miss.

    python tests/bench/bench_edits.py [CASES] [SEED]
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.support.edit_model import run_cases


def main() -> int:
    """Runs all cases and prints how many changed a wrong byte."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    with tempfile.TemporaryDirectory() as name:
        wrong = asyncio.run(run_cases(Path(name), seed, count))
    told = {"name": "edits that changed a wrong byte, mode or link", "value": len(wrong)}
    print(json.dumps({**told, "limit": 0, "pass": not wrong, "cases": count, "seed": seed}))
    for text in wrong[:10]:
        print(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
