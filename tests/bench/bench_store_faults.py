"""Every system call of the store fails once: nothing is lost, nothing lies, all heals (N7).

Like `bench_faults.py`, with the same small library, for what the store writes: events, large
outputs, facts, backups, archives, an upgrade. Each call of each act fails once with "disk full" and
once with "input/output error", alone and with every later call that writes too. Afterwards the
answer is a sentence or a success; what was there is there; what was said to be saved is saved; the
same act succeeds on the next try without a restart; the file is sound; no temporary file is left.
Linux with a C compiler only. Prints {value, limit, pass}; exits 1 on a miss.

    python tests/bench/bench_store_faults.py [--seconds 900] [--acts append,upgrade]
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import gzip
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kinet.core.errors import StoreError
from kinet.core.events import MessageCompleted, ToolFinished, TurnFinished, TurnStarted
from kinet.core.messages import Message
from kinet.memory.facts import FactBook
from kinet.session.archive import write_archive
from kinet.store import backups
from kinet.store.blobs import LARGE
from kinet.store.database import FILE_NAME, Database
from kinet.store.sessions import NewSession, SessionStore

HERE = Path(__file__).resolve().parent
OLD = HERE.parent / "store" / "schemas" / "schema-1.db.gz"
ERRORS = (errno.ENOSPC, errno.EIO)
MOST_CALLS = 2_000
SAID = [MessageCompleted(Message("user", f"said before {number}")) for number in range(5)]
MORE = [
    TurnStarted("s", "m"),
    MessageCompleted(Message("user", "said now", id="m")),
    TurnFinished("completed"),
]
HUGE = [ToolFinished("c", "shell", content="long " * LARGE)]


class World:
    """A data folder with one session, opened before anything fails."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.store = SessionStore(Database(home / FILE_NAME))
        self.book = FactBook(home / "facts.json")

    def close(self) -> None:
        self.store.database.close()


Act = Callable[[World], None]
Done = Callable[[World], bool]


def _put(world: World) -> None:
    world.store.put("s", MORE).result()


def _huge(world: World) -> None:
    world.store.put("s", HUGE).result()


def _fact(world: World) -> None:
    world.book.add("noticed now")


def _backup(world: World) -> None:
    backups.back_up(world.home / FILE_NAME)


def _archive(world: World) -> None:
    write_archive(world.home / "all.zip", world.store, "{}")


ACTS: dict[str, tuple[Act, Done]] = {
    "append": (_put, lambda world: world.store.load("s")[-3:] == MORE),
    "large output": (_huge, lambda world: world.store.load("s")[-1:] == HUGE),
    "fact": (_fact, lambda world: [f.text for f in world.book.list()][-1:] == ["noticed now"]),
    "backup": (_backup, lambda world: bool(backups.backups(world.home / FILE_NAME))),
    "archive": (_archive, lambda world: (world.home / "all.zip").exists()),
}


def main() -> int:
    """Builds the library and starts itself under it."""
    if "LD_PRELOAD" in os.environ:
        return _inside()
    if shutil.which("cc") is None or sys.platform != "linux":
        print(json.dumps({"skipped": "needs Linux and a C compiler"}))
        return 0
    with tempfile.TemporaryDirectory() as name:
        library = Path(name) / "failing.so"
        source = str(HERE / "failing_calls.c")
        build = ["cc", "-shared", "-fPIC", "-O1", "-o", str(library), source, "-ldl"]
        subprocess.run(build, check=True)
        environment = {**os.environ, "LD_PRELOAD": str(library), "TMPDIR": name}
        return subprocess.run([sys.executable, *sys.argv], env=environment, check=False).returncode


def _inside() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=900.0)
    parser.add_argument("--acts", default=",".join([*ACTS, "upgrade"]))
    options = parser.parse_args()
    ends = time.monotonic() + options.seconds
    faults = ctypes.CDLL(os.environ["LD_PRELOAD"])
    wrong: list[str] = []
    tries: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        _prepare(place / "kept")
        for act in options.acts.split(","):
            tries[act] = 0
            for error in ERRORS:
                for sticky in (0, 1):
                    for number in range(1, MOST_CALLS):
                        run = _upgraded if act == "upgrade" else _once
                        home = place / f"home-{tries[act]}-{act.replace(' ', '')}"
                        count, trouble = run(
                            home, place / "kept", act, faults, number, error, sticky
                        )
                        shutil.rmtree(home, ignore_errors=True)
                        tries[act] += 1
                        if trouble:
                            wrong.append(
                                f"{act}, call {number}, errno {error}, {sticky}: {trouble}"
                            )
                        if count < number or time.monotonic() > ends:
                            break
    ok = not wrong and all(tries.values())
    print(json.dumps({"value": len(wrong), "limit": 0, "pass": ok, "tries": tries,
                      "wrong": wrong[:20]}, ensure_ascii=False))  # fmt: skip
    return 0 if ok else 1


def _prepare(kept: Path) -> None:
    world = World(kept)
    world.store.create(NewSession("s"))
    world.store.put("s", SAID).result()
    world.book.add("known before")
    world.close()


def _once(
    home: Path, kept: Path, act: str, faults: ctypes.CDLL, number: int, error: int, sticky: int
) -> tuple[int, str]:
    """The number of calls the act made, and what is wrong afterwards."""
    shutil.copytree(kept, home)
    run, done = ACTS[act]
    world = World(home)
    world.store.database.flush()
    said = True
    faults.arm(number, error, sticky)
    try:
        run(world)
    except StoreError:
        said = False
    except Exception as exc:  # noqa: BLE001 - any other error is what this looks for
        count = faults.disarm()
        world.close()
        return count, f"{type(exc).__name__}: {exc}"
    finally:
        count = faults.disarm()
    trouble = ""
    if said and not done(world):
        trouble = "said to be done and is not"
    if not said:
        try:
            run(world)
        except StoreError as exc:
            trouble = f"does not heal: {exc.message}"
    world.close()
    return count, trouble or _sound(home, done)


def _sound(home: Path, done: Done) -> str:
    """What is wrong with the folder as the next start finds it."""
    connection = sqlite3.connect(home / FILE_NAME)
    checked = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    connection.close()
    if checked != "ok":
        return f"the file is damaged: {checked}"
    litter = [path.name for path in home.rglob("*") if ".new" in path.name]
    if litter:
        return f"left behind: {litter}"
    world = World(home)
    try:
        if world.store.database.problems or world.book.problems:
            return str([*world.store.database.problems, *world.book.problems])
        if world.store.load("s")[:5] != SAID or world.book.list()[0].text != "known before":
            return "what was there is gone"
        return "" if done(world) else "what was said to be saved is gone"
    finally:
        world.close()


def _upgraded(
    home: Path, kept: Path, act: str, faults: ctypes.CDLL, number: int, error: int, sticky: int
) -> tuple[int, str]:
    """A store of the first format is opened: refused in words or made new, and never lost."""
    home.mkdir()
    (home / FILE_NAME).write_bytes(gzip.decompress(OLD.read_bytes()))
    faults.arm(number, error, sticky)
    try:
        Database(home / FILE_NAME).close()
    except StoreError:
        pass
    except Exception as exc:  # noqa: BLE001 - as above
        return faults.disarm(), f"{type(exc).__name__}: {exc}"
    finally:
        count = faults.disarm()
    aside = [path.name for path in home.glob("*damaged*")]
    if aside:
        return count, f"a sound file was set aside: {aside}"
    try:
        database = Database(home / FILE_NAME)
    except StoreError as exc:
        return count, f"does not open afterwards: {exc.message} {exc.__cause__!r}"
    whole = len(SessionStore(database).load("old")) == 7
    database.close()
    return count, "" if whole else "the conversation is not whole"


if __name__ == "__main__":
    sys.exit(main())
