"""Shows the events of a session: as they come, or a saved conversation from its end."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

from kinet.core.events import Event
from kinet.ui.transcript.entries.entry import Entry
from kinet.ui.transcript.entries.receipt import FactState
from kinet.ui.transcript.entries.turn_ends import TurnEnds
from kinet.ui.transcript.replay import Replay
from kinet.ui.transcript.stage.stage import Stage
from kinet.ui.transcript.teller import Teller

# What is told before anything is shown: more than any screen holds, or as long as nobody notices.
_FIRST_ENTRIES = 60
_FIRST_SECONDS = 0.008


class _Shown(Protocol):
    """Whatever has a stage: the transcript."""

    @property
    def stage(self) -> Stage: ...


class Presenter:
    """Shows the events of one session in one transcript."""

    def __init__(self, transcript: _Shown) -> None:
        self.stage: Stage = transcript.stage
        self._ends = TurnEnds()
        self._teller = Teller(self.stage, self._ends)
        self._teller.go_live(self.stage)
        self._replay: Replay | None = None

    def show(self, event: Event) -> None:
        """Shows one event."""
        if self._replay is not None and not self._replay.has_newest:
            # What comes now belongs to a turn of which not all is told yet.
            self.stage.filler.complete()
        self._teller.show(event)

    def replay(self, events: Iterable[Event], *, given: bool = False) -> None:
        """Shows a whole saved conversation instead of what was shown: it looks as if live.

        Its end is shown at once; the rest is put above it in the next turns of the loop. A list
        that is `given` is emptied meanwhile: a copy of a very long one takes its time.
        """
        told = events if given and isinstance(events, list) else list(events)
        self._ends = TurnEnds(self._ends)
        self._replay = replay = Replay(told, self._ends, self.stage)
        self._teller = replay.newest
        portions = replay.portions()
        first: list[Entry] = []
        deadline = time.perf_counter() + _FIRST_SECONDS
        for portion in portions:
            first[:0] = portion
            if len(first) >= _FIRST_ENTRIES or time.perf_counter() > deadline:
                break
        self.stage.set_entries(first)
        self.stage.filler.begin(portions)

    def show_undo(self, standing: Mapping[str, bool]) -> None:
        """Which turns can be undone, by id; True for those that are undone now."""
        for card in self._ends.show_undo(standing):
            self.stage.touch(card)

    def show_facts(self, known: Mapping[str, FactState], has_project: bool) -> None:
        """How the facts that receipts name stand now, by id; `has_project`: there is a folder."""
        for receipt in self._ends.show_facts(known, has_project):
            self.stage.touch(receipt)

    def show_branches(self, places: Mapping[str, tuple[int, int]]) -> None:
        """The turns that have others beside them, by id: (number from 1, how many)."""
        for line in self._ends.show_branches(places):
            self.stage.touch(line)

    def show_edits(self, kept: Collection[str]) -> None:
        """The turns whose question was edited, which was kept and not sent, by id."""
        for line in self._ends.show_edits(kept):
            self.stage.touch(line)
