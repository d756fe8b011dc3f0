"""Keeps panels out of the way of a change of looks: they take it on when they are shown again."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtWidgets import QStackedWidget, QWidget

from kinet.ui.chat.chat_panel import ChatPanel
from kinet.ui.look.look import APART
from kinet.ui.look.theme import current_theme


class PanelShelf:
    """Holds what is put away from a stack.

    A style sheet is worked through for each widget of a window, seen or not: with four hidden
    panels that takes twice as long.
    """

    def __init__(self, stack: QStackedWidget) -> None:
        self._stack = stack
        self._room = QWidget()
        self._room.setProperty(APART, True)
        stack.destroyed.connect(self._room.deleteLater)
        self._away: list[ChatPanel] = []

    def put_away(self, panels: Iterable[ChatPanel]) -> None:
        """Takes these out of the stack; they must not be on screen."""
        for panel in panels:
            if panel not in self._away:
                self._stack.removeWidget(panel)
                panel.setParent(self._room)
                self._away.append(panel)

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

    def holds(self, panel: ChatPanel) -> bool:
        """True if it was put away."""
        return panel in self._away
