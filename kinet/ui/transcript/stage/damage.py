"""What a flush has to paint: where only the end has grown, the rest of the picture is moved."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from kinet.ui.transcript.entries.text_entry import TextEntry
from kinet.ui.transcript.stage.flow import Flow

# Backgrounds reach a little beyond the lines of their block.
_MARGIN = 8


@dataclass(frozen=True)
class Damage:
    """Before a flush: the last entry, its first block that may change, where both were."""

    entry: TextEntry
    block: int
    edge: int
    value: int

    @classmethod
    def before(cls, flow: Flow, entry: TextEntry, value: int) -> Damage | None:
        """None where more than the end may change."""
        if not flow.entries or flow.entries[-1] is not entry or entry.blocks is None:
            return None
        block = len(entry.blocks.pieces) - 1
        if block < 0 or entry.blocks.tail is None:
            return None
        return cls(entry, block, cls._edge(flow, entry, block), value)

    def repaint(self, flow: Flow, viewport: QWidget, value: int) -> bool:
        """Moves the picture and asks for paint below it; False if more than the end has changed."""
        if flow.entries[-1] is not self.entry or self.entry.blocks is None:
            return False
        if self.block >= len(self.entry.blocks.pieces):
            return False
        if self._edge(flow, self.entry, self.block) != self.edge:
            return False
        top = self.edge - value - _MARGIN
        moved = value - self.value
        if moved < 0 or not 0 < top < viewport.height():
            return False
        if moved:
            viewport.scroll(0, -moved)
        viewport.update(0, top, viewport.width(), viewport.height() - top)
        return True

    @staticmethod
    def _edge(flow: Flow, entry: TextEntry, block: int) -> int:
        assert entry.blocks is not None
        above = flow.top_of(len(flow.entries) - 1)
        return above + entry.top + entry.blocks.edge_of(block)
