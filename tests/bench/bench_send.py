"""T18: from a message that is sent to its request at the server, through the whole program.

Prints {value, limit, pass} in milliseconds, medians: the first of a program (limit 100), later ones
(10), and those with 500 KB of history (15). Exits 1 on a miss.

    python tests/bench/bench_send.py
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from kinet.runtime import Runtime, create_runtime
from kinet.session.session import Session
from tests.support.replies import says
from tests.support.scripted_server import ScriptedServer

LATER = 20
HISTORY = 500_000
LIMITS = {"first": 100.0, "later": 10.0, "with 500 KB": 15.0}


def program(server: ScriptedServer, home: Path) -> Runtime:
    """The program as it stands when a person begins to type: everything imported and opened.

    The model is one whose price is ours: the published prices are imported for others alone.
    """
    (home / "work").mkdir()
    runtime = create_runtime(
        home / "home", base_url=server.base_url, model="gpt-5", cwd=home / "work"
    )
    for budget in ("turn_usd", "session_usd", "day_usd"):
        runtime.settings.set(f"limits.{budget}", 0)
    runtime.preload()
    runtime.build()
    runtime.warm_up()
    return runtime


async def sent(session: Session, server: ScriptedServer, text: str) -> float:
    """Milliseconds to the arrival of the whole request."""
    server.replies(says("Yes.").counting(1_000))
    began = time.monotonic()
    async for _event in session.send(text):
        pass
    return (server.requests[-1].at - began) * 1000


async def measured(home: Path) -> dict[str, float]:
    """The three figures of one start."""
    with ScriptedServer(strict=False) as server:
        runtime = program(server, home)
        session = runtime.open_session()
        first = await sent(session, server, "Hello.")
        later = [await sent(session, server, f"Message {n}.") for n in range(LATER)]
        await sent(session, server, "word " * (HISTORY // 5))
        much = [await sent(session, server, f"Message {n}.") for n in range(LATER)]
        await runtime.close()
    return {
        "first": first,
        "later": statistics.median(later),
        "with 500 KB": statistics.median(much),
    }


def main() -> int:
    """Three starts, each in a process of its own."""
    runs = [json.loads(subprocess.check_output([sys.executable, __file__, "one"])) for _ in "123"]
    good = True
    for name, limit in LIMITS.items():
        raw = [run[name] for run in runs]
        value = statistics.median(raw)
        good = good and value <= limit
        shown = {"name": f"message to request, {name}, ms", "value": round(value, 2)}
        rest = {"limit": limit, "pass": value <= limit, "raw": [round(item, 2) for item in raw]}
        print(json.dumps({**shown, **rest}))
    return 0 if good else 1


if __name__ == "__main__":
    if sys.argv[1:] == ["one"]:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(asyncio.run(measured(Path(folder)))))
        sys.exit(0)
    sys.exit(main())
