"""Kills a working program at random moments: nothing finished is lost, every folder opens.

Arguments: how many kills (1,000 by default), and the seed. Prints one JSON object; exits 1 on a
miss. Each kill hits a program that streams, waits in a tool or an approval, or runs small turns.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from kinet.core.conversation import replay
from kinet.core.pairing import repair
from kinet.session.manager import SessionManager
from kinet.session.parts import SessionParts
from kinet.store.database import FILE_NAME, Database
from kinet.store.sessions import SessionStore
from kinet.tools.toolbox import Toolbox
from tests.support.turns import PROFILE

ROOT = Path(__file__).parents[2]
WORK = ("stream", "tool", "approval", "turns", "turns")


def nothing(*_: Any) -> Any:
    """Stands for what is not asked here."""
    return None


def killed(home: Path, what: str, seconds: float) -> tuple[str, list[str]]:
    """Runs the program for so long after its first line. Its session, and the turns it finished."""
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.session.dying_program", str(home), what],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdout is not None
    session_id = child.stdout.readline().split()[2]
    time.sleep(seconds)
    child.send_signal(signal.SIGKILL)
    lines = [line.split() for line in child.stdout.read().splitlines()]
    child.wait()
    return session_id, [line[2] for line in lines if len(line) == 3 and line[1] == "turn"]


def faults(home: Path, session_id: str, finished: list[str]) -> list[str]:
    """What is wrong in the folder after the kill; [] if all is well."""
    database = Database(home / FILE_NAME)
    try:
        store = SessionStore(database)
        check = database.read(lambda db: db.execute("PRAGMA integrity_check").fetchone()[0])
        found = [] if check == "ok" else [f"integrity: {check}"]
        found += database.problems
        if store.row(session_id) is None:
            return found + (["the session is gone"] if finished else [])
        parts = SessionParts(
            store=store, engine=nothing, profile=lambda name: PROFILE, provider=nothing,
            toolbox=Toolbox,
        )  # fmt: skip
        history = SessionManager(parts).open(session_id).history()
        if repair(history) != history or replay(store.load(session_id)).interrupted:
            found.append("the history is not legal")
        texts = {message.text for message in history}
        lost = [number for number in finished if f"answer to question {number}" not in texts]
        return found + [f"turn {number} is lost" for number in lost]
    finally:
        database.close()


def main(count: int, seed: int) -> int:
    """Kills `count` times."""
    chance = random.Random(seed)
    found: list[str] = []
    turns = 0
    for number in range(count):
        with tempfile.TemporaryDirectory() as home:
            what = chance.choice(WORK)
            session_id, finished = killed(Path(home), what, chance.uniform(0, 0.4))
            turns += len(finished)
            found += [f"kill {number} ({what}): {fault}" for fault in
                      faults(Path(home), session_id, finished)]  # fmt: skip
    print(json.dumps({
        "name": "faults after kills", "value": len(found), "limit": 0, "pass": not found,
        "raw": {"kills": count, "seed": seed, "finished turns": turns, "faults": found[:20]},
    }))  # fmt: skip
    return 1 if found else 0


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    sys.exit(main(numbers[0] if numbers else 1_000, numbers[1] if len(numbers) > 1 else 1))
