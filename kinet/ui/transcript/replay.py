"""Tells a saved conversation from its end, turn by turn, so that nobody waits for its beginning."""

from __future__ import annotations

from collections.abc import Iterator, MutableSequence

from kinet.core.events import Event, MessageCompleted, TurnStarted
from kinet.ui.transcript.entries.entry import Entry
from kinet.ui.transcript.entries.turn_ends import TurnEnds
from kinet.ui.transcript.stage.sink import Sheet, Sink
from kinet.ui.transcript.teller import Teller

# A long turn is told in parts of so many events: 1 to 2 ms.
_PART = 64


class Replay:
    """One saved conversation. Its newest turn is told by `newest`, which goes on live."""

    def __init__(self, events: MutableSequence[Event], ends: TurnEnds, stage: Sink) -> None:
        """`events` belongs to it from here on, and is empty when all is told."""
        self._events = events
        self._ends = ends
        self._stage = stage
        self._sheet = Sheet()
        self.newest = Teller(self._sheet, ends)
        # True when all of the newest turn is told.
        self.has_newest = False
        self._turns: frozenset[str] | None = None
        ends.is_to_come = self._is_to_come

    def portions(self) -> Iterator[list[Entry]]:
        """The entries of each turn, newest first; empty lists where a long one is not done yet."""
        end = len(self._events)
        while end > 0 or not self.has_newest:
            start = self._begin_of_turn(end)
            sheet = Sheet() if self.has_newest else self._sheet
            teller = Teller(sheet, self._ends) if self.has_newest else self.newest
            for number in range(start, end):
                teller.show(self._events[number])
                if (number - start) % _PART == _PART - 1:
                    yield []
            if self.has_newest:
                # Only the newest turn can be retried.
                sheet.retire()
            else:
                self.has_newest = True
                self.newest.go_live(self._stage)
            # What is told is let go bit by bit: all at once it would take a tenth of a second.
            del self._events[start:]
            end = start
            yield sheet.entries

    def _is_to_come(self, turn_id: str) -> bool:
        """True for a turn of this path: asked of those that have no line yet. It seldom is, and
        looks once at what is left."""
        if self._turns is None:
            self._turns = frozenset(
                event.turn_id for event in self._events if isinstance(event, TurnStarted)
            )
        return bool(self._events) and turn_id in self._turns

    def _begin_of_turn(self, end: int) -> int:
        """Where the turn begins that ends before event number `end`."""
        return next((number for number in range(end - 1, 0, -1) if self._begins(number)), 0)

    def _begins(self, number: int) -> bool:
        """A turn that is to begin with the person's message may have no other beginning."""
        event = self._events[number]
        if isinstance(event, MessageCompleted):
            message, before = event.message, self._events[number - 1]
            own = message.role == "user" and message.kind == ""
            return own and not isinstance(before, TurnStarted)
        return isinstance(event, TurnStarted)
