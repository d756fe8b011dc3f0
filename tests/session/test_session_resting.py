"""A session that nobody looks at lets go of what it said, and knows the rest when it returns."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kinet.core.errors import StoreError
from kinet.core.messages import Message
from kinet.engine.base import Section
from kinet.session.session import Session
from tests.session.conftest import World, collect, reply


async def talked(world: World) -> Session:
    """A session of one turn, all of it stored."""
    session = world.sessions.create()
    await collect(session.send("First."))
    await session._state.recorder.durable()
    return session


def left(world: World, session: Session) -> bool:
    """Nobody looks at it any more; True if it rests."""
    world.sessions.resting.leave(session.id)
    return not world.sessions.is_open(session.id)


async def test_what_it_said_goes_and_is_there_again(start: Any) -> None:
    world = await start()
    session = await talked(world)
    before = session.history()
    gone = world.sessions.resting.leave(session.id)
    assert [message.text for things in gone for message in things] == ["First.", "Done."]
    again = world.sessions.open(session.id)
    assert again is not session
    assert again.history() == before
    await collect(again.send("Second."))
    assert len(again.history()) == 4


async def test_what_was_chosen_for_it_and_is_stored_nowhere_stays(start: Any) -> None:
    world = await start(remembered=lambda session_id: object())
    session = await talked(world)
    session.set_mode("plan")
    session.set_unsandboxed(True)
    session._state.skills = skills = [Section("skills", "A list of its own")]
    remembered, memory = session._state.remembered, session._state.memory
    assert left(world, session)
    again = world.sessions.open(session.id)
    assert again.mode == "plan"
    assert again.unsandboxed
    assert again._state.remembered is remembered
    assert again._state.memory is memory
    assert again._state.skills is skills


async def test_what_waits_goes_on_waiting_as_it_did(start: Any) -> None:
    world = await start()
    session = await talked(world)
    session.enqueue("Next.")
    assert not session._state.waiting.paused
    assert left(world, session)
    again = world.sessions.open(session.id)
    assert [item.text for item in again.queue] == ["Next."]
    # After a restart it would be paused.
    assert again.state == "idle"
    taken = again.take_next()
    assert taken is not None
    await collect(again.send(taken.text))
    assert again.queue == []


async def test_a_running_one_rests_when_its_turn_has_ended_and_another_one_is_left(
    start: Any,
) -> None:
    go = asyncio.Event()
    world = await start([], [go.wait, reply("Late.")])
    session, other = await talked(world), None
    running = asyncio.ensure_future(collect(session.send("Second.")))
    await asyncio.sleep(0)
    assert session.is_running
    assert not left(world, session)
    assert world.sessions.open(session.id) is session
    assert not left(world, session)
    go.set()
    await running
    await session._state.recorder.durable()
    other = await talked(world)
    assert left(world, other)
    assert not world.sessions.is_open(session.id)
    assert world.sessions.open(session.id).history()[-1].text == "Late."


async def test_one_that_is_looked_at_again_stays_open(start: Any) -> None:
    go = asyncio.Event()
    world = await start([], [go.wait, reply("Late.")])
    session = await talked(world)
    running = asyncio.ensure_future(collect(session.send("Second.")))
    await asyncio.sleep(0)
    assert not left(world, session)
    assert world.sessions.open(session.id) is session
    go.set()
    await running
    await session._state.recorder.durable()
    assert left(world, await talked(world))
    assert world.sessions.is_open(session.id)


async def test_one_whose_end_is_followed_does_not_rest(start: Any) -> None:
    world = await start()
    session = await talked(world)
    session._following += 1
    assert not left(world, session)
    session._following -= 1
    assert left(world, session)


async def test_one_with_something_on_its_shelf_does_not_rest(
    start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = await start()
    session = await talked(world)
    monkeypatch.setattr(session.shelf, "items", lambda: ["a job"])
    assert not left(world, session)
    monkeypatch.undo()
    assert left(world, session)


async def test_one_that_is_not_stored_does_not_rest(start: Any) -> None:
    world = await start()
    session = world.sessions.create()
    session.set_mode("plan")
    assert not left(world, session)
    await collect(session.send("First."))
    await session._state.recorder.durable()
    assert left(world, session)


async def test_nothing_is_sent_in_one_that_rests(start: Any) -> None:
    world = await start()
    session = await talked(world)
    assert left(world, session)
    with pytest.raises(StoreError, match="closed"):
        await collect(session.send("Second."))


async def test_where_somebody_else_went_on_that_counts(start: Any) -> None:
    world = await start()
    session = await talked(world)
    session.set_mode("plan")
    assert left(world, session)
    more = [reply("From elsewhere."), reply("And more.")]
    await world.store.append(session.id, more)
    again = world.sessions.open(session.id)
    assert again.history()[-1].text.endswith("And more.")
    assert again.mode == "plan"
    await collect(again.send("Second."))
    assert len(world.store.load(session.id)) == again._state.recorder.count


async def test_a_name_and_facts_reach_it_while_it_rests(start: Any) -> None:
    world = await start()
    session = await talked(world)
    session._state.memory.begun = "- Likes tea."
    assert left(world, session)
    world.sessions.rename(session.id, "Named meanwhile")
    world.sessions.refresh_memory()
    again = world.sessions.open(session.id)
    assert again.title == "Named meanwhile"
    assert again._state.memory.edited


async def test_a_deleted_one_is_forgotten(start: Any) -> None:
    world = await start()
    session = await talked(world)
    session.set_mode("plan")
    assert left(world, session)
    world.sessions.delete(session.id)
    world.sessions.restore(session.id)
    assert world.sessions.open(session.id).mode != "plan"


async def test_nothing_left_of_it_holds_what_it_said(start: Any) -> None:
    import gc

    world = await start()
    session = await talked(world)
    session._state.conversation.messages.append(Message("user", "unmistakable"))
    for things in world.sessions.resting.leave(session.id):
        things.clear()
    del session
    gc.collect()
    held = [item for item in gc.get_objects() if isinstance(item, Message)]
    assert not [message for message in held if message.text == "unmistakable"]
