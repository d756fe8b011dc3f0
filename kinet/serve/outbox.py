"""What is to be told, in order: one writer, and those who tell much wait for one that reads."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from typing import Any

from kinet.serve.lines import Lines
from kinet.serve.messages import written

# Characters that wait to be read. Above the first those who tell events wait, below the second
# they go on.
_FULL, _ROOM = 1024 * 1024, 256 * 1024


class Outbox:
    """Everything put into it is written, until the other side is `gone`; then it is dropped."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._waiting: deque[str] = deque()
        self._size = 0
        self._filled, self._room, self._empty = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._room.set()
        self._empty.set()
        # Set when nothing can be written any more.
        self.gone = asyncio.Event()
        self._writing: asyncio.Task[None] | None = None

    def put(self, message: Any) -> None:
        """Adds a message at the end; returns at once."""
        if self.gone.is_set():
            return
        text = written(message)
        self._waiting.append(text)
        self._size += len(text)
        self._filled.set()
        self._empty.clear()
        if self._size > _FULL:
            self._room.clear()
        if self._writing is None:
            self._writing = asyncio.create_task(self._write(), name="writes messages")

    async def room(self, unless: asyncio.Event | None = None) -> None:
        """Returns when there is room for more, the other side is gone, or `unless` is set."""
        if self._room.is_set() or (unless is not None and unless.is_set()):
            return
        events = [self._room, self.gone] + ([unless] if unless is not None else [])
        await first_of(*events)

    async def end(self, seconds: float) -> None:
        """Writes what is left, as long as somebody reads it; nothing is taken any more."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await first_of(self._empty, self.gone)
        self._give_up()
        if self._writing is not None:
            self._writing.cancel()
            await asyncio.wait({self._writing})

    async def _write(self) -> None:
        while not self.gone.is_set():
            await self._filled.wait()
            text = self._waiting.popleft()
            try:
                await self._lines.tell(text)
            except OSError:
                self._give_up()
                return
            self._size -= len(text)
            if self._size < _ROOM:
                self._room.set()
            if not self._waiting:
                self._filled.clear()
                self._empty.set()

    def _give_up(self) -> None:
        self.gone.set()
        self._waiting.clear()
        self._size = 0


async def first_of(*events: asyncio.Event) -> None:
    """Returns when one of them is set."""
    waits = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
