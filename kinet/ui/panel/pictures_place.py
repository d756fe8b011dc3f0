"""Where the pictures of a step are shown: empty until the first step that has some."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout, QWidget

if TYPE_CHECKING:
    from kinet.ui.panel.pictures_view import PicturesView


class PicturesPlace(QWidget):
    """What draws pictures is imported when there are any."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view: PicturesView | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)

    def show_pictures(self, urls: Sequence[str]) -> None:
        """Shows these."""
        if self.view is None and urls:
            from kinet.ui.panel.pictures_view import PicturesView

            self.view = PicturesView(self)
            self._column.addWidget(self.view)
        if self.view is not None:
            self.view.show_pictures(urls)

    def copy(self) -> bool:
        """Puts one on the clipboard; False where there is none."""
        return self.view is not None and self.view.copy()

    def save(self, failed: Callable[[str], None]) -> None:
        """Asks where one is to be written."""
        if self.view is not None:
            self.view.save(failed)
