"""The parts of the settings window that ask this computer something when their page is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from kinet.ui.kit.controls import repolish, text_label
from kinet.ui.kit.part_buttons import padded
from kinet.ui.kit.tasks import in_thread, spawn
from kinet.ui.preferences.kept_view import KeptView
from kinet.ui.preferences.search_key_part import SearchKeyPart
from kinet.ui.preferences.settings_page import SettingsPage
from kinet.ui.services import Services

_SEARCH = "network.search"
_LIMIT = "data.limit_gb"


class LiveParts(QObject):
    """The sandbox on the page of approvals, search keys on that of the network, kept things."""

    told = Signal(str, object)

    def __init__(
        self, services: Services, pages: Mapping[str, SettingsPage], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._services, self._pages = services, pages
        self.sandbox = text_label("", type="meta", tone="text_3", parent=parent)
        self.sandbox.setObjectName("sandboxState")
        self.sandbox.setWordWrap(True)
        self.search_key = SearchKeyPart(services.commands, parent)
        self.kept = KeptView(services.kept, parent)
        self.search_key.told.connect(self.told)
        self.kept.told.connect(self.told)
        for section, part in (
            ("approvals", padded(self.sandbox, 0, 8, 0, 0)),
            ("network", self.search_key),
            ("data", self.kept),
        ):
            if section in pages:
                pages[section].add_part(part)

    def show_page(self, section: str) -> None:
        """Its page is turned to: it asks anew."""
        if section == "approvals":
            spawn(self._look_for_sandbox(), "look for a sandbox")
        elif section == "network":
            self.search_key.show_service(self._search_service())
        elif section == "data":
            self.kept.refresh()

    def setting_changed(self, key: str, value: Any) -> None:
        """Another service, another key; another limit, and what is over it goes."""
        if key == _SEARCH:
            self.search_key.show_service(str(value))
        elif key == _LIMIT:
            spawn(self._make_room(), "make room")

    async def _make_room(self) -> None:
        await in_thread(self._services.kept.make_room)
        self.kept.refresh()

    async def _look_for_sandbox(self) -> None:
        works, sentence = await in_thread(self._services.commands.sandbox)
        self.sandbox.setText(sentence)
        self.sandbox.setProperty("tone", "text_3" if works else "warning")
        repolish(self.sandbox)

    def _search_service(self) -> str:
        row = self._pages["network"].rows.get(_SEARCH)
        return str(row.value) if row is not None else ""
