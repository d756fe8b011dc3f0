"""What ends the turns on screen: their cards and lines, and what is known of each turn."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from kinet.core.events import FilesChanged
from kinet.ui.transcript.entries.files_entry import FilesEntry
from kinet.ui.transcript.entries.lines import MetaEntry
from kinet.ui.transcript.entries.receipt import FactState, ReceiptEntry


class Found(NamedTuple):
    """A card that was told more, or a new one; that stands before a line, or at the end."""

    card: FilesEntry
    is_new: bool = False
    before: MetaEntry | None = None


class TurnEnds:
    """Cards of changed files and closing lines, by turn; what comes later is told what is known."""

    def __init__(self, before: TurnEnds | None = None) -> None:
        self._cards: dict[str, FilesEntry] = {}
        self._lines: dict[str, MetaEntry] = {}
        self._receipts: list[ReceiptEntry] = []
        self._facts: Mapping[str, FactState] | None = before._facts if before else None
        self._has_project: bool = before._has_project if before else False
        self._standing: Mapping[str, bool] = before._standing if before else {}
        self._places: Mapping[str, tuple[int, int]] = before._places if before else {}
        self._edits: Collection[str] = before._edits if before else ()
        # What was found when its turn had ended, of turns that are not told yet.
        self._found: dict[str, list[FilesChanged]] = {}
        # True for a turn that is still to be told; any other lies on another branch.
        self.is_to_come: Callable[[str], bool] = lambda turn_id: False

    def add_card(self, turn_id: str, card: FilesEntry) -> None:
        """Takes the card of a turn."""
        self._cards[turn_id] = card
        card.can_undo = turn_id in self._standing
        card.undone = self._standing.get(turn_id, False)

    def add_found(self, event: FilesChanged) -> Found | None:
        """Takes what was found when its turn had ended: for its card, which stands before its line.

        None if the turn is not told yet: it will have it in its card. That of another branch has no
        place on screen: its card stands where it was found.
        """
        card, line = self._cards.get(event.turn_id), self._lines.get(event.turn_id)
        added, removed = event.added or 0, event.removed or 0
        if card is not None:
            card.add(event.paths, added, removed)
            return Found(card)
        if line is None and self.is_to_come(event.turn_id):
            self._found.setdefault(event.turn_id, []).append(event)
            return None
        card = FilesEntry(event.paths, added, removed, event.call_id, event.turn_id)
        self.add_card(event.turn_id, card)
        return Found(card, is_new=True, before=line)

    def found_of(self, turn_id: str) -> Sequence[FilesChanged]:
        """What was found of a turn that is told now."""
        return self._found.pop(turn_id, ())

    def add_line(self, turn_id: str, line: MetaEntry) -> None:
        """Takes the line of a turn."""
        self._lines[turn_id] = line
        line.branch = self._places.get(turn_id, (1, 1))
        line.has_edit = turn_id in self._edits

    def add_receipt(self, receipt: ReceiptEntry) -> None:
        """Takes the receipt for facts that were noticed."""
        self._receipts.append(receipt)
        receipt.known, receipt.has_project = self._facts, self._has_project

    def show_facts(
        self, known: Mapping[str, FactState], has_project: bool
    ) -> Sequence[ReceiptEntry]:
        """All facts that are kept, by id; the receipts, which may look different now."""
        self._facts, self._has_project = dict(known), has_project
        for receipt in self._receipts:
            receipt.known, receipt.has_project = self._facts, has_project
        return self._receipts

    def show_undo(self, standing: Mapping[str, bool]) -> list[FilesEntry]:
        """Which turns can be undone (True: they are undone now); the cards that look different."""
        self._standing = dict(standing)
        changed = []
        for turn_id, card in self._cards.items():
            before = card.can_undo, card.undone
            card.can_undo = turn_id in standing
            card.undone = standing.get(turn_id, False)
            if before != (card.can_undo, card.undone):
                changed.append(card)
        return changed

    def show_branches(self, places: Mapping[str, tuple[int, int]]) -> list[MetaEntry]:
        """(number, count) of the turns with others beside them; the lines that look different."""
        before, self._places = self._places, {k: v for k, v in places.items() if v != (1, 1)}
        changed = []
        # Of a long session few turns have others beside them.
        for turn_id in {**before, **self._places}:
            line = self._lines.get(turn_id) if turn_id else None
            place = self._places.get(turn_id, (1, 1))
            if line is not None and line.branch != place:
                line.branch = place
                changed.append(line)
        return changed

    def show_edits(self, kept: Collection[str]) -> list[MetaEntry]:
        """The turns whose question has an edit that was not sent; the lines that look different."""
        self._edits = frozenset(kept)
        changed = []
        for turn_id, line in self._lines.items():
            if line.has_edit != (turn_id in kept):
                line.has_edit = turn_id in kept
                changed.append(line)
        return changed
