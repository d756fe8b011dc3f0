"""Measures how long a model reasoned, so that a restored turn can say what the live one said."""

from __future__ import annotations

import time
from dataclasses import replace

from kinet.core.events import (
    Event,
    MessageCompleted,
    SegmentReset,
    StepStarted,
    TextDelta,
    ThinkingDelta,
    ToolArgumentsDelta,
)


class ThoughtClock:
    """Runs from the first piece of reasoning to the first word or call after it."""

    def __init__(self) -> None:
        self._began: float | None = None
        self._ended: float | None = None

    def stamped(self, event: Event) -> Event:
        """The event itself; a message of the model with the time it reasoned."""
        now = time.monotonic()
        match event:
            case ThinkingDelta() if self._began is None:
                self._began = now
            case TextDelta() | ToolArgumentsDelta() if self._ended is None:
                self._ended = now
            case StepStarted() | SegmentReset():
                self._began = self._ended = None
            case MessageCompleted(message=message) if (
                message.role == "assistant" and self._began is not None
            ):
                thought = max(0.0, (now if self._ended is None else self._ended) - self._began)
                self._began = self._ended = None
                return replace(event, thought_s=round(thought, 3))
        return event
