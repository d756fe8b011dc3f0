"""The tabs of the step panel: a long word becomes a short one where there is no room for all."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QTabBar, QWidget


class StepTabs(QTabBar):
    """`titles` are the words and, where they differ, the short ones; a tooltip tells the whole."""

    def __init__(self, titles: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._titles = tuple(titles)
        self.setDrawBase(False)
        self.setExpanding(False)
        for title, short in titles:
            number = self.addTab(title)
            self.setTabToolTip(number, title if short != title else "")

    def set_visible(self, tab: int, shown: bool) -> None:
        """Shows a tab or not; the others take its room."""
        if self.isTabVisible(tab) != shown:
            self.setTabVisible(tab, shown)
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Larger words may have no room."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        self._name(short=False)
        wanted = sum(
            self.tabSizeHint(tab).width() for tab in range(self.count()) if self.isTabVisible(tab)
        )
        if wanted > self.width():
            self._name(short=True)

    def _name(self, *, short: bool) -> None:
        for tab, (title, brief) in enumerate(self._titles):
            word = brief if short else title
            if word != self.tabText(tab):
                self.setTabText(tab, word)
