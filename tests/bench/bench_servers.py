"""Tool servers: how soon one is ready, what a call and a stop take, what the loop feels of them.

Prints {value, limit, pass} for each; exits 1 on a miss.

    python tests/bench/bench_servers.py
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "tests" / "mcp"))

from mcp_kit import SESSION, Kit, odd  # noqa: E402

_CALLS, _STOPS = 300, 50


class Gaps:
    """The longest turn of the loop, in milliseconds, while the block runs."""

    def __init__(self) -> None:
        self.longest = 0.0

    async def __aenter__(self) -> Gaps:
        self._task = asyncio.create_task(self._tick())
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._task.cancel()

    async def _tick(self) -> None:
        last = time.perf_counter()
        while True:
            await asyncio.sleep(0.001)
            now = time.perf_counter()
            self.longest = max(self.longest, (now - last) * 1_000)
            last = now


def megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def timed(kit: Kit, name: str, **values: object) -> float:
    began = time.perf_counter()
    await kit.call(name, **values)
    return (time.perf_counter() - began) * 1_000


async def stopped(kit: Kit) -> float:
    calling = asyncio.create_task(kit.call("odd__wait"))
    await asyncio.sleep(0.02)
    began = time.perf_counter()
    calling.cancel()
    with suppress(asyncio.CancelledError):
        await calling
    return (time.perf_counter() - began) * 1_000


def at(values: list[float], share: float) -> float:
    return sorted(values)[int(share * (len(values) - 1))]


async def measure(tell: Callable[[str, float, float], None]) -> None:
    with tempfile.TemporaryDirectory() as name:
        kit = Kit(Path(name))
        before, began = megabytes(), time.perf_counter()
        async with Gaps() as gaps:
            await kit.start(odd=odd())
        tell("first server ready, s", time.perf_counter() - began, 3.0)
        tell("memory of the first server, MB", megabytes() - before, 40.0)
        tell("loop while it starts, ms", gaps.longest, 100.0)
        calls = [await timed(kit, "odd__echo", text="hello") for _ in range(_CALLS)]
        tell("call p50, ms", at(calls, 0.5), 5.0)
        tell("call p99, ms", at(calls, 0.99), 50.0)
        stops = [await stopped(kit) for _ in range(_STOPS)]
        tell("stop, longest, ms", max(stops), 200.0)
        async with Gaps() as gaps:
            await kit.call("odd__echo", text="x" * 10_000_000)
        tell("loop during an answer of 10 MB, ms", gaps.longest, 250.0)
        async with Gaps() as gaps:
            await kit.start(flood=odd("garbage-for-ever"), line=odd("endless-line"))
        tell("loop beside floods, ms", gaps.longest, 250.0)
        async with Gaps() as gaps:
            await kit.start(many=odd("many"))
        tell("loop beside 10,000 tools, ms", gaps.longest, 250.0)
        assert kit.servers.standing(SESSION).tools
        await kit.end()


def main() -> int:
    """Measures once and prints."""
    failed = 0

    def tell(name: str, value: float, limit: float) -> None:
        nonlocal failed
        failed |= value > limit
        told = {"name": name, "value": round(value, 2), "limit": limit, "pass": value <= limit}
        print(json.dumps(told), flush=True)

    asyncio.run(measure(tell))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
