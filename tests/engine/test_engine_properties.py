"""Random turns with stops, failures and switches of protocol: every request stays legal."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinet.core.characters import is_border
from kinet.core.events import ToolFinished, ToolStarted, TurnFinished, TurnStarted
from kinet.core.messages import Message
from kinet.core.own_command import NAME
from kinet.core.pairing import repair
from kinet.engine.base import Limits, StopSignal
from kinet.engine.tokens import Calibration, size_of_messages
from kinet.engine.truncation import for_model
from kinet.providers.catalog import create_provider
from tests.support.chat import Chat
from tests.support.replies import Reply, asks_for, asks_raw, breaks, fails, says
from tests.support.scripted_provider import ScriptedProvider
from tests.support.scripted_server import ScriptedServer
from tests.support.tools import Change, Fail, Look


def _calls(names: list[str]) -> Reply:
    reply = Reply()
    for number, name in enumerate(names):
        reply = reply.with_call(name, word=str(number))
    return reply


_replies = st.one_of(
    st.just(says("Text.")),
    st.just(says()),
    st.just(breaks("Half")),
    st.just(fails(400)),
    st.just(asks_raw("look", '{"word": ')),
    st.just(asks_for("look", word="x").cut_by_length()),
    st.lists(st.sampled_from(["look", "change", "fail", "nothing"]), min_size=1, max_size=4).map(
        _calls
    ),
)
# What the person ran before the turn: the output, and whether the model may hear of it.
_TOLD, _PRIVATE = "quince", "medlar"
_own = st.lists(
    st.tuples(st.text(max_size=8), st.booleans()).map(
        lambda ran: (f"{ran[0]}{_PRIVATE if ran[1] else _TOLD}", ran[1])
    ),
    max_size=2,
)
_turns = st.lists(
    st.tuples(st.lists(_replies, max_size=4), st.integers(0, 40), st.sampled_from([0, 1, 2]), _own),
    min_size=1,
    max_size=4,
)


def _run(chat: Chat, printed: str, *, private: bool) -> None:
    """A command of the person's own, as a session takes it."""
    number = f"own{len(chat.conversation.messages)}"
    arguments = {"command": "cat fruit", "private": private}
    for event in (
        TurnStarted("session", number),
        ToolStarted(number, NAME, arguments),
        ToolFinished(number, NAME, preview="exit 0", content=printed, details=arguments),
        TurnFinished("completed"),
    ):
        chat.conversation.apply(event)


async def _play(turns: list[Any], providers: list[Any], add: Any) -> Chat:
    chat = Chat(tools=(Look(), Change(), Fail()), mode="all", memory_text="Facts.")
    for replies, stop_at, which, ran in turns:
        for printed, private in ran:
            _run(chat, printed, private=private)
        add(which, replies)
        stop, seen = StopSignal(), 0

        def count(event: object, stop: StopSignal = stop, limit: int = stop_at) -> None:
            nonlocal seen
            seen += 1
            if seen == limit:
                stop.set()

        events = await chat.send(providers[which], stop=stop, on=count)
        assert sum(isinstance(event, TurnFinished) for event in events) == 1
        assert isinstance(events[-1], TurnFinished)
        answered = [event.call_id for event in events if isinstance(event, ToolFinished)]
        assert len(answered) == len(set(answered))
        assert repair(chat.conversation.messages) == tuple(chat.conversation.messages)
    kept = [message.text for message in chat.conversation.messages if message.kind == "command"]
    assert kept == [printed for *_, ran in turns for printed, _ in ran]
    return chat


@settings(max_examples=60, deadline=None)
@given(turns=_turns)
def test_histories_with_stops_and_failures_stay_legal(turns):
    async def play() -> None:
        provider = ScriptedProvider()
        await _play(turns, [provider] * 3, lambda _, replies: provider.replies(replies))

    asyncio.run(play())


@settings(max_examples=15, deadline=None)
@given(turns=_turns)
def test_strict_servers_of_every_protocol_accept_every_request(turns):
    async def play(server: ScriptedServer) -> None:
        providers = [
            create_provider(server.profile("openai"), None, retries=0),
            create_provider(server.profile("anthropic"), None, retries=0),
            create_provider(server.profile("responses"), None, retries=0),
        ]
        await _play(turns, providers, lambda _, replies: server.replies(replies))
        for provider in providers:
            await provider.close()

    with ScriptedServer() as server:
        asyncio.run(play(server))
        assert server.problems == []
        told = [_TOLD in json.dumps(request.body) for request in server.requests]
        assert not any(_PRIVATE in json.dumps(request.body) for request in server.requests)
        # Once told it is told with every request that follows.
        assert told == sorted(told)


@given(text=st.text(alphabet="ae\u0301👩‍👧\r\n🇩🇪한ᄒ\ufe0f", max_size=60), head=st.integers(0, 20))
def test_a_cut_keeps_both_ends_and_never_falls_inside_a_character(text, head):
    limits = Limits(result_characters=20, result_head=head, result_tail=10)
    cut = for_model(text, limits)
    if len(text) <= 20:
        assert cut == text
        return
    start, _, end = cut.partition("\n\n[")
    end = end.partition("]\n\n")[2]
    assert text.startswith(start)
    assert text.endswith(end)
    assert len(start) <= head
    assert len(end) <= 10
    assert is_border(text, len(start))


@pytest.mark.parametrize("ratio", [0.2, 0.4, 0.6])
def test_k13_the_coefficient_moves_half_way_to_each_measurement(ratio):
    calibration, sent = Calibration(), size_of_messages([Message("user", "x" * 10_000)])
    expected = 0.6
    for _ in range(5):
        before = calibration.coefficient("m")
        calibration.observe("m", int(ratio * sent.characters), sent)
        expected = (before + ratio) / 2
        assert calibration.coefficient("m") == pytest.approx(expected, rel=1e-3)
        assert calibration.coefficient("m") >= ratio * 0.999
    assert calibration.coefficient("other") == 0.6


def test_k13_the_example_of_the_design():
    calibration, sent = Calibration(), size_of_messages([Message("user", "x" * 99_960)])
    steps = []
    for _ in range(2):
        calibration.observe("m", 40_000, sent)
        steps.append(round(calibration.coefficient("m"), 3))
    assert steps == [0.5, 0.45]
