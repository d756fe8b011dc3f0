"""N8: Stop in each of nine states of a turn, through the whole program, with a loopback server.

Prints {value, limit, pass} for each state: milliseconds from Stop to the turn's last event (p50
100, p99 300, slowest 1,000), endings other than one `stopped` (0), and processes that are left two
seconds later (0). Exits 1 on a miss. The end comes when it is on the disk, so beside each figure
stands what a bare write took there meanwhile: at a high load that is nearly all of the slowest.
All nine states with 1,000 stops each take five minutes on a quiet machine.

    nice -n 19 python tests/bench/bench_turn_stops.py [STOPS IN EACH STATE] [PROTOCOL] [STATE]
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from kinet.core.approval import ApprovalRequest, Decision
from kinet.core.events import (
    ApprovalRequested,
    Event,
    RetryScheduled,
    TextDelta,
    ToolArgumentsDelta,
    ToolProgress,
    TurnFinished,
)
from kinet.core.own_command import typed_command
from kinet.core.profile import WireProtocol
from kinet.runtime import Runtime, create_runtime
from kinet.session.session import Session
from tests.support.replies import Reply, asks_for, fails, hangs, says, stalls_in
from tests.support.scripted_server import ScriptedServer

# A session begins anew after so many stops: its history is sent with each turn.
TURNS = 25
LIMITS = {"p50": 100.0, "p99": 300.0, "max": 1_000.0}
# Seconds; a turn that has not ended then never will.
LONGEST = 20.0
# Told apart from the sleeps of others.
COMMAND = "echo on; sleep 98.7654321"


class Nobody:
    """Never answers."""

    async def ask(self, request: ApprovalRequest) -> Decision:
        """Waits for ever."""
        await asyncio.Event().wait()
        raise AssertionError("unreachable")


@dataclass(frozen=True)
class State:
    """What brings a turn there: replies, and the event or the number of requests that tells it."""

    name: str
    replies: tuple[Reply, ...]
    event: type | None = None
    requests: int = 0
    text: str = "Do it."


STATES = (
    State("first byte", (hangs(),), requests=1),
    State("text", (hangs("Half a"),), TextDelta),
    State("tool arguments", (stalls_in("read_file", path="x" * 50),), ToolArgumentsDelta),
    State("a running shell", (asks_for("shell", command=COMMAND),), ToolProgress),
    State("an approval", (asks_for("write_file", path="a", content="b"),), ApprovalRequested),
    State("a retry wait", (fails(503),), RetryScheduled),
    State("a compaction", (hangs(),), requests=1, text="/compact"),
    State("a sub-agent", (asks_for("dispatch_agent", task="Look."), hangs("I ")), requests=2),
    State("a command of one's own", (), ToolProgress, text=f"!{COMMAND}"),
)


@dataclass
class Seen:
    """Milliseconds of each stop, and what was wrong."""

    times: list[float] = field(default_factory=list)
    disk: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


async def stops(state: State, count: int, protocol: WireProtocol, home: Path) -> Seen:
    """Stops `count` turns in this state, and sends one more message after each 25."""
    seen = Seen()
    mode = "ask" if state.event is ApprovalRequested else "all"
    with ScriptedServer(strict=False) as server:
        runtime = _program(server, protocol, home, mode)
        for number in range(count):
            if number % TURNS == 0:
                session = await _begun(runtime, server, state)
            server.clear()
            server.replies(*state.replies)
            try:
                async with asyncio.timeout(LONGEST):
                    await _one(session, server, state, seen)
            except TimeoutError:
                seen.faults.append(f"stop {number} did not end its turn")
            seen.disk.append(await asyncio.to_thread(_bare_write, home / "bare"))
            if number % TURNS == TURNS - 1 or number == count - 1:
                server.clear()
                last = [event async for event in session.send("Go on.", Nobody())][-1]
                if not isinstance(last, TurnFinished) or last.reason != "completed":
                    seen.faults.append(f"the next turn ended with {last}")
                await session.close()
        await runtime.close()
    await asyncio.sleep(2)
    if left := _left():
        seen.faults.append(f"{left} processes are left")
    return seen


def _program(server: ScriptedServer, protocol: WireProtocol, home: Path, mode: str) -> Runtime:
    folder = home / "work"
    folder.mkdir(parents=True, exist_ok=True)
    url = server.base_url.removesuffix("/v1" if protocol == "anthropic" else "")
    runtime = create_runtime(
        home / "home", base_url=url, protocol=protocol, model="scripted", cwd=folder, approve=mode
    )
    # A thousand turns of an unknown price would be asked about, and nobody answers.
    for budget in ("turn_usd", "session_usd", "day_usd"):
        runtime.settings.set(f"limits.{budget}", 0)
    return runtime


async def _begun(runtime: Runtime, server: ScriptedServer, state: State) -> Session:
    """A new session; one that can be compacted where that is to be stopped."""
    session = runtime.open_session()
    if state.text != "/compact":
        return session
    for _ in range(4):
        server.clear()
        server.replies(says("word " * 4_000))
        async for _event in session.send("word " * 4_000, Nobody()):
            pass
    return session


async def _one(session: Session, server: ScriptedServer, state: State, seen: Seen) -> None:
    asked = len(server.requests)
    reached = asyncio.Event()
    ends: list[Event] = []
    stopped_at = 0.0

    async def stop() -> None:
        nonlocal stopped_at
        if state.requests:
            await asyncio.to_thread(server.wait_for_requests, asked + state.requests)
        else:
            await reached.wait()
        stopped_at = time.perf_counter()
        session.stop()

    stopping = asyncio.create_task(stop())
    own = typed_command(state.text)
    running = session.run_command(own) if own else session.send(state.text, Nobody())
    async for event in running:
        if state.event is not None and isinstance(event, state.event):
            reached.set()
        if isinstance(event, TurnFinished):
            ends.append(event)
            ended = time.perf_counter()
    if not stopping.done():
        stopping.cancel()
        seen.faults.append(f"the turn ended before the stop: {ends}")
        return
    if [end.reason for end in ends if isinstance(end, TurnFinished)] != ["stopped"]:
        seen.faults.append(f"ended with {ends}")
    if session.is_running:
        seen.faults.append("not idle after its last event")
    seen.times.append((ended - stopped_at) * 1000)


def _bare_write(path: Path) -> float:
    """Milliseconds until a few bytes are on the disk."""
    began = time.perf_counter()
    with path.open("ab") as file:
        file.write(b"stopped")
        file.flush()
        os.fsync(file.fileno())
    return (time.perf_counter() - began) * 1000


def _left() -> int:
    """How many of the shell's sleeps still run."""
    count = 0
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            count += b"98.7654321" in entry.read_bytes()
        except OSError:
            continue
    return count


def report(state: str, seen: Seen) -> bool:
    """Prints the figures of one state; True if all hold."""
    values, bare = _figures(seen.times), _figures(seen.disk)
    good = not seen.faults
    for name, value in values.items():
        passed = value <= LIMITS[name]
        shown = {"name": f"stop in {state}, {name} ms", "value": round(value, 1)}
        rest = {"stops": len(seen.times), "bare write ms": round(bare[name], 1)}
        print(json.dumps({**shown, "limit": LIMITS[name], "pass": passed, **rest}))
        good = good and passed
    shown = {"name": f"stop in {state}, faults", "value": len(seen.faults), "limit": 0}
    print(json.dumps({**shown, "pass": not seen.faults, "raw": seen.faults[:5]}), flush=True)
    return good


def _figures(times: Sequence[float]) -> dict[str, float]:
    ordered = sorted(times) or [math.inf]
    return {
        "p50": ordered[len(ordered) // 2],
        "p99": ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))],
        "max": ordered[-1],
    }


def main(
    count: int,
    protocol: WireProtocol,
    act: Callable[[str, Seen], bool] = report,
    states: Sequence[State] = STATES,
) -> int:
    """All states, one after the other."""
    good = True
    for state in states:
        with tempfile.TemporaryDirectory() as folder:
            good = (
                act(state.name, asyncio.run(stops(state, count, protocol, Path(folder)))) and good
            )
    return 0 if good else 1


if __name__ == "__main__":
    words = sys.argv[1:]
    spoken: WireProtocol = words[1] if len(words) > 1 else "openai"  # type: ignore[assignment]
    chosen = [state for state in STATES if not words[2:] or state.name == words[2]]
    sys.exit(main(int(words[0]) if words else 1_000, spoken, states=chosen))
