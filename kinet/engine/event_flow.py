"""The way of a turn's events to who reads them: all of them, in order, and not too far ahead."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from kinet.core.events import (
    Event,
    MessageCompleted,
    TextDelta,
    ThinkingDelta,
    ToolArgumentsDelta,
    ToolFinished,
    ToolProgress,
)

# Characters that may wait to be read before whoever tells more of them is held.
FULL = 256 * 1024
# What an event weighs beside its texts.
_EACH = 256
# So many events wait: from here on pieces of one text join, for a reader that has to catch up.
_MANY = 64
# Characters of one joined piece; a longer one would hold a window up that lays it out.
_LONGEST = 4096

_Piece = TextDelta | ThinkingDelta | ToolArgumentsDelta | ToolProgress


@dataclass(frozen=True, slots=True)
class Telling:
    """What a part of a turn is given to tell its events by.

    `put` takes any event at once. `room` returns when little enough waits to be read, at once
    where somebody reads; who makes much awaits it now and then. `is_full` says whether it would
    wait, to any thread.
    """

    put: Callable[[Event], None]
    room: Callable[[], Awaitable[None]]
    is_full: Callable[[], bool]


class EventFlow:
    """From one turn to one reader. Nothing that is put is lost, whatever waits.

    A stop needs no room: what ends a turn is put however much waits, and who waits for room is
    cancelled with its work. All but `is_full` is called from the loop's thread.
    """

    def __init__(self) -> None:
        self._waiting: deque[_Entry] = deque()
        self._weight = 0
        self._ended = False
        self._news, self._room = asyncio.Event(), asyncio.Event()
        self._holding = 0
        self._holding_since = self._held = 0.0
        self.telling = Telling(self.put, self.room, lambda: self.is_full)

    @property
    def is_full(self) -> bool:
        """True while those who tell more should wait."""
        return self._weight >= FULL and not self._ended

    def put(self, event: Event) -> None:
        """Adds an event at the end; a piece may join the one before it."""
        weight = _weight(event)
        newest = self._waiting[-1] if len(self._waiting) >= _MANY else None
        if newest is None or not newest.takes(event):
            self._waiting.append(_Entry(event))
            weight += _EACH
        self._weight += weight
        self._news.set()

    async def room(self) -> None:
        """Returns when little enough waits; after `end` at once."""
        if not self.is_full:
            return
        if not self._holding:
            self._holding_since = time.monotonic()
        self._holding += 1
        try:
            while self.is_full:
                self._room.clear()
                await self._room.wait()
        finally:
            self._holding -= 1
            if not self._holding:
                self._held += time.monotonic() - self._holding_since

    def held(self) -> float:
        """Seconds for which somebody waited for room; time limits leave them out."""
        now = time.monotonic() - self._holding_since if self._holding else 0.0
        return self._held + now

    def end(self) -> None:
        """Nothing more comes, and nobody is held any more."""
        self._ended = True
        self._news.set()
        self._room.set()

    async def next(self) -> Event | None:
        """The next event; None when all were taken and no more comes."""
        while not self._waiting:
            if self._ended:
                return None
            self._news.clear()
            await self._news.wait()
        event = self._waiting.popleft().event()
        self._weight -= _weight(event) + _EACH
        # Not at the first free place: the reader is ahead for a while then.
        if self._weight <= FULL // 2:
            self._room.set()
        return event


@dataclass(slots=True)
class _Entry:
    """An event that waits, with what has joined it."""

    first: Event
    more: list[str] = field(default_factory=list)
    size: int = 0

    def takes(self, event: Event) -> bool:
        """Lets the next piece of the same text join; False where it has to wait by itself."""
        first = self.first
        if not isinstance(event, _Piece) or not isinstance(first, _Piece):
            return False
        size = self.size or len(first.text)
        if size + len(event.text) > _LONGEST or _place(event) != _place(first):
            return False
        self.more.append(event.text)
        self.size = size + len(event.text)
        return True

    def event(self) -> Event:
        """All of it as one event."""
        first = self.first
        if not self.more or not isinstance(first, _Piece):
            return first
        return replace(first, text="".join((first.text, *self.more)))


def _place(piece: _Piece) -> tuple[object, ...]:
    """Where its text goes on."""
    match piece:
        case ToolArgumentsDelta(index=index, name=name):
            return (ToolArgumentsDelta, index, name)
        case ToolProgress(call_id=call_id, parent=parent):
            return (ToolProgress, call_id, parent)
        case _:
            return (type(piece),)


def _weight(event: Event) -> int:
    """Characters of its texts; where one text is told twice it is counted once, as it lies once."""
    match event:
        case TextDelta() | ThinkingDelta() | ToolArgumentsDelta() | ToolProgress():
            return len(event.text)
        case MessageCompleted(message=message):
            calls = sum(len(call.arguments) for call in message.tool_calls)
            return len(message.text) + len(message.reasoning or "") + calls
        case ToolFinished():
            diff = event.details.get("diff")
            pictures = sum(map(len, event.pictures))
            return len(event.content) + pictures + (len(diff) if isinstance(diff, str) else 0)
        case _:
            return 0
