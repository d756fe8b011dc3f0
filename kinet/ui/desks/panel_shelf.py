"""Keeps panels out of the way of a change of looks: they take it on when they are shown again."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtWidgets import QStackedWidget, QWidget

from kinet.ui.chat.chat_panel import ChatPanel
from kinet.ui.look.look import APART
from kinet.ui.look.theme import Theme, current_theme


class PanelShelf:
    """Holds what is put away from a stack.

    A style sheet is worked through for each widget of a window, seen or not: with four hidden
    panels that takes twice as long.
    """

    def __init__(self, stack: QStackedWidget, panels: Callable[[], Iterable[ChatPanel]]) -> None:
        """`panels` gives all panels there are."""
        self._stack, self._panels = stack, panels
        # Where others may put what waits too; no look is applied to it.
        self.room = QWidget()
        self.room.setProperty(APART, True)
        stack.destroyed.connect(self.room.deleteLater)
        self._away: list[ChatPanel] = []

    def put_away(self) -> None:
        """Takes panels out of the stack that are neither on screen nor at work."""
        for panel in self._panels():
            shown = panel is self._stack.currentWidget()
            if not (shown or panel.runner.running or panel in self._away):
                self._stack.removeWidget(panel)
                panel.setParent(self.room)
                self._away.append(panel)

    def set_theme(self, theme: Theme) -> None:
        """Gives all that were not put away another look."""
        for panel in self._panels():
            if panel not in self._away:
                panel.set_theme(theme)

    def take_out(self, panel: ChatPanel) -> None:
        """Puts a panel back into the stack, in the look of now; others are there already."""
        if panel in self._away:
            self._away.remove(panel)
            self._stack.addWidget(panel)
            panel.set_theme(current_theme())

    def forget(self, panel: ChatPanel) -> None:
        """Says that a panel goes for good."""
        if panel in self._away:
            self._away.remove(panel)
