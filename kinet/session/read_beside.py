"""A session as it is read by others beside the one that works on it."""

from __future__ import annotations

from collections.abc import Callable

from kinet.core.events import Event
from kinet.session.state import SessionState


class ReadBeside:
    """What others need of an open session."""

    def __init__(self, state: SessionState) -> None:
        self._state = state

    @property
    def watchers(self) -> list[Callable[[Event], None]]:
        """Are told each event of its turns, at once."""
        return self._state.watchers

    def after(self, loaded: list[Event]) -> list[Event]:
        """What was read of it a moment ago, and what came since. Blocks where that was stored.

        May raise StoreError.
        """
        recorder = self._state.recorder
        if len(loaded) < recorder.count - len(recorder.waiting()):
            loaded = self._state.parts.store.load(self._state.id)
        return loaded + recorder.unsaved(len(loaded))
