"""Finds words in the sources of a conversation, also in steps that are folded."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QTextCursor, QTextDocument

from kinet.ui.steps import StepRecord
from kinet.ui.transcript.flow import Flow
from kinet.ui.transcript.steps_group import StepGroup
from kinet.ui.transcript.text_entry import TextEntry


@dataclass(frozen=True)
class Match:
    """One place: entry and block, and the how manyth in it; or the call whose output has it."""

    entry: int
    piece: int = 0
    number: int = 0
    call_id: str = ""


class Finder:
    """The places of one text, and which of them is the current one."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self.text = ""
        self.current: Match | None = None
        self._matches: list[Match] = []
        self._stamp = (-1, -1)

    def next(self, text: str, backwards: bool) -> tuple[int, int]:
        """Goes to the next place: (its number from 1, number of all); (0, 0) for none."""
        stamp = (len(self._flow.entries), self._flow.height)
        other = text != self.text
        if other or stamp != self._stamp:
            before = self.current
            self.text = text
            self._matches = self._search(text.casefold()) if text else []
            self._stamp = stamp
            self.current = before if before in self._matches else None
        if not self._matches:
            self.current = None
            return 0, 0
        if self.current is None:
            place = len(self._matches) - 1 if backwards else 0
        else:
            # A letter more stays where it is, as long as that place still fits.
            step = 0 if other else -1 if backwards else 1
            place = (self._matches.index(self.current) + step) % len(self._matches)
        self.current = self._matches[place]
        return place + 1, len(self._matches)

    def clear(self) -> None:
        """Forgets the text."""
        self.text = ""
        self.current = None
        self._matches = []
        self._stamp = (-1, -1)

    def _search(self, text: str) -> list[Match]:
        found: list[Match] = []
        for number, entry in enumerate(self._flow.entries):
            if isinstance(entry, StepGroup):
                records = entry.records.values()
                found += [Match(number, call_id=r.call_id) for r in records if _in_step(r, text)]
            elif isinstance(entry, TextEntry) and text in entry.source.casefold():
                for place, piece in enumerate(entry.pieces):
                    count = piece.block.source.casefold().count(text)
                    found += [Match(number, place, n) for n in range(count)]
        return found


def occurrences(document: QTextDocument, text: str) -> list[tuple[int, int]]:
    """(start, end) of each place of a text in a document, whatever the case."""
    found: list[tuple[int, int]] = []
    cursor = QTextCursor(document)
    while len(found) < 500:
        cursor = document.find(text, cursor)
        if cursor.isNull() or cursor.selectionEnd() <= cursor.selectionStart():
            break
        found.append((cursor.selectionStart(), cursor.selectionEnd()))
    return found


def _in_step(record: StepRecord, text: str) -> bool:
    return (
        text in record.argument.casefold()
        or text in record.preview.casefold()
        or text in record.content.casefold()
    )
