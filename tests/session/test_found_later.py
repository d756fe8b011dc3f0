"""What a stopped call had changed is told in the end, however long the look at it takes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any, ClassVar

import pytest

from kinet.core.approval import ApprovalRequest, Decision
from kinet.core.events import Event, FilesChanged, ToolFinished, ToolProgress, ToolStarted
from kinet.core.own_command import OwnCommand
from kinet.engine import own_command
from kinet.engine.base import Limits
from kinet.engine.direct import DirectEngine
from kinet.session.session import Session
from kinet.tools.base import Access, ToolContext, ToolOutput
from kinet.tools.toolbox import Toolbox
from kinet.workspace.journal import Journal
from tests.session.conftest import collect
from tests.support.approvers import allows_everything
from tests.support.replies import asks_for, says
from tests.support.scripted_provider import ScriptedProvider
from tests.support.tools import Look, LookArguments


class Scribble(Look):
    """Writes a file named like the word; asked for "long", it never ends."""

    name: ClassVar[str] = "scribble"
    description: ClassVar[str] = "Scribble."
    access: ClassVar[Access] = Access.EXECUTE

    def __init__(self) -> None:
        super().__init__()
        self.wrote = asyncio.Event()

    async def run(self, arguments: LookArguments, context: ToolContext) -> ToolOutput:
        """Writes."""
        assert context.folder is not None
        (context.folder / f"{arguments.word}.txt").write_text(f"{arguments.word}\n")
        self.wrote.set()
        if arguments.word == "long":
            await asyncio.Event().wait()
        return ToolOutput("Scribbled.")


class SlowJournal(Journal):
    """Its look after a call takes until the test says so."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.looking = asyncio.Event()
        self.go = asyncio.Event()

    async def after(self, ticket: object) -> Any:
        """Waits, then looks."""
        self.looking.set()
        await self.go.wait()
        return await super().after(ticket)


@pytest.fixture
def journal(tmp_path: Path) -> SlowJournal:
    return SlowJournal(tmp_path / "home")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


class NoMoreTime:
    """Allows every call; for more time the answer is no."""

    async def ask(self, request: ApprovalRequest) -> Decision:
        """What it says."""
        return Decision(bool(request.call_id))


@pytest.fixture
def scribble() -> Scribble:
    return Scribble()


@pytest.fixture
def opened(start, journal, work, scribble) -> Callable[..., Awaitable[Session]]:
    """Opens a session on the folder whose model scribbles."""

    async def open_(*script: Any, **parts: Any) -> Session:
        provider = ScriptedProvider(*script)
        values = {"journal": journal, "approver": allows_everything()}
        world = await start(
            engine=DirectEngine(),
            provider=lambda profile: provider,
            toolbox=lambda: Toolbox((scribble,)),
            **(values | parts),
        )
        session: Session = world.sessions.create(folder=work)
        return session

    return open_


def found(events: list[Event]) -> list[tuple[str, ...]]:
    return [event.paths for event in events if isinstance(event, FilesChanged)]


async def stop_in_the_call(session: Session, happened: asyncio.Event) -> list[Event]:
    """A turn that is stopped when this has happened in its call."""
    events: list[Event] = []
    async with aclosing(session.send("Scribble.")) as stream:
        async for event in stream:
            events.append(event)
            if isinstance(event, ToolStarted):
                await happened.wait()
                session.stop()
    assert events[-1].reason == "stopped"
    return events


@pytest.mark.parametrize("word", ["long", "short"])
async def test_a_stopped_turn_ends_at_once_and_its_changes_are_told_afterwards(
    start, journal, opened, scribble, word
):
    """Stopped in the middle of the call, or during the look at what it changed."""
    session = await opened(asks_for("scribble", word=word))
    happened = scribble.wrote if word == "long" else journal.looking
    assert found(await stop_in_the_call(session, happened)) == []
    afterwards = asyncio.create_task(collect(session.afterwards()))
    journal.go.set()
    (event,) = await afterwards
    turn_id = session.history()[0].id
    assert event == FilesChanged((f"{word}.txt",), event.call_id, 1, 0, turn_id)
    # It is told once, stored, and can be taken back.
    assert await collect(session.afterwards()) == []
    again = (await start()).sessions.open(session.id)
    assert again.events()[-1] == event
    assert again.conversation.last_end.reason == "stopped"


async def test_it_is_stored_though_nobody_listens_and_the_session_is_closed_at_once(
    start, journal, opened, scribble
):
    session = await opened(asks_for("scribble", word="long"))
    async with aclosing(session.send("Scribble.")) as stream:
        async for event in stream:
            if isinstance(event, ToolStarted):
                await scribble.wrote.wait()
                break
    closing = asyncio.create_task(session.close())
    await journal.looking.wait()
    journal.go.set()
    await closing
    assert found((await start()).sessions.open(session.id).events()) == [("long.txt",)]


async def test_it_can_be_undone_and_the_next_turn_does_not_wait_for_it(
    journal, opened, scribble, work
):
    session = await opened(asks_for("scribble", word="long"), says("Well."), says("Fine."))
    await stop_in_the_call(session, scribble.wrote)
    events = await collect(session.send("Go on."))
    assert events[-1].reason == "completed"
    journal.go.set()
    (event,) = await collect(session.afterwards())
    first = session.history()[0].id
    assert event.turn_id == first
    assert await session.changes.standing() == {first: False}
    await session.changes.undo(first)
    assert not (work / "long.txt").exists()


async def test_it_stays_on_its_own_branch_when_the_conversation_goes_back(
    journal, opened, scribble
):
    session = await opened(asks_for("scribble", word="long"), says("Well."))
    await stop_in_the_call(session, scribble.wrote)
    going = asyncio.create_task(session.go_back(session.history()[0].id))
    await journal.looking.wait()
    journal.go.set()
    await going
    assert found(session.events()) == []
    await collect(session.send("Other."))
    await session.switch_branch(session.history()[0].id, -1)
    assert found(session.events()) == [("long.txt",)]


async def test_a_turn_whose_time_is_up_tells_it_too(journal, opened):
    session = await opened(
        asks_for("scribble", word="long"),
        approver=NoMoreTime(),
        limits=lambda preset: Limits(max_seconds=0.2),
    )
    events = await collect(session.send("Scribble."))
    assert events[-1].reason == "budget"
    assert found(events) == []
    journal.go.set()
    assert found(await collect(session.afterwards())) == [("long.txt",)]


async def test_a_command_of_ones_own_tells_it_too_when_the_look_takes_longer_than_its_turn(
    journal, opened, monkeypatch
):
    monkeypatch.setattr(own_command, "_LOOK_SECONDS", 0.05)
    session = await opened()
    events: list[Event] = []
    command = OwnCommand("echo new > b.txt; echo done; sleep 600")
    async with aclosing(session.run_command(command)) as stream:
        async for event in stream:
            events.append(event)
            if isinstance(event, ToolProgress):
                session.stop()
    assert found(events) == []
    assert events[-1].reason == "stopped"
    journal.go.set()
    (event,) = await collect(session.afterwards())
    assert event.paths == ("b.txt",)
    (ended,) = [item for item in events if isinstance(item, ToolFinished)]
    assert event.turn_id == ended.call_id


async def test_what_is_found_at_once_is_told_within_the_turn(journal, opened, scribble):
    journal.go.set()
    session = await opened(asks_for("scribble", word="long"))
    events = await stop_in_the_call(session, scribble.wrote)
    events += await collect(session.afterwards())
    # On a machine that is slow it may come afterwards, but never twice.
    assert found(events) == [("long.txt",)]
