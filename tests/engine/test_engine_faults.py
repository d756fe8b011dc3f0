"""What goes wrong between the engine and a server: tried again, told, counted, or left alone.

Real providers against a strict server, in every protocol; only the waiting is not waited for.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from inspect import signature
from typing import Any

import pytest

from kinet.core.errors import BadRequestError, OverloadedError, ProviderError
from kinet.core.events import Notice, RetryScheduled, SegmentReset
from kinet.core.messages import Message
from kinet.core.profile import ModelProfile
from kinet.engine.base import Limits
from kinet.engine.direct import DirectEngine
from kinet.engine.guards.circuit import Circuit
from kinet.providers.catalog import create_provider
from kinet.providers.transport.http_provider import HttpProvider
from kinet.settings.schema import Settings
from tests.support.chat import Chat
from tests.support.replies import asks_for, breaks, fails, hangs, says
from tests.support.scripted_provider import ScriptedProvider
from tests.support.scripted_server import ScriptedServer
from tests.support.tools import Look
from tests.support.turns import PROFILE, collect, last, texts, turn

PROTOCOLS = ("openai", "anthropic", "responses")


@pytest.fixture(params=PROTOCOLS)
def protocol(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server
        assert server.problems == []


@pytest.fixture
def waits() -> list[float]:
    """How long was waited before each retry, in seconds."""
    return []


def _unhurried(profile: ModelProfile, waits: list[float], **fields: Any) -> HttpProvider:
    provider = create_provider(profile, None, **fields)

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    provider._sleep = sleep
    return provider


@pytest.fixture
async def provider(server, protocol, waits) -> AsyncIterator[HttpProvider]:
    provider = _unhurried(server.profile(protocol), waits)
    yield provider
    await provider.close()


def _schedule(events: list[Any]) -> list[RetryScheduled]:
    return [event for event in events if isinstance(event, RetryScheduled)]


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
async def test_k25_a_server_in_trouble_is_asked_three_times_more_and_ever_later(
    server, provider, waits, status
):
    server.replies(fails(status) for _ in range(9))
    events = await Chat().send(provider)
    assert len(server.bodies) == 4
    for wait, usual in zip(waits, (1.0, 2.0, 4.0), strict=True):
        assert 0.75 * usual <= wait <= 1.25 * usual
    told = _schedule(events)
    assert [event.attempt for event in told] == [1, 2, 3]
    assert [event.delay for event in told] == [round(wait, 3) for wait in waits]
    assert all(event.reason for event in told)
    error = last(events).error
    assert error.retryable
    assert error.message
    assert error.hint


async def test_k25_waits_differ_so_that_many_programs_do_not_come_back_at_once(
    server, provider, waits
):
    server.replies(fails(503) for _ in range(8))
    for _ in range(2):
        await Chat().send(provider)
    assert len(set(waits)) == 6


async def test_k25_a_connection_that_is_refused_is_tried_again_too(protocol, waits):
    with ScriptedServer() as gone:
        profile = gone.profile(protocol)
    provider = _unhurried(profile, waits)
    events = await Chat().send(provider)
    await provider.close()
    assert len(waits) == 3
    assert last(events).error.kind == "network"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_k25_what_no_waiting_heals_is_asked_once(server, provider, waits, status):
    server.replies(fails(status, json.dumps({"error": {"message": "no"}})) for _ in range(9))
    events = await Chat().send(provider)
    assert (len(server.bodies), waits) == (1, [])
    assert last(events).reason == "failed"
    assert not last(events).error.retryable


_IN_30_HOURS = format_datetime(datetime.now(UTC) + timedelta(hours=30, minutes=20), usegmt=True)


@pytest.mark.parametrize(
    ("headers", "least"), [({"Retry-After": "7"}, 7.0), ({"retry-after-ms": "6500"}, 6.5)]
)
async def test_k25_what_a_server_asks_to_wait_is_the_least(server, provider, waits, headers, least):
    server.replies(fails(429, headers=headers), says("Here."))
    events = await Chat().send(provider)
    assert texts(events) == ["Here."]
    (wait,) = waits
    assert wait >= least
    assert _schedule(events)[0].delay >= least


@pytest.mark.parametrize(
    ("headers", "words"),
    [
        ({"Retry-After": "61"}, "61 seconds"),
        ({"Retry-After": "600"}, "10 minutes"),
        ({"retry-after-ms": "7200000"}, "2 hours"),
        ({"Retry-After": _IN_30_HOURS}, "30 hours"),
    ],
)
async def test_k25_more_than_a_minute_is_not_waited_for_and_the_time_is_shown(
    server, provider, waits, headers, words
):
    server.replies(fails(429, headers=headers) for _ in range(4))
    events = await Chat().send(provider)
    assert (len(server.bodies), waits, _schedule(events)) == (1, [], [])
    error = last(events).error
    assert words in error.hint
    assert error.retryable
    assert error.retry_after_s > 60


async def test_k25_a13_after_the_first_byte_nothing_is_retried_but_the_segment_asked_once_more(
    server, provider, waits
):
    """And it uses no step: the cap of one step still holds an answer."""
    server.replies(breaks("Half of"), says("The whole."))
    chat = Chat(limits=Limits(max_steps=1))
    events = await chat.send(provider)
    assert (len(server.bodies), waits, _schedule(events)) == (2, [], [])
    assert [event.attempt for event in events if isinstance(event, SegmentReset)] == [1]
    assert chat.conversation.messages[-1].text == "The whole."
    assert "Half of" not in json.dumps([m.to_dict() for m in chat.conversation.messages])


async def test_a15_r10_a_segment_that_breaks_twice_leaves_its_last_text_and_is_not_asked_again(
    server, provider, waits
):
    server.replies(asks_for("look", word="a"), breaks("One"), breaks("Two"), says("Never."))
    chat = Chat(tools=(Look(),))
    events = await chat.send(provider)
    assert last(events).reason == "failed"
    assert last(events).error.retryable
    assert (len(server.bodies), waits) == (3, [])
    assert chat.conversation.messages[-1].text == "Two"
    server.replies(says("Fine."))
    server.clear()
    await chat.send(provider, "Go on.")
    assert "Two" in json.dumps(server.bodies[-1])


async def test_s08_silence_before_the_first_byte_is_a_stall_and_not_tried_again(
    server, protocol, waits
):
    provider = _unhurried(server.profile(protocol), waits, stall_seconds=0.2)
    server.replies(hangs())
    events = await Chat().send(provider)
    await provider.close()
    error = last(events).error
    assert (error.kind, error.retryable, len(server.bodies), waits) == ("stalled", True, 1, [])


def test_s08_the_usual_limit_of_silence_is_two_minutes():
    assert Settings().network.stall_seconds == 120
    assert signature(create_provider).parameters["stall_seconds"].default == 120


async def test_u09_more_than_32_calls_in_a_reply_end_the_turn_in_words(server, provider):
    reply = asks_for("look", word="0")
    for number in range(1, 33):
        reply = reply.with_call("look", word=str(number))
    look = Look()
    server.replies(reply, says("Fine."))
    chat = Chat(tools=(look,))
    events = await chat.send(provider)
    assert last(events).reason == "failed"
    assert "32" in last(events).error.message
    assert look.watch.started == []
    assert texts(await chat.send(provider, "Go on.")) == ["Fine."]


async def test_u09_a_line_of_more_than_a_megabyte_ends_the_turn_in_words(server, provider):
    server.replies(says("x" * 1_100_000), says("Fine."))
    chat = Chat()
    events = await chat.send(provider)
    assert last(events).reason == "failed"
    assert re.search(r"1 MB|1,000,000|megabyte", last(events).error.message)
    assert texts(await chat.send(provider, "Go on.")) == ["Fine."]


# The circuit: what counts, what resets it, and who is left alone.


def _engine(*failures: ProviderError) -> tuple[DirectEngine, Circuit]:
    circuit = Circuit(lambda: 0.0)
    for failure in failures:
        circuit.failed(PROFILE, failure)
    return DirectEngine(circuit=circuit), circuit


DOWN = OverloadedError("The server failed with 500.", status=500)


async def test_a15_only_failures_in_a_row_open_the_circuit(wire):
    engine, _ = _engine(DOWN, DOWN, DOWN, DOWN)
    await collect(turn(ScriptedProvider(says("Hi."))), engine)
    for _ in range(4):
        await collect(turn(ScriptedProvider(DOWN)), engine)
    asked = ScriptedProvider()
    assert last(await collect(turn(asked), engine)).reason == "completed"


async def test_a15_what_the_server_refuses_for_good_reasons_does_not_count(wire):
    engine, _ = _engine()
    for _ in range(9):
        await collect(turn(ScriptedProvider(BadRequestError("No.", status=400))), engine)
    asked = ScriptedProvider()
    await collect(turn(asked), engine)
    assert len(asked.requests) == 1


async def test_a15_another_server_is_asked_meanwhile(wire):
    engine, _ = _engine(*[DOWN] * 5)
    elsewhere = replace(PROFILE, base_url="http://elsewhere/v1")
    asked = ScriptedProvider()
    events = await collect(turn(asked, profile=elsewhere), engine)
    assert last(events).reason == "completed"


@pytest.mark.parametrize("way", ["a message", "/compact", "a full window"])
async def test_a15_a_server_that_is_left_alone_is_asked_for_no_summary_either(wire, way):
    engine, _ = _engine(*[DOWN] * 5)
    asked = ScriptedProvider()
    history = tuple(
        Message(role, "word " * 400) for _ in range(12) for role in ("user", "assistant")
    )
    window = 9_000 if way == "a full window" else 0
    request = turn(
        asked,
        history=history,
        profile=replace(PROFILE, window=window),
        limits=Limits(compact_at=2_000),
    )
    stream = engine.compact(request) if way == "/compact" else engine.run(request)
    events = [event async for event in stream]
    assert asked.requests == []
    error = last(events).error
    assert error.kind == "circuit"
    assert "try anyway" in error.hint
    assert error.retry_after_s > 0


async def test_a15_a_branch_is_left_without_a_summary_while_the_server_is_left_alone(wire):
    engine, circuit = _engine(*[DOWN] * 5)
    asked = ScriptedProvider(says("What was done."))
    left = (Message("user", "Do it."), Message("assistant", "I do."), Message("assistant", "Yes."))
    told = await engine.branch_summary(turn(asked), left)
    assert asked.requests == []
    assert ["not asked yet" in e.text for e in told if isinstance(e, Notice)] == [True]
    circuit.try_anyway(PROFILE)
    await engine.branch_summary(turn(asked), left)
    assert len(asked.requests) == 1


async def test_a15_summaries_that_fail_count_too(wire):
    engine, _ = _engine(*[DOWN] * 4)
    history = tuple(
        Message(role, "word " * 400) for _ in range(12) for role in ("user", "assistant")
    )
    request = turn(ScriptedProvider(DOWN), history=history, limits=Limits(compact_at=2_000))
    async for _ in engine.compact(request):
        pass
    asked = ScriptedProvider()
    assert last(await collect(turn(asked), engine)).error.kind == "circuit"
    assert asked.requests == []


async def test_a15_half_a_minute_later_one_failure_is_enough_to_be_left_alone_again(wire):
    now = [0.0]
    circuit = Circuit(lambda: now[0])
    engine = DirectEngine(circuit=circuit)
    for _ in range(5):
        circuit.failed(PROFILE, DOWN)
    now[0] = 30.5
    await collect(turn(ScriptedProvider(DOWN)), engine)
    asked = ScriptedProvider()
    assert last(await collect(turn(asked), engine)).error.kind == "circuit"
    assert asked.requests == []


def _long() -> Chat:
    chat = Chat(limits=Limits(compact_at=3_000))
    chat.conversation.messages += [
        Message(role, "word " * 200) for _ in range(12) for role in ("user", "assistant")
    ]
    return chat


async def test_p21_a_summary_whose_server_is_in_trouble_waits_says_so_and_comes(
    server, provider, waits
):
    server.replies(says("Answer."), fails(503), fails(529), says("## Goal\nGo on."))
    chat = _long()
    events = await chat.send(provider)
    kinds = [type(event).__name__ for event in events]
    assert [event.attempt for event in _schedule(events)] == [1, 2]
    assert len(waits) == 2
    # What is waited for is known: a compaction, after the answer.
    assert kinds.index("CompactionStarted") < kinds.index("RetryScheduled")
    assert last(events).reason == "completed"
    assert "Go on." in chat.conversation.compaction.summary


@pytest.mark.parametrize("status", [401, 500])
async def test_p21_a_summary_that_fails_for_good_leaves_a_reason_a_person_can_read(
    server, provider, waits, status
):
    body = json.dumps({"error": {"message": "the key has expired"}})
    server.replies(says("Answer."), *[fails(status, body)] * 4)
    chat = _long()
    events = await chat.send(provider)
    assert len(server.bodies) == (2 if status == 401 else 5)
    assert last(events).reason == "completed"
    told = [event.text for event in events if isinstance(event, Notice)]
    assert any("without a summary" in text and "the key has expired" in text for text in told)
    assert "the key has expired" in chat.conversation.compaction.reason
