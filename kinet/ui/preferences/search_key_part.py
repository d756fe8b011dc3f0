"""The keys of search services: typed here, kept where keys are kept, and where that is is said."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from kinet.core.errors import KinetError
from kinet.ui.kept_shares import CommandServices
from kinet.ui.kit.controls import repolish, text_label
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.tasks import in_thread, spawn
from kinet.ui.models.key_field import KeyField

_SERVICES = {"brave": "Brave Search", "tavily": "Tavily"}
_PLACES = {
    "keychain": "Kept in the keychain of this computer. It is never shown again.",
    "environment": "Comes from a variable of the environment.",
    "session": "Kept for this session only: no keychain answers here, and a key is never written "
    "to a file.",
    "none": "No key yet.",
}


class SearchKeyPart(QWidget):
    """One field for the service that is chosen; nothing for one that wants no key."""

    told = Signal(str, object)

    def __init__(self, commands: CommandServices, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("searchKeyPart")
        self._commands = commands
        self._service = ""
        self.title = text_label("", type="strong", parent=self)
        self.field = KeyField("Paste a key", self)
        self.field.setObjectName("searchKeyField")
        self.save = TextButton("Save key", self)
        self.save.setObjectName("searchKeySave")
        self.forget = TextButton("Remove", self)
        self.forget.setObjectName("searchKeyForget")
        self.place = text_label("", type="meta", tone="text_3", parent=self)
        self.place.setWordWrap(True)
        self.field.key_changed.connect(lambda key: self.save.setEnabled(bool(key)))
        self.field.returnPressed.connect(self._save)
        self.save.clicked.connect(self._save)
        self.forget.clicked.connect(self._forget)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.field, 1)
        row.addWidget(self.save)
        row.addWidget(self.forget)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 16, 0, 8)
        column.setSpacing(6)
        column.addWidget(self.title)
        column.addLayout(row)
        column.addWidget(self.place)
        self.save.setEnabled(False)
        self.show_service("")

    def show_service(self, service: str) -> None:
        """Turns to the key of this service; what was typed for another one is gone."""
        self.field.clear()
        self._service = service if service in _SERVICES else ""
        self.setVisible(bool(self._service))
        if self._service:
            title = f"Key for {_SERVICES[self._service]}"
            self.title.setText(title)
            self.field.setAccessibleName(title)
            spawn(self._look(self._service), "look for a search key")

    async def _look(self, service: str) -> None:
        place = await in_thread(lambda: self._commands.search_key_place(service))
        if service == self._service:
            self._say(_PLACES[place], "warning" if place == "session" else "text_3")
            self.forget.setVisible(place in ("keychain", "session"))

    def _save(self) -> None:
        key, service = self.field.key, self._service
        if key and service:
            self.save.setEnabled(False)
            spawn(
                self._do(lambda: self._commands.save_search_key(service, key), "Key saved"),
                "save a search key",
            )

    def _forget(self) -> None:
        service = self._service
        spawn(
            self._do(lambda: self._commands.forget_search_key(service), "Key removed"),
            "remove a search key",
        )

    async def _do(self, act: Callable[[], object], said: str) -> None:
        try:
            await in_thread(act)
        except KinetError as exc:
            self._say(exc.sentence(), "danger")
            self.save.setEnabled(bool(self.field.key))
            return
        self.field.clear()
        self.told.emit(said, None)
        await self._look(self._service)

    def _say(self, sentence: str, tone: str) -> None:
        self.place.setText(sentence)
        self.place.setProperty("tone", tone)
        repolish(self.place)
