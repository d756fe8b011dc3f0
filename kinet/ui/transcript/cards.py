"""The real widgets among the entries: they stand at the end, and are moved as it scrolls."""

from __future__ import annotations

from kinet.ui.transcript.flow import Flow
from kinet.ui.transcript.widget_entry import WidgetEntry

# Cards stand at the end, so that only the newest entries are looked at.
_NEWEST = 40


class CardShelf:
    """Finds and places the cards of a flow."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow

    def all(self) -> list[WidgetEntry]:
        """The cards, in their order."""
        return [e for e in self._flow.entries[-_NEWEST:] if isinstance(e, WidgetEntry)]

    def first(self) -> WidgetEntry | None:
        """The uppermost card, or None."""
        cards = self.all()
        return cards[0] if cards else None

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
