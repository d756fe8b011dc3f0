"""What is found when a turn has ended, as what a stopped call had changed: kept, then told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any

from kinet.core.events import Event


class FoundLater:
    """Takes it in at once, so that it is stored whoever listens, and gives it out once.

    Implements the engine's Afterwards; what follows background jobs belongs to it.
    """

    def __init__(self, take: Callable[[Event], None]) -> None:
        self._take = take
        self._untold: list[Event] = []
        self._followed: set[asyncio.Task[None]] = set()
        self._news = asyncio.Event()

    def add(self, event: Event) -> None:
        """Keeps it as part of the conversation."""
        self._take(event)
        self._untold.append(event)
        self._news.set()

    def follow(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs this to its end, beside all turns."""
        task = asyncio.get_running_loop().create_task(work)
        self._followed.add(task)
        task.add_done_callback(self._ended)

    async def events(self) -> AsyncGenerator[Event, None]:
        """What nobody was told of yet, as it comes, until nothing is followed any more."""
        while True:
            untold, self._untold = self._untold, []
            for event in untold:
                yield event
            if not self._untold:
                if not self._followed:
                    return
                self._news.clear()
                await self._news.wait()

    async def close(self) -> None:
        """Follows nothing any more: what ends with its session is not looked at."""
        followed = list(self._followed)
        for task in followed:
            task.cancel()
        await asyncio.gather(*followed, return_exceptions=True)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._followed.discard(task)
        self._news.set()
