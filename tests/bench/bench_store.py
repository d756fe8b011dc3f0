"""T13 as ratios: the list, the search and the appends of a store with 10,000 sessions.

Prints one JSON object a line: {"name", "value", "limit", "pass", "raw"}; exits 1 on a miss. The
unit of the ratios is the time of a bare SQLite query on a table of one row, or of a bare commit.
"""

from __future__ import annotations

import json
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from kinet.core.events import MessageCompleted, TurnFinished
from kinet.core.messages import Message
from kinet.store.database import FILE_NAME, Database
from kinet.store.search import SearchIndex
from kinet.store.sessions import NewSession, SessionStore

WORDS = (
    "river", "stone", "cloud", "engine", "paper", "window", "garden", "copper", "violet",
    "thunder", "market", "bridge",
)  # fmt: skip


def milliseconds(work: Callable[[], object], times: int) -> list[float]:
    """How long each run takes."""
    out = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        out.append((time.perf_counter() - began) * 1000)
    return out


def fill(store: SessionStore, sessions: int, messages: int) -> None:
    """Sessions of so many messages."""
    for number in range(sessions):
        session_id = f"s{number:06}"
        store.create(NewSession(session_id, title=f"Session {number}"))
        events = [
            MessageCompleted(
                Message(
                    "assistant" if place % 2 else "user",
                    " ".join(WORDS[(number * 7 + place * 3 + word) % 12] for word in range(30))
                    + f" 数据库检索{number}",
                )
            )
            for place in range(messages)
        ]
        store.put(session_id, [*events, TurnFinished("completed")])
        if number % 500 == 499:
            store.database.flush()
    store.database.flush()


def report(name: str, raw: list[float], value: float, limit: float) -> bool:
    """Prints one line; True if the limit holds."""
    line = {"name": name, "value": round(value, 3), "limit": limit, "pass": value <= limit,
            "raw": [round(item, 3) for item in raw]}  # fmt: skip
    print(json.dumps(line), flush=True)
    return value <= limit


def main(sessions: int) -> int:
    """Fills a store and measures."""
    good = True
    with tempfile.TemporaryDirectory() as home:
        database = Database(Path(home) / FILE_NAME)
        store = SessionStore(database)
        fill(store, sessions, 20)
        search = SearchIndex(database, store.fetch)
        store.list(limit=50)
        page = milliseconds(lambda: store.list(limit=50), 9)
        good &= report("first page of the list, ms", page, statistics.median(page), 10)
        whole = milliseconds(store.list, 3)
        good &= report("whole list, ms", whole, statistics.median(whole), 300)
        for text in ("river", "检索", "thunder market", "检索9999"):
            found = milliseconds(lambda text=text: search.find(text), 5)
            good &= report(f"newest first {text!r}, ms", found, statistics.median(found), 20)
        event = MessageCompleted(Message("assistant", "a short answer"))
        handed = milliseconds(lambda: store.put("s000001", [event]), 500)
        database.flush()
        p99 = sorted(handed)[int(len(handed) * 0.99)]
        good &= report("append as the window feels it, p99 ms", handed[:5], p99, 5)
        durable = milliseconds(lambda: store.put("s000001", [event]).result(), 200)
        bare = sqlite3.connect(Path(home) / "bare.db", isolation_level=None)
        for pragma in ("journal_mode = WAL", "synchronous = FULL"):
            bare.execute(f"PRAGMA {pragma}")
        bare.execute("CREATE TABLE t (x TEXT)")
        plain = milliseconds(lambda: bare.execute("INSERT INTO t VALUES ('y')"), 200)
        ratio = statistics.median(durable) / statistics.median(plain)
        good &= report("durable append / bare commit", durable[:5], ratio, 6)
        bare.close()
        database.close()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
