"""A card with a row for each server: made a few at a time, and changed in place afterwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from kinet.ui.kit.tab_order import tab_as_laid_out
from kinet.ui.kit.tasks import breathe
from kinet.ui.servers.server_item import ServerItem

if TYPE_CHECKING:
    from kinet.settings.server_services import ServerRow

# Rows that are made, and rows that are changed, between two turns of the loop.
_MADE_AT_ONCE = 6
_CHANGED_AT_ONCE = 60


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

    async def show_rows(self, rows: Sequence[ServerRow], is_stale: Callable[[], bool]) -> None:
        """Shows these; ends early where newer ones have come meanwhile."""
        known = {item.key: item for item in self.items}
        kept = {(row.place, row.name) for row in rows}
        for gone in [item for item in self.items if item.key not in kept]:
            self._drop(gone)
        made = changed = 0
        for place, row in enumerate(rows):
            item = known.get((row.place, row.name))
            if item is None:
                item = ServerItem(row, self)
                self._connect(item)
                self.items.insert(place, item)
                self._column.insertWidget(place, item)
                made += 1
            else:
                self._change(item, row, place)
                changed += 1
            item.line.setVisible(place > 0)
            item.setVisible(item.matches(self._words))
            if made >= _MADE_AT_ONCE or changed >= _CHANGED_AT_ONCE:
                made = changed = 0
                await breathe()
                if is_stale():
                    return
        tab_as_laid_out(self)

    def item(self, name: str) -> ServerItem | None:
        """The row of this server, or None."""
        return next((item for item in self.items if item.row.name == name), None)

    def filter(self, words: str) -> None:
        """Shows the rows that hold all the words."""
        self._words = words
        for item in self.items:
            item.setVisible(item.matches(words))

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
