"""One server in the list: its row with a switch, and below it what the row unfolds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from kinet.ui.kit.switch import Switch
from kinet.ui.kit.tab_order import tab_as_laid_out
from kinet.ui.look.theme import current_theme
from kinet.ui.servers.server_head import ServerHead
from kinet.ui.servers.server_words import row_matches

if TYPE_CHECKING:
    from kinet.settings.server_services import ServerRow
    from kinet.ui.servers.server_details import ServerDetails


class ServerItem(QWidget):
    """Says what is wanted by signal; `row` is what it shows now."""

    switched = Signal(bool)
    unfolded = Signal()
    restart_wanted = Signal()
    edit_wanted = Signal()
    remove_wanted = Signal()
    trust_wanted = Signal()
    sign_in_wanted = Signal()
    give_up_wanted = Signal()
    sign_out_wanted = Signal()
    tool_switched = Signal(str, bool)
    all_switched = Signal(bool)

    def __init__(self, row: ServerRow, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("serverItem")
        self.row = row
        # The first one has no line above it.
        self.is_first = False
        self.head = ServerHead(row, self)
        self.head.toggled.connect(self._fold)
        self.switch = Switch(f"Use the server {row.name}", self)
        self.details: ServerDetails | None = None
        beside = QHBoxLayout()
        beside.setContentsMargins(0, 0, 12, 0)
        beside.setSpacing(4)
        beside.addWidget(self.head, 1)
        beside.addWidget(self.switch, 0, Qt.AlignmentFlag.AlignVCenter)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 1, 0, 0)
        self._column.setSpacing(0)
        self._column.addLayout(beside)
        self.show_row(row)
        self.switch.toggled.connect(self.switched)

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from all others."""
        return self.row.place, self.row.name

    def show_row(self, row: ServerRow) -> None:
        """Shows how it stands now; focus, place and what is unfolded stay."""
        self.row = row
        self.head.show_row(row)
        self.switch.blockSignals(True)
        self.switch.setChecked(row.enabled)
        self.switch.blockSignals(False)
        self.switch.setEnabled(row.state not in ("trust", "hidden"))
        if self.details is not None:
            self.details.show_row(row)

    def differs(self, row: ServerRow) -> bool:
        """True where something on show may say another thing: also what was just pressed."""
        return self.row != row or self.switch.isChecked() != row.enabled or self.details is not None

    def unfold(self) -> None:
        """Opens what the row holds, with the focus on what it wants of the person."""
        self.head.setChecked(True)
        details = self.details
        wanted = details is not None and details.sign_in.property("kind") == "primary"
        if details is not None and wanted and not details.sign_in.isHidden():
            details.sign_in.setFocus()
        else:
            self.head.setFocus()

    def matches(self, words: str) -> bool:
        """True if its name, line or one of its tools hold all these words."""
        return row_matches(self.row, words)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The hairline that parts it from the one above: a widget less for each of hundreds."""
        if not self.is_first:
            painter = QPainter(self)
            painter.fillRect(0, 0, self.width(), 1, current_theme().qcolor("border"))

    def _fold(self, shown: bool) -> None:
        if shown and self.details is None:
            self.details = self._make_details()
            self._column.addWidget(self.details)
            tab_as_laid_out(self)
        if self.details is not None:
            self.details.setVisible(shown)
        if shown:
            self.unfolded.emit()

    def _make_details(self) -> ServerDetails:
        # Its boxes and lists are made for the few that are looked at.
        from kinet.ui.servers.server_details import ServerDetails

        details = ServerDetails(self.row, self)
        details.restart_wanted.connect(self.restart_wanted)
        details.edit_wanted.connect(self.edit_wanted)
        details.remove_wanted.connect(self.remove_wanted)
        details.trust_wanted.connect(self.trust_wanted)
        details.sign_in_wanted.connect(self.sign_in_wanted)
        details.give_up_wanted.connect(self.give_up_wanted)
        details.sign_out_wanted.connect(self.sign_out_wanted)
        details.tool_switched.connect(self.tool_switched)
        details.all_switched.connect(self.all_switched)
        return details
