"""All servers with how they stand: added, tried, changed, switched and removed from here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QScrollArea, QVBoxLayout, QWidget

from kinet.ui.asking.approval_words import home_short
from kinet.ui.kit.controls import ElidedLabel, text_label
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.tab_order import tab_as_laid_out
from kinet.ui.kit.tasks import spawn
from kinet.ui.kit.visible_text import spell_out
from kinet.ui.kit.warm_up import import_slowly
from kinet.ui.kit.wrapping_row import WrappingRow
from kinet.ui.servers.server_acts import ServerActs
from kinet.ui.servers.server_item import ServerItem
from kinet.ui.servers.server_list import ServerList
from kinet.ui.servers.server_words import row_matches

if TYPE_CHECKING:
    from kinet.settings.server_services import ServerRow, ServerServices
    from kinet.ui.servers.server_form import ServerForm

_EMPTY = (
    "There are no servers yet. A server is a program, here or elsewhere, that gives the model more "
    "tools: a database, a browser, a tracker."
)
_ABOUT = (
    "What a server says of its tools is its own claim; each call is asked about until you allow it "
    "for good. A server on this computer runs with your rights."
)
_SEARCH_FROM = 7


class ServersView(QWidget):
    """For sessions on `folder`, "" for none. `told` carries a sentence and what takes it back."""

    told = Signal(str, object)
    # The question about the folder is to be seen.
    trust_wanted = Signal()

    def __init__(
        self, services: ServerServices, parent: QWidget | None = None, *, folder: str = ""
    ) -> None:
        super().__init__(parent)
        self.setObjectName("serversView")
        self._services, self._folder = services, folder
        self._rows: Sequence[ServerRow] = ()
        self._reads = 0
        self._wanted = ""
        # The words in the search are those of the settings' own search.
        self._found_from_outside = False
        # What ends the listening to changes; one, or none while nobody looks.
        self._ends: list[Callable[[], object]] = []
        ends = self._ends
        self.destroyed.connect(lambda: [end() for end in ends])
        self.about = text_label(_ABOUT, type="meta", tone="text_3", parent=self)
        self.about.setWordWrap(True)
        self.add = TextButton("Add a server…", self, icon_name="plus")
        self.add.setObjectName("addServerButton")
        self.add.clicked.connect(lambda: self.open_form(None))
        self.search = QLineEdit(self)
        self.search.setObjectName("serversSearch")
        self.search.setPlaceholderText("Find a server or tool")
        self.search.setAccessibleName("Find a server or tool")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._filter)
        self.acts = ServerActs(services, self._place_of, self)
        self.acts.told.connect(self.told)
        self.acts.done.connect(self.refresh)
        self.acts.edit_wanted.connect(self.open_form)
        self.acts.trust_wanted.connect(self.trust_wanted)
        self.acts.removed.connect(self.add.setFocus)
        self.own = ServerList(self.acts.serve, self)
        self.own.setObjectName("ownServers")
        self._place = ElidedLabel("", self)
        self._place.setProperty("type", "strong")
        self.brought = ServerList(self.acts.serve, self)
        self.brought.setObjectName("folderServers")
        self._empty = self._make_empty()
        self._arrange()

    @property
    def items(self) -> list[ServerItem]:
        """The rows on show, the person's own first."""
        return [*self.own.items, *self.brought.items]

    def set_folder(self, folder: str) -> None:
        """The project whose servers are listed too; "" for none."""
        if folder != self._folder:
            self._folder = folder
            self.refresh()

    def refresh(self) -> None:
        """Reads how they stand and shows it; what is unseen is read alone."""
        self._reads += 1
        spawn(self._read(self._reads), "list of servers")

    def show_server(self, name: str) -> None:
        """Unfolds the row of this server and puts the focus on it, as soon as it is there."""
        self.search.clear()
        self._wanted = name
        self._show_wanted()

    def matches(self, words: str) -> bool:
        """True if a server or one of its tools holds all these words; the list shows these."""
        found = bool(words) and any(row_matches(row, words) for row in self._rows)
        if found:
            self._found_from_outside = True
            self.search.setText(words)
        elif self._found_from_outside:
            self._found_from_outside = False
            self.search.clear()
        return found

    def open_form(self, name: str | None) -> ServerForm:
        """Opens the form, for a new server where none is named."""
        from kinet.ui.servers.server_form import ServerForm

        form = ServerForm(self._services, name or "", self, folder=self._folder)
        form.saved.connect(self._saved)
        form.open()
        return form

    def showEvent(self, event: QShowEvent) -> None:
        """From now on it follows what happens."""
        super().showEvent(event)
        if not self._ends:
            self._ends.append(self._services.on_change(self.refresh))
        self.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        while self._ends:
            self._ends.pop()()
        self._reads += 1
        for part in (self.own, self.brought):
            part.drop_many()

    def changeEvent(self, event: QEvent) -> None:
        """Another look: the icon is drawn anew."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_empty"):
            self.add.refresh_icon()
            self.first.refresh_icon()

    def _make_empty(self) -> QFrame:
        empty = QFrame(self)
        empty.setObjectName("noServers")
        empty.setProperty("surface", "card")
        words = text_label(_EMPTY, tone="text_2", parent=empty)
        words.setWordWrap(True)
        self.first = TextButton("Add a server…", empty, icon_name="plus")
        self.first.setObjectName("firstServerButton")
        self.first.clicked.connect(lambda: self.open_form(None))
        column = QVBoxLayout(empty)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addWidget(words)
        column.addWidget(self.first, 0, Qt.AlignmentFlag.AlignLeft)
        empty.hide()
        return empty

    def _arrange(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 8)
        column.setSpacing(8)
        tools = WrappingRow(filling=self.search)
        tools.addWidget(self.add)
        tools.addWidget(self.search)
        column.addWidget(self.about)
        column.addLayout(tools)
        column.addWidget(self._empty)
        column.addWidget(self.own)
        column.addSpacing(8)
        column.addWidget(self._place)
        column.addWidget(self.brought)
        for part in (self.search, self.own, self.brought, self._place, self.add, self.about):
            part.hide()

    def _place_of(self) -> Path | None:
        return Path(self._folder) if self._folder else None

    async def _read(self, number: int) -> None:
        rows = await self._services.rows(self._place_of())
        if number != self._reads:
            return
        self._rows = rows
        if not self.isVisible():
            return
        own = [row for row in rows if row.place == "own"]
        brought = [row for row in rows if row.place != "own"]
        self._show_frame(own, brought)
        made = False
        for part, listed in ((self.own, own), (self.brought, brought)):
            if number == self._reads:
                made |= await part.show_rows(listed, lambda: number != self._reads)
        if made:
            # New rows come behind the search, not at the end of the window where Qt puts them.
            tab_as_laid_out(self)
        if number == self._reads:
            self._show_wanted()
            # What a row unfolds is at hand when the first one is pressed.
            await import_slowly(("kinet.ui.servers.server_details",))

    def _show_frame(self, own: Sequence[ServerRow], brought: Sequence[ServerRow]) -> None:
        self._empty.setVisible(not own)
        for part in (self.add, self.own, self.about):
            part.setVisible(bool(own))
        self.search.setVisible(len(own) + len(brought) >= _SEARCH_FROM or bool(self.search.text()))
        self._place.setVisible(bool(brought))
        self.brought.setVisible(bool(brought))
        if brought:
            where = spell_out(home_short(brought[0].folder)).text
            self._place.set_text(f"Named by {where}/.mcp.json")

    def _saved(self, names: Sequence[str], place: str) -> None:
        self.refresh()
        self.show_server(names[0])
        told = names[0] if len(names) == 1 else f"{len(names)} servers"
        where = " for this session only: no keychain answers here" if place == "session" else ""
        self.told.emit(f"{told} saved{where}", None)

    def _filter(self, words: str) -> None:
        for part in (self.own, self.brought):
            spawn(part.filter(words), "find a server")

    def _show_wanted(self) -> None:
        item = self.own.item(self._wanted) or self.brought.item(self._wanted)
        if not self._wanted or item is None:
            return
        self._wanted = ""
        item.unfold()
        # Once it has its place.
        QTimer.singleShot(0, item, lambda: _scroll_to(item))


def _scroll_to(item: QWidget) -> None:
    """The beginning of a row is seen, wherever it stands on its page."""
    above = item.parentWidget()
    while above is not None and not isinstance(above, QScrollArea):
        above = above.parentWidget()
    inside = above.widget() if isinstance(above, QScrollArea) else None
    if isinstance(above, QScrollArea) and inside is not None:
        below = item.mapTo(inside, item.rect().topLeft()).y()
        above.verticalScrollBar().setValue(max(0, below - 24))
