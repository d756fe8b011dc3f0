"""What ends the turns on screen: their cards and lines, and what is known of each turn."""

from __future__ import annotations

from collections.abc import Mapping

from kinet.ui.transcript.files_entry import FilesEntry
from kinet.ui.transcript.lines import MetaEntry


class TurnEnds:
    """Cards of changed files and closing lines, by turn; what comes later is told what is known."""

    def __init__(self, before: TurnEnds | None = None) -> None:
        self._cards: dict[str, FilesEntry] = {}
        self._lines: dict[str, MetaEntry] = {}
        self._standing: Mapping[str, bool] = before._standing if before else {}
        self._places: Mapping[str, tuple[int, int]] = before._places if before else {}

    def add_card(self, turn_id: str, card: FilesEntry) -> None:
        """Takes the card of a turn."""
        self._cards[turn_id] = card
        card.can_undo = turn_id in self._standing
        card.undone = self._standing.get(turn_id, False)

    def add_line(self, turn_id: str, line: MetaEntry) -> None:
        """Takes the line of a turn."""
        self._lines[turn_id] = line
        line.branch = self._places.get(turn_id, (1, 1))

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
        self._places = dict(places)
        changed = []
        for turn_id, line in self._lines.items():
            place = places.get(turn_id, (1, 1)) if turn_id else (1, 1)
            if line.branch != place:
                line.branch = place
                changed.append(line)
        return changed
