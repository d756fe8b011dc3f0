"""What is to be told, in order, by one writer; who tells much waits for a client that is slow."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from typing import Any

from kinet.serve.lines import Lines
from kinet.serve.messages import written

# Characters that may wait to be read before turns are held; so far they go on and are stored.
FULL = 4 * 1024 * 1024
# What is no turn's adds up too: a client that leaves more than this unread counts as gone.
MOST_UNREAD = 32 * 1024 * 1024


class Outbox:
    """Everything put into it is written, until the other side is `gone`; then it is dropped."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._waiting: deque[str] = deque()
        self._unread = 0
        self._filled, self._empty = asyncio.Event(), asyncio.Event()
        self._empty.set()
        # Cleared while so much waits that who tells more should wait too.
        self.has_room = asyncio.Event()
        self.has_room.set()
        # Set when nothing can be written any more.
        self.gone = asyncio.Event()
        # It is gone because it left too much unread.
        self.was_unread = False
        self._writing: asyncio.Task[None] | None = None

    def put(self, message: Any) -> None:
        """Adds a message at the end."""
        if self.gone.is_set():
            return
        text = written(message)
        if self._unread and self._unread + len(text) > MOST_UNREAD:
            self.was_unread = True
            self._give_up()
            return
        self._waiting.append(text)
        self._unread += len(text)
        if self._unread >= FULL:
            self.has_room.clear()
        self._filled.set()
        self._empty.clear()
        if self._writing is None:
            self._writing = asyncio.create_task(self._write(), name="writes messages")

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
            self._unread -= len(text)
            if self._unread <= FULL // 2:
                self.has_room.set()
            if not self._waiting:
                self._filled.clear()
                self._empty.set()

    def _give_up(self) -> None:
        self.gone.set()
        self.has_room.set()
        self._waiting.clear()


async def first_of(*events: asyncio.Event) -> None:
    """Returns when one of them is set."""
    waits = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
