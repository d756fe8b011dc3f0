"""The settings window: a list of pages, built from the settings schema."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QWidget

from kinet.ui.services import Services


class SettingsDialog(QDialog):
    """Shown with `open()`. Every change is kept at once and can be taken back for a while."""

    profiles_changed = Signal()

    def __init__(self, services: Services, settings: object, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("settingsDialog")

    def show_page(self, section: str) -> None:
        """Turns to the page of `section`; unknown names change nothing."""
