"""The keys of search services: typed here, kept where keys are kept, and where that is is said."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from kinet.core.errors import KinetError
from kinet.ui.kept_shares import CommandServices
from kinet.ui.kit.tasks import in_thread, spawn
from kinet.ui.models.key_form import KeyForm

_SERVICES = {"brave": "Brave Search", "tavily": "Tavily"}


class SearchKeyPart(KeyForm):
    """One field for the service that is chosen; nothing for one that wants no key."""

    told = Signal(str, object)

    def __init__(self, commands: CommandServices, parent: QWidget | None = None) -> None:
        super().__init__("", "Remove", parent)
        self.forget = self.second
        self.setObjectName("searchKeyPart")
        self._commands = commands
        self._service = ""
        self.field.setObjectName("searchKeyField")
        self.save.setObjectName("searchKeySave")
        self.forget.setObjectName("searchKeyForget")
        self.field.returnPressed.connect(self._save)
        self.save.clicked.connect(self._save)
        self.forget.clicked.connect(self._forget)
        self.show_service("")

    def show_service(self, service: str) -> None:
        """Turns to the key of this service; what was typed for another one is gone."""
        self.field.clear()
        self._service = service if service in _SERVICES else ""
        self.setVisible(bool(self._service))
        if self._service:
            title = f"Key for {_SERVICES[self._service]}"
            self.title.set_text(title)
            self.field.setAccessibleName(title)
            spawn(self._look(self._service), "look for a search key")

    async def _look(self, service: str) -> None:
        place = await in_thread(lambda: self._commands.search_key_place(service))
        if service == self._service:
            self.say_place(place)
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
            self.say(exc.sentence())
            self.save.setEnabled(bool(self.field.key))
            return
        self.field.clear()
        self.told.emit(said, None)
        await self._look(self._service)
