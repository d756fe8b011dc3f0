"""The transcript: a scroll area that shows one conversation, however long it is."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from kinet.core.events import Event


class Transcript(QAbstractScrollArea):
    """Shows a conversation; see the methods for what it can be told."""

    step_activated = Signal(str)  # call_id
    link_activated = Signal(str)  # url: http, https or mailto
    link_hovered = Signal(str)  # url, "" when none
    retry_requested = Signal()
    following_changed = Signal(bool)
    new_text_below = Signal(bool)

    def __init__(self, theme: object, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("transcript")

    def load(self, events: Iterable[Event]) -> None:
        """Shows these events instead of what was shown."""

    def add_card(self, widget: QWidget) -> None:
        """Puts a real widget at the end of the transcript."""

    def remove_card(self, widget: QWidget) -> None:
        """Takes a widget out again; the widget is not deleted."""

    def plain_text(self) -> str:
        """The whole conversation as Markdown."""
        return ""

    def block_count(self) -> int:
        """How many blocks are shown."""
        return 0

    def open_step(self, index: int) -> None:
        """Emits `step_activated` for step number `index` (-1: the newest)."""

    def is_idle(self) -> bool:
        """True when nothing is left to lay out or paint."""
        return True

    def set_theme(self, theme: object) -> None:
        """Draws with another theme."""

    def set_zoom(self, percent: int) -> None:
        """Draws text at 80 to 200 percent."""

    def jump_to_bottom(self) -> None:
        """Scrolls to the end and follows."""

    def find_next(self, text: str, backwards: bool = False) -> tuple[int, int]:
        """Selects the next place; (number of it from 1, number of all), (0, 0) for none."""
        return (0, 0)

    def clear_find(self) -> None:
        """Takes the highlights away."""
