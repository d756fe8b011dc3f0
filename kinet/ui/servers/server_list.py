"""A card with a row for each server: made a few at a time, and changed in place afterwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from kinet.ui.kit.tasks import breathe
from kinet.ui.servers.server_item import ServerItem

if TYPE_CHECKING:
    from kinet.settings.server_services import ServerRow

# Rows that are made, and rows that are changed, between two turns of the loop.
_MADE_AT_ONCE = 6
_CHANGED_AT_ONCE = 60
_SHOWN_AT_ONCE = 12
_MANY = 40


class ServerList(QFrame):
    """`connect` is given each new row, so that its owner hears it."""

    def __init__(self, connect: Callable[[ServerItem], object], parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("surface", "card")
        self._connect = connect
        self._words = ""
        self.items: list[ServerItem] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(1, 1, 1, 1)
        self._column.setSpacing(0)

    async def show_rows(self, rows: Sequence[ServerRow], is_stale: Callable[[], bool]) -> bool:
        """Shows these; ends early where newer ones have come meanwhile. True if it made some."""
        known = {item.key: item for item in self.items}
        kept = {(row.place, row.name) for row in rows}
        for gone in [item for item in self.items if item.key not in kept]:
            self._drop(gone)
        made = changed = 0
        any_made = False
        for place, row in enumerate(rows):
            item = known.get((row.place, row.name))
            if item is None:
                item = ServerItem(row, self)
                self._connect(item)
                self.items.insert(place, item)
                self._column.insertWidget(place, item)
                made += 1
                any_made = True
            else:
                self._change(item, row, place)
                changed += 1
            item.is_first = place == 0
            item.setVisible(item.matches(self._words))
            if made >= _MADE_AT_ONCE or changed >= _CHANGED_AT_ONCE:
                made = changed = 0
                await breathe()
                if is_stale():
                    break
        return any_made

    def item(self, name: str) -> ServerItem | None:
        """The row of this server, or None."""
        return next((item for item in self.items if item.row.name == name), None)

    async def filter(self, words: str) -> None:
        """Shows the rows that hold all the words, a few at a time; the newest words count."""
        self._words = words
        shown = 0
        for item in list(self.items):
            fits = item.matches(words)
            if fits == item.isVisible():
                continue
            item.setVisible(fits)
            # To show one costs more than to hide it.
            shown += fits
            if shown >= _SHOWN_AT_ONCE:
                shown = 0
                await breathe()
                if words != self._words:
                    return

    def drop_many(self) -> None:
        """Lets many rows go that nobody sees: each would cost a change of the look its time."""
        if len(self.items) > _MANY:
            for item in list(self.items):
                self._drop(item)

    def _change(self, item: ServerItem, row: ServerRow, place: int) -> None:
        if item.differs(row):
            item.show_row(row)
        if self.items.index(item) != place:
            self.items.remove(item)
            self.items.insert(place, item)
            self._column.insertWidget(place, item)

    def _drop(self, item: ServerItem) -> None:
        self.items.remove(item)
        self._column.removeWidget(item)
        item.hide()
        item.deleteLater()
