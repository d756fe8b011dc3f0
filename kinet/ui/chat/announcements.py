"""What is said aloud while a turn runs: that it ended, and each question."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

from kinet.core.events import ApprovalRequested, Event, TurnFinished
from kinet.core.messages import Message
from kinet.ui.conversation_text import last_answer

_ENDS = {
    "completed": "Kinet has answered",
    "stopped": "The turn was stopped",
    "failed": "The turn failed",
}


def words_for(event: Event, answer: str = "") -> tuple[str, bool]:
    """(what to say, at once); "" for what needs no word. `answer` is the last answer's source."""
    match event:
        case ApprovalRequested(request=request):
            return f"Kinet asks: {request.question}", True
        case TurnFinished(reason=reason, error=error, detail=detail):
            words = _ENDS.get(reason, f"The turn ended: {reason.replace('_', ' ')}")
            if error is not None:
                return f"{words}. {error.message} {error.hint}".strip(), True
            said = answer.strip() if reason == "completed" else detail
            return f"{words}. {said[:500]}" if said else words, False
    return "", False


def announce_event(widget: QWidget, event: Event, messages: Sequence[Message]) -> None:
    """Has a screen reader say what an event means to somebody who does not see it."""
    if isinstance(event, ApprovalRequested | TurnFinished) and QAccessible.isActive():
        words, urgent = words_for(event, last_answer(messages))
        announce(widget, words, urgent=urgent)


def announce(widget: QWidget, text: str, *, urgent: bool = False) -> None:
    """Has a screen reader say something now, or at once where it is `urgent`."""
    if not text or not QAccessible.isActive():
        return
    event = QAccessibleAnnouncementEvent(widget, text)
    politeness = QAccessible.AnnouncementPoliteness
    event.setPoliteness(politeness.Assertive if urgent else politeness.Polite)
    QAccessible.updateAccessibility(event)
