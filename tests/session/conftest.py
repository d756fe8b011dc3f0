"""A data folder, sessions in it, and engines that play a script."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from kinet.core.events import Event, MessageCompleted, TextDelta, TurnFinished
from kinet.core.messages import Message
from kinet.engine.base import TurnRequest
from kinet.session.manager import SessionManager
from kinet.session.parts import SessionParts
from kinet.store.database import FILE_NAME, Database
from kinet.store.sessions import SessionStore
from kinet.tools.toolbox import Toolbox
from tests.support.turns import PROFILE

Script = Sequence[Event | Callable[[], Any]]


def reply(text: str) -> MessageCompleted:
    """A whole answer."""
    return MessageCompleted(Message("assistant", text), finish="stop")


class ScriptedEngine:
    """Plays one script a turn; what can be called is called and awaited. Then it says "Done."."""

    def __init__(self, *scripts: Script) -> None:
        self.scripts = list(scripts)
        self.requests: list[TurnRequest] = []
        self.closed = 0

    async def run(self, request: TurnRequest) -> AsyncIterator[Event]:
        """The events of the next script; a TurnFinished is added where the script has none."""
        self.requests.append(request)
        script = self.scripts.pop(0) if self.scripts else [reply("Done.")]
        ended = False
        try:
            for item in script:
                if request.stop.is_set:
                    break
                if callable(item):
                    result = item()
                    if asyncio.iscoroutine(result):
                        waiting = asyncio.ensure_future(result)
                        stopping = asyncio.ensure_future(request.stop.wait())
                        await asyncio.wait({waiting, stopping}, return_when=asyncio.FIRST_COMPLETED)
                        waiting.cancel()
                        stopping.cancel()
                    continue
                ended = isinstance(item, TurnFinished)
                yield item
            if not ended:
                yield TurnFinished("stopped" if request.stop.is_set else "completed")
        finally:
            self.closed += 1

    async def settled(self, session_id: str) -> None:
        """Nothing cleans up."""


class World:
    """One start of the program on a data folder."""

    def __init__(self, home: Path, engine: Any, **parts: Any) -> None:
        self.engine = engine
        self.database = Database(home / FILE_NAME)
        self.store = SessionStore(self.database)
        values: dict[str, Any] = {
            "store": self.store,
            "engine": lambda: self.engine,
            "profile": lambda name: PROFILE,
            "provider": lambda profile: None,
            "toolbox": lambda: Toolbox(),
        }
        self.sessions = SessionManager(SessionParts(**(values | parts)))

    async def quit(self) -> None:
        """Ends the program in order."""
        await self.sessions.close()
        self.database.close()


@pytest.fixture
async def start(tmp_path: Path):
    """Starts the program; a second call ends the first one before."""
    running: list[World] = []

    async def begin(*scripts: Script, engine: Any = None, **parts: Any) -> World:
        for world in running:
            await world.quit()
        running.clear()
        running.append(World(tmp_path / "home", engine or ScriptedEngine(*scripts), **parts))
        return running[0]

    yield begin
    for world in running:
        await world.quit()


async def collect(events: AsyncIterator[Event]) -> list[Event]:
    """All events."""
    return [event async for event in events]


def streamed(*pieces: str) -> list[Event]:
    """Pieces of text."""
    return [TextDelta(piece) for piece in pieces]
