"""How Kinet is known where people sign in to a server: for those that do not take any client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLineEdit, QVBoxLayout, QWidget

from kinet.ui.kit.controls import text_label
from kinet.ui.kit.masked_field import MaskedField
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.tab_order import tab_as_laid_out
from kinet.ui.servers.value_rows import HELD, KEPT

_ABOUT = (
    "Only for a server that people sign in to and that wants Kinet registered by hand, with "
    "http://127.0.0.1:PORT/callback as the address that leads back."
)


class ClientFields(QWidget):
    """`values` is what they say now; what the keychain holds is never shown."""

    changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._before: Mapping[str, Any] = {}
        self.add = TextButton(
            "A client registered by hand", self, kind="quiet", size="small", icon_name="plus"
        )
        self.add.setObjectName("addClientButton")
        self.add.clicked.connect(self._unfold)
        self.client = self._line("Client id", "serverClientId")
        self.secret = MaskedField("", self)
        self.secret.setObjectName("serverClientSecret")
        self.secret.setAccessibleName("Client secret")
        self.secret.textChanged.connect(lambda _text: self.changed.emit())
        self.port = self._line("Callback port", "serverCallbackPort")
        self.scopes = self._line("Scopes", "serverScopes")
        self._inside = QWidget(self)
        about = text_label(_ABOUT, type="meta", tone="text_3", parent=self)
        about.setWordWrap(True)
        grid = QGridLayout(self._inside)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(4)
        for place, field in enumerate((self.client, self.secret, self.port, self.scopes)):
            word = text_label(field.accessibleName(), type="meta", tone="text_2", parent=self)
            word.setBuddy(field)
            row, beside = divmod(place, 2)
            grid.addWidget(word, 2 * row, beside)
            grid.addWidget(field, 2 * row + 1, beside)
        grid.setColumnStretch(0, 2)
        grid.setColumnStretch(1, 3)
        grid.addWidget(about, 4, 0, 1, 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._inside)
        tab_as_laid_out(self)
        self._inside.hide()

    def show_values(self, values: Mapping[str, Any]) -> None:
        """Fills the fields."""
        self._before = values
        for key, line in self._lines():
            line.setText(str(values.get(key) or ""))
            line.setCursorPosition(0)
        kept = values.get("clientSecret") == KEPT
        self.secret.setText("" if kept else str(values.get("clientSecret") or ""))
        self.secret.setPlaceholderText(HELD if kept else "")
        self._show(bool(self.values()))

    def values(self) -> dict[str, Any]:
        """What is filled in; what has no field stays as it is."""
        known = ("clientId", "clientSecret", "callbackPort", "scopes")
        made = {key: value for key, value in self._before.items() if key not in known}
        for key, line in self._lines():
            if text := line.text().strip():
                made[key] = int(text) if key == "callbackPort" and text.isdecimal() else text
        if secret := self.secret.text().strip():
            made["clientSecret"] = secret
        elif self._before.get("clientSecret") == KEPT and "clientId" in made:
            made["clientSecret"] = KEPT
        return made

    def changeEvent(self, event: QEvent) -> None:
        """Another look."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "scopes"):
            self.secret.refresh_icons()
            self.add.refresh_icon()

    def _unfold(self) -> None:
        self._show(True)
        self.client.setFocus()

    def _show(self, shown: bool) -> None:
        """Few servers want this: the fields come when they are asked for."""
        self.add.setVisible(not shown)
        self._inside.setVisible(shown)

    def _lines(self) -> tuple[tuple[str, QLineEdit], ...]:
        return ("clientId", self.client), ("callbackPort", self.port), ("scopes", self.scopes)

    def _line(self, name: str, object_name: str) -> QLineEdit:
        line = QLineEdit(self)
        line.setObjectName(object_name)
        line.setAccessibleName(name)
        line.textChanged.connect(lambda _text: self.changed.emit())
        return line
