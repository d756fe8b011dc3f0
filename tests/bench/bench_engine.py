"""T14: what the engine adds between a reply with calls and the next request, beside a bare loop.

Prints {value, limit, pass}: the ratio to a bare httpx loop that does the same (limit 2), and the
time per step of a long run in each protocol: its last tenth to its second (limit 1.1). Exits 1 on
a miss.

    python tests/bench/bench_engine.py
"""

from __future__ import annotations

import asyncio
import itertools
import json
import statistics
import sys
import time
from pathlib import Path
from typing import cast

import httpx

sys.path.insert(0, str(Path(__file__).parents[2]))

from kinet.core.events import StepStarted
from kinet.core.profile import ModelProfile, WireProtocol
from kinet.providers.catalog import PROTOCOLS, create_provider
from tests.bench.calling_server import served
from tests.support.chat import Chat
from tests.support.scripted_server import ScriptedServer, asks_for, says
from tests.support.tools import Look

STEPS = 60
LONG = 200
RUNS = 5


def gaps(server: ScriptedServer) -> list[float]:
    """Milliseconds from the end of each reply to the arrival of the next request."""
    pairs = itertools.pairwise(server.requests)
    return [(after.at - (before.answered_at or before.at)) * 1000 for before, after in pairs]


async def engine_run() -> list[float]:
    """The engine with real providers."""
    with ScriptedServer([asks_for("look", word=str(n)) for n in range(STEPS)], says("x")) as server:
        provider = create_provider(server.profile("openai"), None)
        await Chat(tools=(Look(),)).send(provider)
        await provider.close()
        return gaps(server)


async def bare_run() -> list[float]:
    """A loop of httpx, json and a list: the least that does the same on the wire."""
    with ScriptedServer([asks_for("look", word=str(n)) for n in range(STEPS)], says("x")) as server:
        messages: list[dict[str, object]] = [{"role": "user", "content": "Do it."}]
        async with httpx.AsyncClient() as client:
            while True:
                body = {"model": "m", "messages": messages, "stream": True}
                calls: dict[int, dict[str, str]] = {}
                url = f"{server.base_url}/chat/completions"
                async with client.stream("POST", url, json=body) as answer:
                    async for line in answer.aiter_lines():
                        if not line.startswith("data: {"):
                            continue
                        for choice in json.loads(line[6:])["choices"]:
                            for piece in choice["delta"].get("tool_calls", ()):
                                call = calls.setdefault(piece["index"], {"id": "", "arguments": ""})
                                call["id"] += piece.get("id", "")
                                call["arguments"] += piece["function"]["arguments"]
                if not calls:
                    return gaps(server)
                made = [
                    {
                        "id": call["id"],
                        "type": "function",
                        "function": {"name": "look", "arguments": call["arguments"]},
                    }
                    for call in calls.values()
                ]
                messages.append({"role": "assistant", "content": "", "tool_calls": made})
                messages += [
                    {"role": "tool", "tool_call_id": call["id"], "content": "saw"}
                    for call in calls.values()
                ]


async def long_run(name: str) -> list[float]:
    """Time of each step of a long run.

    It is the processor time of the engine's thread: on a busy machine others take turns. What is
    longer is sent for longer, too. The server keeps its connection, as those of vendors do: a new
    one for each step would begin slowly, and the more so the longer the request.
    """
    times: list[float] = []

    def note(event: object) -> None:
        if isinstance(event, StepStarted):
            times.append(time.thread_time())

    with served(LONG, "look") as root:
        provider = create_provider(profile(name, root), None)
        await Chat(tools=(Look(),)).send(provider, on=note)
        await provider.close()
    assert len(times) == LONG + 1, f"{len(times)} steps"
    return [after - before for before, after in itertools.pairwise(times)]


def profile(name: str, root: str) -> ModelProfile:
    """A profile that speaks this protocol, or Ollama's own."""
    if name == "ollama":
        return ModelProfile("bench", root, "m", vendor="ollama")
    protocol = cast(WireProtocol, name)
    base_url = root if protocol == "anthropic" else f"{root}/v1"
    return ModelProfile("bench", base_url, "m", protocol=protocol, vendor="generic")


def growth(name: str) -> float:
    """Time per step at the end of a long run, as a multiple of that at its beginning.

    Of each step the shortest of some runs counts: what is longer was someone else's doing.
    """
    runs = [asyncio.run(long_run(name)) for _ in range(RUNS)]
    steps = [min(times) for times in zip(*runs, strict=True)]
    tenth = LONG // 10
    return statistics.median(steps[-tenth:]) / statistics.median(steps[tenth : 2 * tenth])


def report(name: str, raw: list[float], limit: float) -> bool:
    """Prints one figure; True if it holds."""
    value = statistics.median(raw)
    passed = value <= limit
    shown = {"value": round(value, 3), "limit": limit, "pass": passed}
    print(json.dumps({"name": name, **shown, "raw": [round(item, 3) for item in raw]}))
    return passed


def main() -> int:
    """All figures, each the median of three."""
    engine = [statistics.median(asyncio.run(engine_run())) for _ in range(3)]
    bare = [statistics.median(asyncio.run(bare_run())) for _ in range(3)]
    ratio = [mine / theirs for mine, theirs in zip(engine, bare, strict=True)]
    results = [
        report("engine overhead per step, ms", engine, 5.0),
        report("engine overhead to a bare loop", ratio, 2.0),
    ]
    for name in (*PROTOCOLS, "ollama"):
        raw = [growth(name) for _ in range(3)]
        results.append(report(f"last steps to first steps, {name}", raw, 1.1))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
