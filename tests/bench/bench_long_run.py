"""A run of 200 steps through the whole program: time per step and memory do not grow.

Prints {value, limit, pass} for each protocol: processor time of a step after 130 others, to one
after 10 (limit 1.1), and resident memory, end to step 20 (limit 1.1). Exits 1 on a miss.

On a busy machine the same step takes up to ten times the processor time, for its memory is in no
cache any more. So two conversations of one program take turns, one of them far ahead of the other:
each pair of steps meets the same weather, and the medians of 70 pairs are steady. With KEPT=N each
request also copies N lists for every message before it, which the check has to notice.

    [KEPT=N] python tests/bench/bench_long_run.py [PROTOCOL...]
"""

from __future__ import annotations

import asyncio
import contextvars
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from kinet.core.events import StepStarted
from kinet.engine.loop.model_call import ModelCall
from kinet.runtime import Options, Runtime, create_runtime
from tests.bench.calling_server import served

PROTOCOLS = ("openai", "anthropic", "responses", "ollama")
LIMIT = 1.1
STEPS, AHEAD, BEHIND = 200, 130, 10
# The two that take turns.
LONG, SHORT = "long", "short"
_who: contextvars.ContextVar[str] = contextvars.ContextVar("who", default="")


class Pairs:
    """Lets two conversations do a step each in turn, and measures what each of them takes."""

    def __init__(self) -> None:
        self.steps: dict[str, list[float]] = {LONG: [], SHORT: []}
        self._done = {LONG: 0, SHORT: 0}
        self._may = {LONG: asyncio.Event(), SHORT: asyncio.Event()}
        self._began = 0.0
        self._may[LONG].set()

    async def next_step(self) -> None:
        """Called where a step of one ends and its next begins; returns when that may begin."""
        who = _who.get()
        if not who:
            return
        self._done[who] += 1
        other = SHORT if who == LONG else LONG
        begins = AHEAD if who == LONG else BEHIND
        if self._done[who] <= begins:
            # It gets there alone.
            await self._may[who].wait()
            self._began = time.process_time()
            return
        self.steps[who].append(time.process_time() - self._began)
        self._may[who].clear()
        self._may[other].set()
        await self._may[who].wait()
        self._began = time.process_time()

    def finished(self, who: str) -> None:
        """One of them has come to its end: the other goes on alone."""
        self._may[SHORT if who == LONG else LONG].set()


def resident() -> int:
    """Kilobytes of this process that lie in memory now."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def program(root: str, protocol: str, home: Path) -> Runtime:
    """The whole program on a folder with one file; the server has a process of its own."""
    folder = home / "work"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text("line\n" * 40)
    native = protocol in ("anthropic", "ollama")
    # A model whose price is ours: nothing is read beside the first steps.
    options = Options(
        base_url=root if native else f"{root}/v1",
        protocol="" if protocol == "ollama" else protocol,
        vendor="ollama" if protocol == "ollama" else "",
        model="gpt-5",
        cwd=folder,
    )
    runtime = create_runtime(home / "home", options=options)
    runtime.preload()
    runtime.build()
    runtime.warm_up()
    return runtime


async def memory_of(protocol: str, home: Path) -> float:
    """Memory at the end of a run as a multiple of that at step 20."""
    memory: list[int] = []
    with served(STEPS, "read_file") as root:
        runtime = program(root, protocol, home)
        async for event in runtime.open_session().send("Read it all."):
            if isinstance(event, StepStarted):
                memory.append(resident())
        await runtime.close()
    assert len(memory) == STEPS + 1, f"{len(memory)} steps"
    return memory[-1] / memory[STEPS // 10]


async def time_of(protocol: str, home: Path) -> tuple[float, float]:
    """What a late step takes as a multiple of an early one, and the late one's milliseconds."""
    pairs = Pairs()
    ask, kept = ModelCall.ask, int(os.environ.get("KEPT", "0"))

    async def in_turn(self: ModelCall, request: Any) -> Any:
        await pairs.next_step()
        for _ in range(kept):
            [list(message.to_dict()) for message in request.messages]
        return await ask(self, request)

    ModelCall.ask = in_turn  # type: ignore[method-assign]
    together = STEPS - AHEAD
    with served(AHEAD + BEHIND + 2 * together, "read_file") as root:
        runtime = program(root, protocol, home)

        async def converse(who: str) -> None:
            _who.set(who)
            async for _ in runtime.open_session().send("Read it all."):
                pass
            pairs.finished(who)

        await asyncio.gather(*(asyncio.create_task(converse(who)) for who in (LONG, SHORT)))
        await runtime.close()
    ModelCall.ask = ask  # type: ignore[method-assign]
    late, early = pairs.steps[LONG], pairs.steps[SHORT]
    assert min(len(late), len(early)) >= together - 2, (len(late), len(early))
    return statistics.median(late) / statistics.median(early), 1000 * statistics.median(late)


def one(protocol: str) -> None:
    """Measures one protocol, for a process of its own; prints [time, memory, milliseconds]."""
    with tempfile.TemporaryDirectory() as folder:
        memory = asyncio.run(memory_of(protocol, Path(folder, "memory")))
        ratio, milliseconds = asyncio.run(time_of(protocol, Path(folder, "time")))
    print(json.dumps([ratio, memory, milliseconds]))


def main(protocols: Sequence[str]) -> int:
    """Each protocol three times; the median counts."""
    good = True
    for protocol in protocols:
        command = [sys.executable, __file__, protocol, "once"]
        raw = [json.loads(subprocess.check_output(command)) for _ in range(3)]
        for place, name in enumerate(("time of a step", "memory")):
            values = [item[place] for item in raw]
            value = statistics.median(values)
            good = good and value <= LIMIT
            shown = {"name": f"{protocol}: {name}, end to beginning", "value": round(value, 3)}
            rest = {"limit": LIMIT, "pass": value <= LIMIT, "raw": [round(v, 3) for v in values]}
            print(json.dumps({**shown, **rest, "ms": round(raw[0][2], 2)}), flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    words = sys.argv[1:]
    if words[1:] == ["once"]:
        one(words[0])
        sys.exit(0)
    sys.exit(main(words or PROTOCOLS))
