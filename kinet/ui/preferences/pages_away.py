"""Where pages of the closed settings wait while the look changes.

Once settings had been opened each zoom went through all of them and took a third of a second.
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QStackedWidget, QWidget

from kinet.ui.look.look import APART

# Milliseconds between two pages that come back.
_PACE = 20


class PagesAway(QObject):
    """Takes pages out of the stack and gives them back when they are seen."""

    def __init__(self, stack: QStackedWidget) -> None:
        super().__init__(stack)
        self._stack = stack
        self._pages: list[QWidget] = []
        self._room = QWidget()
        self._room.setProperty(APART, True)
        stack.destroyed.connect(self._room.deleteLater)
        self._coming = QTimer(self)
        self._coming.setInterval(_PACE)
        self._coming.timeout.connect(self._bring_next)

    @property
    def is_empty(self) -> bool:
        """True if every page is in the stack."""
        return not self._pages

    def put_away(self, pages: Iterable[QWidget]) -> None:
        """Takes these pages out."""
        self._coming.stop()
        for page in pages:
            if page not in self._pages:
                self._stack.removeWidget(page)
                page.setParent(self._room)
                self._pages.append(page)

    def bring(self, page: QWidget) -> None:
        """Puts this one back, where it is away."""
        if page in self._pages:
            self._pages.remove(page)
            self._stack.addWidget(page)

    def bring_slowly(self) -> None:
        """Puts all back one by one, while the first is looked at."""
        self._coming.start()

    def _bring_next(self) -> None:
        if self._pages:
            self.bring(self._pages[0])
        if not self._pages:
            self._coming.stop()
