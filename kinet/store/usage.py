"""The cost log: one row per model call, kept when its session is deleted."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass

from kinet.core.completion import Usage
from kinet.core.events import Event, MessageCompleted, StepFinished
from kinet.store.database import Database


@dataclass(frozen=True, slots=True)
class Spent:
    """A sum over calls. `cost` is USD; if `known` is False a call had no price and it is more."""

    cost: float = 0.0
    known: bool = True
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cache_read: int = 0


class UsageLog:
    """What was spent, by day (local time), month, model and session."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def month(self, month: str = "") -> Spent:
        """The sum of a month "YYYY-MM", this one by default."""
        return self._sum("day LIKE ?", ((month or time.strftime("%Y-%m")) + "-%",))

    def day(self, day: str = "") -> Spent:
        """The sum of a day "YYYY-MM-DD", today by default."""
        return self._sum("day = ?", (day or time.strftime("%Y-%m-%d"),))

    def session(self, session_id: str) -> Spent:
        """The sum of a session, over all its branches."""
        return self._sum("session_id = ?", (session_id,))

    def by_model(self, month: str = "") -> dict[str, Spent]:
        """The sums of a month by model, the dearest first."""
        query = f"SELECT model, {_SUM} FROM usage WHERE day LIKE ? GROUP BY model ORDER BY 2 DESC"
        value = ((month or time.strftime("%Y-%m")) + "-%",)
        rows = self._database.read(lambda db: db.execute(query, value).fetchall())
        return {row[0]: _spent(row[1:]) for row in rows}

    def _sum(self, condition: str, values: tuple[str, ...]) -> Spent:
        query = f"SELECT {_SUM} FROM usage WHERE {condition}"
        return _spent(self._database.read(lambda db: db.execute(query, values).fetchone()))


def record(
    connection: sqlite3.Connection,
    session_id: str,
    events: Sequence[Event],
    model: str,
    now: float,
) -> None:
    """Adds a row for each model call among `events`; for use inside their transaction."""
    day = time.strftime("%Y-%m-%d", time.localtime(now))
    rows = []
    for event in events:
        usage: Usage | None = None
        purpose, name, estimate = "", model, False
        if isinstance(event, MessageCompleted):
            usage, name = event.usage, event.model or model
        elif isinstance(event, StepFinished) and event.purpose:
            usage, purpose, estimate = event.usage, event.purpose, event.estimate
        if usage is None:
            continue
        tokens = (usage.tokens_in, usage.tokens_out, usage.cache_read, usage.cache_write)
        cost = event.cost if isinstance(event, MessageCompleted | StepFinished) else None
        rows.append((session_id, now, day, name, purpose, *tokens, cost, int(estimate)))
    connection.executemany(
        "INSERT INTO usage (session_id, at, day, model, purpose, tokens_in, tokens_out,"
        " cache_read, cache_write, cost, estimate) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )


def _spent(row: tuple[float, int, int, int, int, int]) -> Spent:
    cost, unknown, calls, tokens_in, tokens_out, cache_read = row
    return Spent(cost, not unknown, calls, tokens_in, tokens_out, cache_read)


_SUM = (
    "coalesce(sum(cost), 0.0), coalesce(sum(cost IS NULL), 0), count(*),"
    " coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0), coalesce(sum(cache_read), 0)"
)
