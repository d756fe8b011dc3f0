"""How soon a server sees a stop, and what is left of 500 stopped requests.

Prints {value, limit, pass}: the slowest close in milliseconds (limit 200), and tasks, connections
and files that were left (limit 0). Exits 1 on a miss.

    python tests/bench/bench_stops.py [REQUESTS]
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "providers"))

from aborted_requests import aborted


def main() -> int:
    """Measures and judges."""
    left = asyncio.run(aborted(int(sys.argv[1]) if len(sys.argv) > 1 else 500))
    slowest = round(max(left.seconds) * 1000, 1)
    median = round(statistics.median(left.seconds) * 1000, 2)
    rest = {"tasks": left.tasks, "connections": left.connections, "files": left.files}
    good = [slowest <= 200, not any(rest.values())]
    shown = {"name": "stop seen by the server, ms", "value": slowest, "limit": 200}
    print(json.dumps({**shown, "pass": good[0], "median": median, "requests": len(left.seconds)}))
    shown = {"name": "left of stopped requests", "value": sum(rest.values()), "limit": 0}
    print(json.dumps({**shown, "pass": good[1], "raw": rest}))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
