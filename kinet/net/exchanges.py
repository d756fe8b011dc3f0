"""What the newest turns sent and what came back, byte for byte: for a report on a failure."""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextvars import ContextVar
from dataclasses import dataclass, field

# The turn that asks, "" for what belongs to none. Tasks made within a turn take it along.
asking_turn: ContextVar[str] = ContextVar("asking_turn", default="")

# Turns that are kept, exchanges of one turn, bytes of one body or answer.
_TURNS = 8
_EXCHANGES = 12
MOST_BYTES = 1 << 20


@dataclass
class Exchange:
    """A request and its answer. `pieces` are (seconds since the request, bytes) as they came.

    `ended` is "whole", "cut" (it broke off, or was left) or "error"; `error` says which.
    """

    body: bytes
    status: int = 0
    content_type: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    pieces: list[tuple[float, bytes]] = field(default_factory=list)
    ended: str = "cut"
    error: str = ""
    shortened: bool = False


class Recordings:
    """The exchanges of the newest turns. Safe to use from several threads."""

    def __init__(self) -> None:
        self._turns: OrderedDict[str, list[Exchange]] = OrderedDict()
        self._lock = threading.Lock()

    def begin(self, turn_id: str, body: bytes) -> Exchange:
        """Another request of a turn."""
        exchange = Exchange(body[:MOST_BYTES], shortened=len(body) > MOST_BYTES)
        with self._lock:
            kept = self._turns.setdefault(turn_id, [])
            kept.append(exchange)
            del kept[:-_EXCHANGES]
            while len(self._turns) > _TURNS:
                self._turns.popitem(last=False)
        return exchange

    def of(self, turn_id: str) -> list[Exchange]:
        """What was kept of a turn; [] for one that is too long ago."""
        with self._lock:
            return list(self._turns.get(turn_id, ()))

    def drop(self, turn_id: str) -> None:
        """A turn that went well need not be told about."""
        with self._lock:
            self._turns.pop(turn_id, None)


RECORDINGS = Recordings()
