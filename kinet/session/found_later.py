"""What is found when a turn has ended, as what a stopped call had changed: kept, then told."""

from __future__ import annotations

from collections.abc import Callable

from kinet.core.events import Event


class FoundLater:
    """Takes it in at once, so that it is stored whoever listens, and gives it out once."""

    def __init__(self, take: Callable[[Event], None]) -> None:
        self._take = take
        self._untold: list[Event] = []

    def add(self, event: Event) -> None:
        """Keeps it as part of the conversation."""
        self._take(event)
        self._untold.append(event)

    def untold(self) -> list[Event]:
        """What nobody was told of yet."""
        untold, self._untold = self._untold, []
        return untold
