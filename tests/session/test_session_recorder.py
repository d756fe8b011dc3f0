"""Whatever the disk does, events arrive in order, each exactly once."""

from __future__ import annotations

import asyncio
import contextlib
from concurrent.futures import Future
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kinet.core.errors import StoreError
from kinet.core.events import (
    Event,
    MessageCompleted,
    Notice,
    SegmentReset,
    StepStarted,
    TextDelta,
    ThinkingDelta,
)
from kinet.core.messages import Message
from kinet.session.recorder import Recorder


class MoodyStore:
    """Keeps what `SessionStore.put` would; fails as often as it is told to, at once or later."""

    def __init__(self, moods: list[str]) -> None:
        self.moods = moods
        self.events: list[Event] = []
        self.draft: list[tuple[str, str]] = []

    def put(
        self, session_id: str, events: Any, *, model: str, sent: Any, draft: Any, restart: bool
    ) -> Future[None]:
        mood = self.moods.pop(0) if self.moods else "good"
        if mood == "closed":
            raise StoreError("closed")
        future: Future[None] = Future()
        if mood == "full":
            future.set_exception(StoreError("full"))
            return future
        self.events += events
        if restart or any(isinstance(event, MessageCompleted) for event in events):
            self.draft.clear()
        self.draft += [(piece.kind, piece.text) for piece in draft]
        if mood == "slow":
            asyncio.get_running_loop().call_later(0.001, future.set_result, None)
        else:
            future.set_result(None)
        return future


EVENTS = st.one_of(
    st.builds(Notice, st.text(max_size=3)),
    st.builds(lambda text: MessageCompleted(Message("assistant", text)), st.text(max_size=3)),
    st.builds(TextDelta, st.text(min_size=1, max_size=3)),
    st.builds(ThinkingDelta, st.text(min_size=1, max_size=3)),
    st.just(StepStarted(1)),
    st.just(SegmentReset(1)),
)
MOODS = st.lists(st.sampled_from(["good", "slow", "full", "closed"]), max_size=12)


def unfinished(events: list[Event]) -> tuple[str, str]:
    """Text and reasoning after the last event that makes an answer begin anew."""
    text, reasoning = "", ""
    for event in events:
        match event:
            case TextDelta(text=piece):
                text += piece
            case ThinkingDelta(text=piece):
                reasoning += piece
            case MessageCompleted() | StepStarted() | SegmentReset():
                text, reasoning = "", ""
            case _:
                pass
    return text, reasoning


async def play(events: list[Event], moods: list[str], pauses: list[bool]) -> None:
    store = MoodyStore(moods)
    recorder = Recorder(store, "s")  # type: ignore[arg-type]
    for event, pause in zip(events, pauses, strict=False):
        recorder.record(event)
        if pause:
            await asyncio.sleep(0)
    # More often than the disk can fail.
    for _ in range(len(moods) + 4):
        recorder.flush()
        with contextlib.suppress(StoreError):
            await recorder.durable()
    await recorder.durable()
    given_events = events[: len(pauses)]
    saved = [event for event in given_events if isinstance(event, Notice | MessageCompleted)]
    assert store.events == saved
    assert recorder.waiting() == []
    kept = tuple(
        "".join(text for kind, text in store.draft if kind == wanted)
        for wanted in ("text", "reasoning")
    )
    assert kept == unfinished(given_events)


@settings(max_examples=300, deadline=None)
@example([TextDelta("old"), Notice(""), StepStarted(1)], ["full"], [False] * 3)
@given(st.lists(EVENTS, max_size=15), MOODS, st.lists(st.booleans(), max_size=15))
def test_every_event_arrives_once_and_in_order(events, moods, pauses):
    asyncio.run(play(events, moods, pauses))


class UnmakeableStore(MoodyStore):
    """Cannot make the session, so that saving its events fails as well."""

    def create(self, new: Any) -> Future[None]:
        future: Future[None] = Future()
        future.set_exception(StoreError("the table is broken"))
        return future


async def test_a_session_that_cannot_be_made_is_the_fault_that_is_told():
    from kinet.store.sessions import NewSession

    store = UnmakeableStore(["full"] * 5)
    recorder = Recorder(store, "s", new=NewSession("s"))  # type: ignore[arg-type]
    recorder.record(Notice("hello"))
    with pytest.raises(StoreError, match="the table is broken"):
        await recorder.durable()
