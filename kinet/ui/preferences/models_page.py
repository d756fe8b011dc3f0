"""The page of models and prices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from kinet.ui.preferences.prices_part import PricesPart
from kinet.ui.preferences.profiles_part import ProfilesPart
from kinet.ui.preferences.settings_page import SettingsPage
from kinet.ui.services import Services

if TYPE_CHECKING:
    from kinet.settings.store import SettingsStore


class ModelsPage(SettingsPage):
    """Profiles with their keys, and the prices of models; found by the words people use."""

    def __init__(
        self, services: Services, settings: SettingsStore, title: str, parent: QWidget | None = None
    ) -> None:
        super().__init__("models", title, parent)
        self.profiles = ProfilesPart(services, settings, self)
        self.prices = PricesPart(services, self)
        self.add_part(self.profiles)
        self.add_part(self.prices)
        self.profiles.changed.connect(self.prices.prices.refresh)
        self.profiles.key_wanted.connect(lambda: self.area.ensureWidgetVisible(self.profiles.key))

    def refresh(self) -> None:
        """Reads profiles and prices again."""
        self.profiles.refresh()
        self.prices.prices.refresh()

    def set_theme(self) -> None:
        """Takes on another look."""
        self.profiles.set_theme()
        self.prices.table.set_theme()

    def filter(self, words: str) -> bool:
        """The parts stay together: they are shown whole or not at all."""
        names = "profile provider api key address endpoint test price cost dollar token model"
        own = all(word in names for word in words.lower().split())
        found = super().filter("" if own else words)
        for part in (self.profiles, self.prices):
            part.setVisible(own)
        return found or own
