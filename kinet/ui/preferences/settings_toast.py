"""The toast of the settings: at the right end of the page's bottom."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from kinet.ui.kit.toast import HEIGHT, Toast

_BESIDE, _BELOW = 32, 16


class SettingsToast(Toast):
    """What was kept, and the way back."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("settingsToast")
        self._page = parent

    def place(self) -> None:
        """Ends where the page's column ends."""
        self.adjustSize()
        width = min(self.sizeHint().width(), self._page.width() - 2 * _BESIDE)
        self.resize(width, HEIGHT)
        self.move(self._page.width() - width - _BESIDE, self._page.height() - HEIGHT - _BELOW)
