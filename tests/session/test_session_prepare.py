"""What a session's events are is read beside the window, and nothing that happens then is lost."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kinet.core.events import Event, Notice
from kinet.store.sessions import SessionStore
from tests.session.conftest import collect


async def test_what_is_read_beside_is_what_events_gives(start: Any) -> None:
    world = await start()
    session = world.sessions.create()
    await collect(session.send("First."))
    counted = await session.prepare(len)
    events = session.events()
    assert counted == len(events)
    assert events == session._state.parts.store.load(session.id)
    # It was handed over: the next one is read anew.
    assert session.events() == events


@pytest.mark.parametrize("on_disk", [True, False])
async def test_what_happens_while_it_is_read_is_there_too(
    start: Any, monkeypatch: pytest.MonkeyPatch, on_disk: bool
) -> None:
    world = await start()
    session = world.sessions.create()
    await collect(session.send("First."))
    load, loop, calls = SessionStore.load, asyncio.get_running_loop(), []

    async def happens() -> None:
        session._state.take(Notice("Later"))
        if on_disk:
            await session._state.recorder.durable()

    def meanwhile(store: SessionStore, session_id: str, *rest: Any) -> list[Event]:
        events = load(store, session_id, *rest)
        calls.append(len(events))
        if len(calls) == 1:
            asyncio.run_coroutine_threadsafe(happens(), loop).result(20)
        return events

    monkeypatch.setattr(SessionStore, "load", meanwhile)
    await session.prepare(len)
    events = session.events()
    assert [event for event in events if event == Notice("Later")] == [Notice("Later")]
    assert len(calls) > 1


async def test_after_going_back_nothing_is_read_a_second_time(
    start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = await start()
    session = world.sessions.create()
    for text in ("First.", "Second."):
        await collect(session.send(text))
    asked = next(item.id for item in session.history() if item.text == "Second.")
    await session.go_back(asked)
    monkeypatch.setattr(SessionStore, "load", lambda *_: pytest.fail("read again"))
    events = session.events()
    assert [item.text for item in session.history()][-1] == "Done."
    assert not any("Second." in repr(event) for event in events)
