"""What is said aloud when a turn has ended. Questions are said where they are asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget

from kinet.core.events import Event, TurnFinished
from kinet.core.messages import Message
from kinet.ui.kit.announce import announce

# Characters of an answer, or of an output.
_TOLD = 500
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
    return f"{words}. {said[:_TOLD]}" if said else words, False


def command_words(messages: Sequence[Message]) -> str:
    """How a command of the person's own ended, and the end of what it printed; "" for none."""
    newest = messages[-1] if messages else None
    if newest is None or newest.command is None:
        return ""
    ran = newest.command
    return f"Your command ended: {ran.text[:80]}, {ran.status}. {newest.text.strip()[-_TOLD:]}"


def announce_event(
    widget: QWidget, event: Event, answer: Callable[[], str], messages: Sequence[Message] = ()
) -> None:
    """Has a screen reader say that a turn ended to somebody who does not see it."""
    if isinstance(event, TurnFinished) and QAccessible.isActive():
        ran = command_words(messages)
        words, urgent = (ran, False) if ran else end_words(event, answer())
        announce(widget, words, urgent=urgent)
