"""The first page: how Kinet should reach a model."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from kinet.core.profile import ModelProfile
from kinet.ui.services import Services
from kinet.ui.theme import Theme


class WelcomePage(QWidget):
    """Offers what was found, a key to paste, and the tour. Saved profiles are told by signal."""

    profile_chosen = Signal(ModelProfile)
    tour_requested = Signal()
    skipped = Signal()

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("welcomePage")

    async def look_around(self) -> None:
        """Looks for model servers and keys on this computer, and shows them."""

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
