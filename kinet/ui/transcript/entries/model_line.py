"""The line that tells of a chosen model: what is chosen right after it joins it."""

from __future__ import annotations

from dataclasses import replace

from kinet.core.events import ModelChosen
from kinet.ui.transcript.entries.lines import NoticeEntry


class ModelLine(NoticeEntry):
    """Says what holds from here on, of all that was chosen since the last request."""

    __slots__ = ("event",)

    def __init__(self, event: ModelChosen, before: ModelLine | None = None) -> None:
        if before is not None:
            # What held before the first choice is what the last one is compared with.
            was = before.event
            event = replace(
                event,
                was_profile=was.was_profile,
                was_effort=was.was_effort,
                was_preset=was.was_preset,
            )
        self.event: ModelChosen = event
        super().__init__(_words(event), "info", "model")


def _words(event: ModelChosen) -> str:
    """ "" where all is again as it was."""
    parts = []
    if event.profile != event.was_profile:
        parts.append(f"{event.profile or 'The default model'} answers from here on.")
    if event.effort != event.was_effort:
        parts.append(f"Effort: {event.effort or 'as usual'}.")
    if event.preset != event.was_preset:
        parts.append(f"Preset: {event.preset or 'the usual one'}.")
    return " ".join(parts)
