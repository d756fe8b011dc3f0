"""A program that runs a scripted turn and prints what it showed; made to be killed.

Arguments: data folder, and what to do: stream, tool, approval, turns (one after the other), idle
(after some), filled (some, and it ends by itself), upgrade (opens what is there), or command (of
the person's own, in the folder that follows).
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

from kinet.core.approval import ApprovalRequest
from kinet.core.events import (
    ApprovalRequested,
    Event,
    MessageCompleted,
    StepStarted,
    TextDelta,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    TurnFinished,
)
from kinet.core.messages import Message, ToolCall
from kinet.core.own_command import OwnCommand
from kinet.engine.base import TurnRequest
from kinet.session.manager import SessionManager
from kinet.session.parts import SessionParts
from kinet.store.database import FILE_NAME, Database
from kinet.store.sessions import NewSession, SessionStore
from kinet.tools.toolbox import Toolbox
from tests.support.turns import PROFILE

# The session of a folder that was filled, and how many turns it has.
SESSION_ID = "filled"
FEW = 5


def tell(word: str) -> None:
    """One line to the one who will kill this program."""
    print(f"{time.monotonic():.6f} {word}", flush=True)


class Endless:
    """Plays a turn that never ends by itself, or many small ones."""

    def __init__(self, what: str) -> None:
        self.what = what

    async def run(self, request: TurnRequest) -> AsyncIterator[Event]:
        """The turn."""
        yield StepStarted(1)
        if self.what != "stream":
            call = ToolCall(f"{request.user.id}-1", "look", "{}")
            yield MessageCompleted(Message("assistant", "I look.", (call,)), finish="tool_calls")
            if self.what == "approval":
                yield ApprovalRequested(ApprovalRequest("a1", call.id, "look", "other", "Look?"))
                tell("ready")
                await asyncio.Event().wait()
            yield ToolStarted(call.id, "look")
            if self.what == "tool":
                tell("ready")
                await asyncio.Event().wait()
            yield ToolFinished(call.id, "look", content="c" * 100_000, model_content="c")
            yield StepStarted(2)
            yield TextDelta("part")
            yield MessageCompleted(Message("assistant", f"answer to {request.user.text}"))
            yield TurnFinished("completed")
            return
        for number in range(10_000):
            yield TextDelta(f"piece{number} ")
            tell(str(number))
            await asyncio.sleep(0.02)

    async def settled(self, session_id: str) -> None:
        """Nothing cleans up."""


async def main(home: str, what: str, folder: Path | None = None) -> None:
    """Runs turns until it is killed."""
    if what == "upgrade":
        # Told before: the kill is to fall into the opening.
        tell(f"session {SESSION_ID}")
    database = Database(Path(home) / FILE_NAME)
    store = SessionStore(database)
    parts = SessionParts(
        store=store,
        engine=lambda: Endless(what),
        profile=lambda name: PROFILE,
        provider=lambda profile: None,  # type: ignore[arg-type,return-value]
        toolbox=Toolbox,
    )
    manager = SessionManager(parts)
    if what == "upgrade":
        manager.open(SESSION_ID)
        await asyncio.Event().wait()
    if what == "filled":
        await asyncio.wrap_future(store.create(NewSession(SESSION_ID)))
    session = manager.open(SESSION_ID) if what == "filled" else manager.create(folder)
    tell(f"session {session.id}")
    if what == "command":
        async for event in session.run_command(OwnCommand("echo $$; sleep 600")):
            if isinstance(event, ToolProgress):
                tell(event.text.strip())
    for number in range(FEW if what in ("idle", "filled") else 1_000_000):
        async for event in session.send(f"question {number}"):
            if isinstance(event, TurnFinished):
                tell(f"turn {number}")
    if what == "idle":
        await asyncio.Event().wait()
    await session.close()
    database.close()


def run(home: str, what: str, folder: str = "") -> None:
    """Runs in this process until it is killed."""
    asyncio.run(main(home, what, Path(folder) if folder else None))


if __name__ == "__main__":
    run(*sys.argv[1:])
