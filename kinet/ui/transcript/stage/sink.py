"""Where a presenter writes: the stage on screen, or a sheet that is shown in one go."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from kinet.ui.transcript.entries.entry import Entry
from kinet.ui.transcript.entries.error_card import ErrorEntry
from kinet.ui.transcript.entries.lines import MetaEntry
from kinet.ui.transcript.entries.text_entry import TextEntry


class Sink(Protocol):
    """Takes entries and their changes."""

    def set_entries(self, entries: Iterable[Entry]) -> None:
        """Shows other entries instead."""
        ...

    def add(self, entry: Entry, before: Entry | None = None) -> None:
        """One more at the end, or before another that is there."""
        ...

    def remove(self, entry: Entry) -> None:
        """One less; nothing happens if it is not there."""
        ...

    def touch(self, entry: Entry) -> None:
        """It looks different now."""
        ...

    def stream(self, entry: TextEntry, text: str) -> None:
        """A piece of its text."""
        ...

    def finish(self, entry: TextEntry, source: str | None) -> None:
        """Its text is whole; `source`, if given, is what it is."""
        ...

    def retire(self) -> None:
        """A new turn begins: only the newest can be retried."""
        ...


class Sheet:
    """Entries that nobody sees yet: no layout, no pace."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._from = 0

    def set_entries(self, entries: Iterable[Entry]) -> None:
        """Begins anew with these."""
        self.entries = list(entries)

    def add(self, entry: Entry, before: Entry | None = None) -> None:
        """One more at the end, or before another."""
        place = next((n for n, there in enumerate(self.entries) if there is before), None)
        self.entries.insert(len(self.entries) if place is None else place, entry)

    def remove(self, entry: Entry) -> None:
        """One less; the newest are looked at first."""
        for place in range(len(self.entries) - 1, -1, -1):
            if self.entries[place] is entry:
                del self.entries[place]
                self._from = min(self._from, place)
                return

    def touch(self, entry: Entry) -> None:
        """Nobody sees it."""

    def stream(self, entry: TextEntry, text: str) -> None:
        """More of its text; nothing is split yet."""
        entry.hold(text)

    def finish(self, entry: TextEntry, source: str | None) -> None:
        """Its text is whole."""
        if source is not None:
            entry.replace(source)

    def retire(self) -> None:
        """Only the newest turn can be retried."""
        self._from = retire(self.entries, self._from)


def retire_newest(entries: list[Entry]) -> None:
    """Takes Retry from the newest turn that ended; those before it have lost it already."""
    for entry in reversed(entries):
        if isinstance(entry, MetaEntry | ErrorEntry):
            if not entry.newest:
                return
            entry.newest = False


def retire(entries: list[Entry], start: int = 0) -> int:
    """Takes Retry from the turns that ended; where the next call need begin."""
    for entry in entries[start:]:
        if isinstance(entry, MetaEntry | ErrorEntry):
            entry.newest = False
    return len(entries)
