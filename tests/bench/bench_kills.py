"""N5 and situation 1: kills a working program at random moments; nothing is lost, all opens.

Arguments: how many kills (1,000 by default), and the seed. Prints {value, limit, pass} for events
lost, openings that failed and histories that are not legal; exits 1 on a miss. Each kill hits a
program that is idle, streams, waits in a tool or an approval, saves turn after turn, or brings an
older folder up to date.

    nice -n 19 python tests/bench/bench_kills.py 1000 1
"""

from __future__ import annotations

import collections
import contextlib
import io
import json
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from kinet.core.conversation import replay
from kinet.core.errors import KinetError
from kinet.core.pairing import repair
from kinet.session.manager import SessionManager
from kinet.session.parts import SessionParts
from kinet.session.session import Session
from kinet.store import opening, schema
from kinet.store.database import FILE_NAME, Database
from kinet.store.sessions import SessionStore
from kinet.tools.toolbox import Toolbox
from tests.session import dying_program
from tests.support.turns import PROFILE

# Where the kill falls, and how long after the program was ready at most, in seconds.
STATES = {"idle": 0.3, "stream": 2.5, "tool": 0.3, "approval": 0.3, "turns": 0.5, "upgrade": 0.06}
AT_ONCE = 4
# What the program imports late; from a tree that someone works on it is to come whole.
LATE = ("kinet.engine.direct", "kinet.session.turn", "kinet.store.queued", "kinet.store.drafts")
# Seconds; what was shown earlier than this before the kill must be there.
GRACE = 1.0


@dataclass
class Killed:
    """What the program said before it died: its session, finished turns, pieces shown in time."""

    session_id: str = ""
    finished: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)


def run(home: str, what: str, told: str) -> None:
    """The program, in a process of its own; what it says goes to the file `told`."""
    with open(told, "a", encoding="utf-8") as file, contextlib.redirect_stdout(file):
        dying_program.run(home, what)


def killed(home: Path, what: str, seconds: float) -> Killed:
    """Starts the program, kills it so long after it was ready, and reads what it had said."""
    told = home.with_name(home.name + ".said")
    context = multiprocessing.get_context("forkserver")
    child = context.Process(target=run, args=(str(home), what, str(told)), daemon=True)
    child.start()
    while child.is_alive() and not (told.exists() and "session " in told.read_text()):
        time.sleep(0.002)
    time.sleep(seconds)
    at = time.monotonic()
    assert child.pid is not None
    alive = child.is_alive()
    if alive:
        os.kill(child.pid, signal.SIGKILL)
    child.join()
    if not alive:
        raise RuntimeError(f"the program ({what}) ended by itself before it was killed")
    lines = [line.split() for line in told.read_text().splitlines()]
    out = Killed()
    for when, word, *rest in lines:
        if word == "session":
            out.session_id = rest[0]
        elif word == "turn":
            out.finished.append(rest[0])
        elif word.isdigit() and float(when) < at - GRACE:
            out.shown.append(word)
    return out


def faults(home: Path, what: str, said: Killed) -> list[tuple[str, str]]:
    """What is wrong in the folder after the kill, each with its kind; [] if all is well."""
    try:
        database = Database(home / FILE_NAME)
    except KinetError as exc:
        return [("opening", str(exc))]
    try:
        found = [("opening", problem) for problem in database.problems]
        check = database.read(lambda db: db.execute("PRAGMA integrity_check").fetchone()[0])
        if check != "ok":
            found.append(("integrity", check))
        store = SessionStore(database)
        if store.row(said.session_id) is None:
            lost = said.finished or what == "upgrade"
            return found + ([("event", "the session is gone")] if lost else [])
        try:
            session = manager_of(store).open(said.session_id)
        except KinetError as exc:
            return [*found, ("opening", str(exc))]
        return found + _faults_of(session, store, said)
    finally:
        database.close()


def _faults_of(session: Session, store: SessionStore, said: Killed) -> list[tuple[str, str]]:
    history = session.history()
    found = []
    if repair(history) != history or replay(store.load(session.id)).interrupted:
        found.append(("history", "it is not legal"))
    texts = {message.text for message in history}
    found += [
        ("event", f"turn {number} is lost")
        for number in said.finished
        if f"answer to question {number}" not in texts
    ]
    whole = "".join(texts)
    return found + [
        ("event", f"piece {number} is lost")
        for number in said.shown[-1:]
        if f"piece{number} " not in whole
    ]


def manager_of(store: SessionStore) -> SessionManager:
    """A manager that opens sessions and asks nobody."""

    def nothing(*_: Any) -> Any:
        return None

    return SessionManager(
        SessionParts(
            store=store,
            engine=nothing,
            profile=lambda name: PROFILE,
            provider=nothing,
            toolbox=Toolbox,
        )
    )


def old_folder(home: Path) -> None:
    """A folder of the first format with a session of some turns, as an older version left it."""
    whole = schema.MIGRATIONS
    opening.MIGRATIONS, opening.VERSION = whole[:1], 1
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            dying_program.run(str(home), "filled")
    finally:
        opening.MIGRATIONS, opening.VERSION = whole, len(whole)


def one(number: int, seed: int, old: Path) -> tuple[str, int, list[tuple[str, str]]]:
    """One kill: the state, how many turns were finished, and what is wrong."""
    chance = random.Random(f"{seed}-{number}")
    what = list(STATES)[number % len(STATES)]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        if what == "upgrade":
            shutil.copytree(old, home)
        said = killed(home, what, chance.uniform(0, STATES[what]))
        if what == "upgrade":
            said.finished = [str(turn) for turn in range(dying_program.FEW)]
        return what, len(said.finished), faults(home, what, said)


def main(count: int, seed: int) -> int:
    """Kills `count` times, some at once."""
    # Forked with all modules loaded: a start costs milliseconds.
    multiprocessing.set_forkserver_preload(["tests.session.dying_program", *LATE])
    kinds: collections.Counter[str] = collections.Counter()
    states: collections.Counter[str] = collections.Counter()
    turns, told = 0, []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(AT_ONCE) as pool:
        old = Path(folder) / "old"
        old_folder(old)
        for what, finished, found in pool.map(lambda n: one(n, seed, old), range(count)):
            states[what] += 1
            turns += finished
            kinds.update(kind for kind, _ in found)
            told += [f"{what}: {kind}: {fault}" for kind, fault in found]
    raw = {"kills": dict(states), "seed": seed, "finished turns": turns, "faults": told[:20]}
    for kind in ("event", "opening", "history", "integrity"):
        shown = {"name": f"kills: {kind} faults", "value": kinds[kind], "limit": 0}
        print(json.dumps({**shown, "pass": not kinds[kind], "raw": raw if kinds[kind] else count}))
    print(json.dumps(raw))
    return 1 if kinds else 0


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    sys.exit(main(numbers[0] if numbers else 1_000, numbers[1] if len(numbers) > 1 else 1))
