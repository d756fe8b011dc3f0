"""Tells the transcript what an event means: one match statement, for live and restored turns."""

from __future__ import annotations

from collections.abc import Iterable

from kinet.core.events import Event
from kinet.ui.transcript.view import Transcript


class Presenter:
    """Shows the events of one session in one transcript."""

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript

    def show(self, event: Event) -> None:
        """Shows one event that happens now."""

    def replay(self, events: Iterable[Event]) -> None:
        """Shows a whole saved conversation instead of what was shown."""
