"""The real widgets among the entries: cards at the end, one within; moved as it scrolls."""

from __future__ import annotations

from kinet.ui.transcript.entries.widget_entry import StandIn, WidgetEntry
from kinet.ui.transcript.stage.flow import Flow

# Cards stand at the end, so that only the newest entries are looked at.
_NEWEST = 40


class CardShelf:
    """Finds and places the cards of a flow."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        # Stands anywhere, for an entry.
        self.stand_in: StandIn | None = None

    def all(self) -> list[WidgetEntry]:
        """All widgets: the cards in their order, then what stands in for an entry."""
        return [*self._cards(), *([self.stand_in] if self.stand_in is not None else [])]

    def first(self) -> WidgetEntry | None:
        """The uppermost card, or None."""
        cards = self._cards()
        return cards[0] if cards else None

    def _cards(self) -> list[WidgetEntry]:
        found = self._flow.entries[-_NEWEST:]
        return [e for e in found if isinstance(e, WidgetEntry) and not isinstance(e, StandIn)]

    def hide(self) -> None:
        """Hides all cards, before other entries are shown."""
        for card in self.all():
            card.widget.hide()

    def place(self, column: tuple[int, int], top: int) -> None:
        """Moves the cards to where their entries are seen."""
        left, width = column
        for card in self.all():
            y = self._flow.top_of(self._flow.place_of(card)) - top
            card.widget.setGeometry(left, y, width, card.height)
            if card.widget.isHidden():
                card.widget.show()
