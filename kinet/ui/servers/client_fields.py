"""How Kinet is known where people sign in to a server: for those that do not take any client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from kinet.ui.kit.controls import text_label
from kinet.ui.kit.masked_field import MaskedField
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
        self.client = self._line("Client id", "serverClientId")
        self.secret = MaskedField("Client secret", self)
        self.secret.setObjectName("serverClientSecret")
        self.secret.setAccessibleName("Client secret")
        self.secret.textChanged.connect(lambda _text: self.changed.emit())
        self.port = self._line("Callback port", "serverCallbackPort")
        self.scopes = self._line("Scopes", "serverScopes")
        about = text_label(_ABOUT, type="meta", tone="text_3", parent=self)
        about.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        for pair in ((self.client, self.secret), (self.port, self.scopes)):
            row = QHBoxLayout()
            row.setSpacing(6)
            row.addWidget(pair[0], 2)
            row.addWidget(pair[1], 3)
            column.addLayout(row)
        column.addWidget(about)

    def show_values(self, values: Mapping[str, Any]) -> None:
        """Fills the fields."""
        self._before = values
        for key, line in self._lines():
            line.setText(str(values.get(key) or ""))
            line.setCursorPosition(0)
        kept = values.get("clientSecret") == KEPT
        self.secret.setText("" if kept else str(values.get("clientSecret") or ""))
        self.secret.setPlaceholderText(HELD if kept else "Client secret")

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

    def _lines(self) -> tuple[tuple[str, QLineEdit], ...]:
        return ("clientId", self.client), ("callbackPort", self.port), ("scopes", self.scopes)

    def _line(self, name: str, object_name: str) -> QLineEdit:
        line = QLineEdit(self)
        line.setObjectName(object_name)
        line.setAccessibleName(name)
        line.setPlaceholderText(name)
        line.textChanged.connect(lambda _text: self.changed.emit())
        return line
