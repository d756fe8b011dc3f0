"""Has a screen reader say something."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


def announce(widget: QWidget, text: str, *, urgent: bool = False) -> None:
    """Has it said now, or at once where it is `urgent`; nothing happens where nobody listens.

    `widget` is what the words come from. One that is not on screen cannot speak: its window does.
    """
    if not text or not QAccessible.isActive():
        return
    event = QAccessibleAnnouncementEvent(widget if widget.isVisible() else widget.window(), text)
    politeness = QAccessible.AnnouncementPoliteness
    event.setPoliteness(politeness.Assertive if urgent else politeness.Polite)
    QAccessible.updateAccessibility(event)
