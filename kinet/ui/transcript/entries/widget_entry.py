"""A place in the transcript for a real widget: an approval card, with its buttons and focus."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from kinet.ui.transcript.blocks.style import Style
from kinet.ui.transcript.entries.entry import Entry, Room


class WidgetEntry(Entry):
    """Holds the space of a widget that lies on the transcript; the view moves it there."""

    kind = "card"
    __slots__ = ("widget",)

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self.widget = widget

    def estimate(self, style: Style, width: int) -> None:
        """Asks the widget how high it wants to be at this width."""
        self.widget.ensurePolished()
        if self.widget.hasHeightForWidth():
            wanted = self.widget.heightForWidth(width)
        else:
            wanted = self.widget.sizeHint().height()
        least = max(self.widget.minimumHeight(), self.widget.minimumSizeHint().height(), 1)
        self.height = max(wanted, least)

    def settle(self, room: Room) -> bool:
        """The height follows the widget's wish."""
        self.estimate(room.style, room.width)
        return True


class StandIn(WidgetEntry):
    """A widget in the place of another entry, which is still what the conversation says."""

    __slots__ = ("kind", "original")

    def __init__(self, widget: QWidget, original: Entry) -> None:
        super().__init__(widget)
        self.original = original
        self.kind = original.kind

    def markdown(self) -> str:
        """What the conversation says here."""
        return self.original.markdown()
