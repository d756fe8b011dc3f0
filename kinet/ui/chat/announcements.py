"""What is said aloud when a turn has ended. Questions are said where they are asked."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget

from kinet.core.events import Event, TurnFinished
from kinet.ui.kit.announce import announce

_ENDS = {
    "completed": "Kinet has answered",
    "stopped": "The turn was stopped",
    "failed": "The turn failed",
}


def end_words(event: TurnFinished, answer: str = "") -> tuple[str, bool]:
    """(what to say, at once). `answer` is the last answer in the words that are shown."""
    words = _ENDS.get(event.reason, f"The turn ended: {event.reason.replace('_', ' ')}")
    if event.error is not None:
        return f"{words}. {event.error.message} {event.error.hint}".strip(), True
    said = answer.strip() if event.reason == "completed" else event.detail
    return f"{words}. {said[:500]}" if said else words, False


def announce_event(widget: QWidget, event: Event, answer: Callable[[], str]) -> None:
    """Has a screen reader say that a turn ended to somebody who does not see it."""
    if isinstance(event, TurnFinished) and QAccessible.isActive():
        words, urgent = end_words(event, answer())
        announce(widget, words, urgent=urgent)
