"""A reader that is slow, or stands: nothing is lost, little is kept, and a stop needs no reader."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kinet.core.events import (
    Event,
    Notice,
    StepStarted,
    TextDelta,
    ThinkingDelta,
    ToolArgumentsDelta,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    TurnFinished,
)
from kinet.engine.base import Limits
from kinet.engine.direct import DirectEngine
from kinet.engine.event_flow import FULL, EventFlow
from kinet.providers.base import ModelRequest, StreamItem
from kinet.tools.processes.environment import child_environment
from kinet.tools.processes.process import RunningCommand, finish
from kinet.tools.shell import Shell
from tests.support.replies import asks_for, says
from tests.support.scripted_provider import ScriptedProvider
from tests.support.tools import Look
from tests.support.turns import turn


class Endless(ScriptedProvider):
    """Streams far more than may wait, and counts how much of it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        self.requests.append(request)
        try:
            while self.asked < 5_000:
                self.asked += 1
                yield TextDelta("so many words " * 50)
        finally:
            self.closed_streams += 1


async def _stands(counted: Callable[[], Any]) -> Any:
    """What is counted, once it does not grow any more."""
    before = None
    while (now := counted()) != before:
        before = now
        for _ in range(200):
            await asyncio.sleep(0)
    return now


async def _until(is_so: Callable[[], bool]) -> None:
    for _ in range(1000):
        if is_so():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come")


def _pieces_joined(events: list[Event]) -> list[Event]:
    """The same events, neighbouring pieces of one text as one."""
    out: list[Event] = []
    for event in events:
        newest = out[-1] if out else None
        if (
            isinstance(event, TextDelta | ThinkingDelta | ToolArgumentsDelta | ToolProgress)
            and isinstance(newest, type(event))
            and replace(newest, text="") == replace(event, text="")
        ):
            out[-1] = replace(newest, text=newest.text + event.text)
        else:
            out.append(event)
    return out


_TEXT = st.text("ab\n", max_size=5) | st.just("long " * 300)
_EVENTS = st.lists(
    st.one_of(
        st.builds(TextDelta, _TEXT),
        st.builds(ThinkingDelta, _TEXT),
        st.builds(ToolArgumentsDelta, st.integers(0, 1), st.just("shell"), _TEXT),
        st.builds(ToolProgress, st.sampled_from(["a", "b"]), _TEXT, st.sampled_from(["", "p"])),
        st.builds(StepStarted, st.integers(1, 9)),
        st.builds(ToolFinished, st.just("a"), st.just("shell"), content=_TEXT),
    ),
    max_size=400,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_EVENTS, st.integers(0, 120))
async def test_whatever_waits_comes_in_its_order_and_nothing_of_it_is_lost(
    events: list[Event], taken_between: int
) -> None:
    flow, got = EventFlow(), []
    for number, event in enumerate(events):
        flow.put(event)
        if taken_between and number % taken_between == 0:
            got.append(await flow.next())
    flow.end()
    while (event := await flow.next()) is not None:
        got.append(event)
    assert _pieces_joined(got) == _pieces_joined(events)
    assert flow._weight == 0


async def test_few_events_are_told_as_they_came() -> None:
    flow = EventFlow()
    events = [TextDelta("a"), TextDelta("b"), TextDelta("c")]
    for event in events:
        flow.put(event)
    flow.end()
    assert [await flow.next() for _ in events] == events


async def test_a_model_waits_for_a_reader_that_stands_and_goes_on_with_it() -> None:
    provider = Endless()
    request = turn(provider, limits=Limits(screen_bytes=0))
    read = 0
    async with aclosing(DirectEngine().run(request)) as events:
        await anext(events)
        asked = await _stands(lambda: provider.asked)
        assert asked * 700 < FULL * 1.1
        async for event in events:
            read += len(event.text) if isinstance(event, TextDelta) else 0
            if read > 3 * FULL:
                request.stop.set()
            if isinstance(event, TurnFinished):
                assert event.reason == "stopped"
    assert provider.asked * 700 < read + FULL * 2
    assert provider.closed_streams == 1


async def test_a_stop_ends_the_work_though_nobody_reads_and_all_is_still_told() -> None:
    provider = Endless()
    request = turn(provider, limits=Limits(screen_bytes=0))
    async with aclosing(DirectEngine().run(request)) as events:
        told = [await anext(events)]
        asked = await _stands(lambda: provider.asked)
        request.stop.set()
        # The connection is closed before a single event was read.
        await _stands(lambda: provider.closed_streams)
        assert provider.closed_streams == 1
        told += [event async for event in events]
    assert told[-1].reason == "stopped"  # type: ignore[union-attr]
    streamed = "".join(event.text for event in told if isinstance(event, TextDelta))
    assert streamed == "so many words " * 50 * asked


async def test_time_for_which_a_turn_waits_for_its_reader_is_not_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr("kinet.engine.event_flow.time.monotonic", lambda: now)
    flow = EventFlow()
    flow.put(Notice("x"))
    flow.put(TextDelta("x" * FULL))
    waiting = [asyncio.ensure_future(flow.room()) for _ in range(2)]
    await asyncio.sleep(0)
    now = 30.0
    assert flow.held() == 30.0
    await flow.next()
    await flow.next()
    await asyncio.gather(*waiting)
    now = 99.0
    assert flow.held() == 30.0


async def test_calls_wait_for_a_reader_that_stands() -> None:
    class Long(Look):
        async def run(self, arguments: Any, context: Any) -> Any:
            output = await super().run(arguments, context)
            return replace(output, content="x" * FULL, model_content="x")

    script = [asks_for("look", word=str(number)) for number in range(50)]
    provider = ScriptedProvider(*script, says("Done."))
    request = turn(provider, tools=(Long(),))
    async with aclosing(DirectEngine().run(request)) as events:
        await anext(events)
        assert await _stands(lambda: len(provider.requests)) == 1
        told = [event async for event in events]
    assert len([event for event in told if isinstance(event, ToolFinished)]) == 50


async def test_a_command_is_held_while_nobody_reads_and_a_stop_ends_it_all_the_same(
    tmp_path: Path,
) -> None:
    provider = ScriptedProvider(asks_for("shell", command="exec yes 0123456789"))
    request = turn(provider, tools=(Shell(),), folder=tmp_path)
    told: list[Event] = []
    async with aclosing(DirectEngine().run(request)) as events:
        async for event in events:
            told.append(event)
            if isinstance(event, ToolStarted):
                break
        flow = events.ag_frame.f_locals["flow"]
        await _until(lambda: flow.is_full)
        request.stop.set()
        told += [event async for event in events]
    (end,) = [event for event in told if isinstance(event, ToolFinished)]
    assert end.content.startswith("0123456789\n0123456789\n")
    assert told[-1].reason == "stopped"  # type: ignore[union-attr]


class Reader:
    """Takes output; says that nobody reads whenever some came, the first `times`."""

    def __init__(self, times: float) -> None:
        self.told: list[str] = []
        self._times, self._seen = times, 0
        self.grew_unread = False
        # Seconds that went by while the command was held.
        self.later = 0.0

    def unread(self) -> bool:
        if self._times <= 0 or not self.told:
            return False
        if self._seen:
            self.later += 1000
        self.grew_unread |= 0 < self._seen < len(self.told)
        self._seen = len(self.told)
        self._times -= 1
        return True


def _command(text: str, folder: Path, reader: Reader, timeout_s: float) -> RunningCommand:
    return RunningCommand(
        ["/bin/sh", "-c", text],
        folder=folder,
        environment=child_environment(),
        timeout_s=timeout_s,
        progress=reader.told.append,
        unread=reader.unread,
    )


async def test_a_held_command_loses_nothing_and_its_time_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Reader(5)
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + reader.later)
    for module in ("process", "holding"):
        monkeypatch.setattr(f"kinet.tools.processes.{module}.time", clock)
    running = _command("echo first; sleep 0.06; seq 1 100000; echo END", tmp_path, reader, 600)
    ended = await finish(running)
    assert reader.later >= 1000
    assert not ended.timed_out
    assert ended.output == "first\n" + "".join(f"{n}\n" for n in range(1, 100_001)) + "END\n"
    assert not reader.grew_unread


async def test_a_held_command_that_never_gets_a_reader_can_be_stopped(tmp_path: Path) -> None:
    reader = Reader(math.inf)
    running = _command("exec yes", tmp_path, reader, 600)
    running.start()
    await _until(lambda: reader._seen > 0)
    running.stop()
    assert await asyncio.to_thread(running.finished.wait, 10)
    assert running.result.result().stopped
    assert not reader.grew_unread
