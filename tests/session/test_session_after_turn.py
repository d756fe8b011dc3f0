"""What follows a turn: facts are told between turns, counted once, and never hold anything up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from kinet.core.completion import Usage
from kinet.core.errors import StoreError
from kinet.core.events import FactsNoticed, Notice, StepFinished, TurnFinished
from kinet.core.messages import Message
from kinet.memory.fact import Fact
from kinet.memory.facts import Taken
from kinet.memory.noticing import Noticed
from kinet.session.after_turn import notice_facts
from tests.session.conftest import collect, reply


class Notices:
    """Gives one answer, when it is let."""

    def __init__(self, answer: Noticed | StoreError) -> None:
        self.answer, self.asked = answer, 0
        self.let = asyncio.Event()
        self.let.set()

    async def after_turn(
        self,
        session_id: str,
        profile: str,
        folder: Path | None,
        messages: Callable[[], Sequence[Message]],
    ) -> Noticed:
        self.asked += 1
        await self.let.wait()
        if isinstance(self.answer, StoreError):
            raise self.answer
        return self.answer


FOUND = Noticed((Taken(Fact("f", "Likes tea.")),), usage=Usage(40, 2), model="cheap")


async def test_the_receipt_waits_while_the_next_turn_runs(start: Any) -> None:
    world = await start([reply("Noted.")], noticing=Notices(FOUND))
    session = world.sessions.create()
    await collect(session.send("I like tea."))
    idle = asyncio.Event()
    events = notice_facts(session._state, idle)
    first = asyncio.ensure_future(anext(events))
    for _ in range(20):
        await asyncio.sleep(0)
    assert not first.done()
    idle.set()
    told = [await first, *[event async for event in events]]
    assert [type(event) for event in told] == [StepFinished, FactsNoticed]


async def test_the_receipt_and_its_cost_are_stored_with_the_session(start: Any) -> None:
    world = await start(
        [reply("Noted.")], noticing=Notices(FOUND), price=lambda model, usage: (0.25, False)
    )
    session = world.sessions.create()
    await collect(session.send("I like tea."))
    events = await collect(session.afterwards())
    assert events[1] == FactsNoticed(
        ({"id": "f", "text": "Likes tea.", "scope": "person", "was": ""},), 0.25
    )
    assert session.conversation.cost == 0.25
    assert world.store.load(session.id)[-2:] == events


async def test_after_a_turn_that_failed_nobody_is_asked(start: Any) -> None:
    notices = Notices(FOUND)
    world = await start([TurnFinished("failed")], [TurnFinished("stopped")], noticing=notices)
    session = world.sessions.create()
    for text in ("one", "two"):
        await collect(session.send(text))
        assert await collect(session.afterwards()) == []
    assert notices.asked == 0


async def test_what_cannot_be_kept_is_told_and_not_stored(start: Any) -> None:
    refused = StoreError("The disk is full.", hint="Free some space.")
    world = await start([reply("Noted.")], noticing=Notices(refused))
    session = world.sessions.create()
    await collect(session.send("I like tea."))
    before = world.store.load(session.id)
    (notice,) = await collect(session.afterwards())
    assert isinstance(notice, Notice)
    assert "The disk is full. Free some space." in notice.text
    assert not notice.keep
    assert world.store.load(session.id) == before
