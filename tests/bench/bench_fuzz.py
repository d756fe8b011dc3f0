"""50,000 damaged streams in all protocols: no fault of ours, no hang, never half a call.

Prints {value, limit, pass}: the number of kinds that failed (limit 0). Exits 1 on a miss.

    python tests/bench/bench_fuzz.py [ROUNDS]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Runs the fuzz of the suite with more rounds."""
    rounds = sys.argv[1] if len(sys.argv) > 1 else "50000"
    began = time.monotonic()
    command = [sys.executable, "-m", "pytest", "tests/providers/test_provider_fuzz.py"]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "KINET_FUZZ": rounds}, capture_output=True, text=True
    )
    if done.returncode:
        print(done.stdout[-4_000:])
    shown = {"name": "damaged streams, kinds that failed", "value": int(bool(done.returncode))}
    print(json.dumps({**shown, "limit": 0, "pass": not done.returncode, "rounds": int(rounds)}))
    print(json.dumps({"name": "seconds", "value": round(time.monotonic() - began, 1)}))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
