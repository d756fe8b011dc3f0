"""The engine on real providers and a strict server, in both protocols."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import datetime, tzinfo
from typing import Any

import pytest

from kinet.core.events import (
    MessageCompleted,
    RetryScheduled,
    StepFinished,
    TextDelta,
    ThinkingDelta,
    ToolArgumentsDelta,
)
from kinet.core.messages import Message
from kinet.core.profile import WireProtocol
from kinet.engine.base import Limits, Section, StopSignal
from kinet.net.secret import Secret
from kinet.providers.base import Provider
from kinet.providers.catalog import create_provider
from kinet.providers.pricing import PriceTable
from tests.support.approvers import Undecided, denies_everything
from tests.support.chat import Chat
from tests.support.replies import (
    Call,
    Reply,
    asks_for,
    asks_raw,
    breaks,
    fails,
    for_ever,
    hangs,
    says,
    says_and_asks,
)
from tests.support.scripted_server import ScriptedServer
from tests.support.tools import Big, Change, Fail, Look, Talk
from tests.support.turns import last, texts, turn

PROTOCOLS: tuple[WireProtocol, ...] = ("openai", "anthropic", "responses")


@pytest.fixture(params=PROTOCOLS)
def protocol(request: pytest.FixtureRequest) -> WireProtocol:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server
        assert server.problems == []


@pytest.fixture
async def provider(server: ScriptedServer, protocol: WireProtocol) -> AsyncIterator[Provider]:
    provider = create_provider(server.profile(protocol), Secret("key"), retries=1)
    yield provider
    await provider.close()


def _words(body: dict[str, Any]) -> str:
    """All text of the messages of a request, in order."""
    return json.dumps(body.get("messages") or body["input"], ensure_ascii=False)


def _system(body: dict[str, Any]) -> str:
    for key in ("system", "instructions"):
        if key in body:
            return json.dumps(body[key])
    return str(body["messages"][0]["content"])


async def test_k01_k05_k07_two_rounds_and_a_text(server, provider):
    server.replies(
        asks_for("look", word="a"), says_and_asks("On.", "change", word="b"), says("All done.")
    )
    chat = Chat(tools=(Look(), Change()), memory_text="<memory>Likes tabs.</memory>")
    events = await chat.send(provider, "The task.", mode="all")
    assert last(events).reason == "completed"
    assert len(server.bodies) == 3
    for body in server.bodies:
        words = _words(body)
        assert words.index("Likes tabs.") < words.index("The task.")
        assert '"_memory"' not in json.dumps(body)
    assert [item.role for item in chat.conversation.messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "assistant",
    ]


async def test_k04_u10_u11_memory_folder_and_date_change_and_system_bytes_do_not(
    server, provider, tmp_path, monkeypatch
):
    class Later(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:
            return datetime(2031, 12, 24, 18, 0, tzinfo=tz)

    chat = Chat(tools=(Look(),), rules=(Section("KINET.md", "Rule."),))
    await chat.send(provider, memory_text="One.", folder=tmp_path)
    monkeypatch.setattr("kinet.engine.context.environment.datetime", Later)
    await chat.send(provider, memory_text="Two.", folder=tmp_path.parent, mode="plan")
    first, second = server.bodies
    assert _system(first) == _system(second)
    assert str(tmp_path) not in _system(first)
    # What changed was told, with the newest message.
    assert "2031-12-24" in _words(second)
    assert "2031-12-24" not in _words(first)


async def test_openai_like_prefixes_stay_byte_equal_from_request_to_request(server, tmp_path):
    server.replies(asks_raw("look", '{ "word":"a" }'), says("One."), says("Two."))
    provider = create_provider(server.profile("openai"), None)
    chat = Chat(tools=(Look(), Big()), folder=tmp_path, memory_text="Facts.")
    await chat.send(provider, "First.")
    await chat.send(provider, "Second.")
    await provider.close()
    for before, after in zip(server.bodies, server.bodies[1:], strict=False):
        old = [json.dumps(item) for item in before["messages"]]
        new = [json.dumps(item) for item in after["messages"]]
        assert new[: len(old)] == old
        assert json.dumps(before["tools"]) == json.dumps(after["tools"])
    assert '{ \\"word\\":\\"a\\" }' in json.dumps(server.bodies[-1])


async def test_the_environment_is_told_once_and_again_when_it_changes(server, provider, tmp_path):
    chat = Chat()
    await chat.send(provider, folder=tmp_path)
    await chat.send(provider, folder=tmp_path)
    await chat.send(provider, folder=tmp_path.parent)
    counts = [_words(body).count("<environment>") for body in server.bodies]
    assert counts == [1, 1, 2]


async def test_k02_stop_closes_the_connection_and_the_next_turn_is_accepted(server, provider):
    server.replies(for_ever("look", word="{n}"))
    chat, stop = Chat(tools=(Look(),)), StopSignal()
    seen = 0

    def stop_later(event: object) -> None:
        nonlocal seen
        seen += isinstance(event, StepFinished)
        if seen == 20:
            stop.set()

    events = await chat.send(provider, stop=stop, on=stop_later)
    assert last(events).reason == "stopped"
    await chat.send(provider, stop=_stopped_after(0.2))
    assert len(server.bodies) > 20


STATES = {
    "first_byte": (hangs(), None),
    "text": (hangs("Half a"), TextDelta),
    "tool": (says_and_asks("Look.", "talk"), None),
    "approval": (asks_for("change", word="x"), None),
    "retry": (fails(500), RetryScheduled),
    "arguments": (asks_for("look", word="x" * 50), ToolArgumentsDelta),
}


@pytest.mark.parametrize("state", STATES)
async def test_r08_a_stop_in_any_state_leaves_a_legal_history(server, provider, state):
    reply, signal = STATES[state]
    server.replies(reply)
    stop, talk, approver = StopSignal(), Talk(), Undecided()
    chat = Chat(tools=(Look(), Change(), talk))

    def stop_at(event: object) -> None:
        if signal is not None and isinstance(event, signal):
            stop.set()

    async def stop_outside() -> None:
        if state == "first_byte":
            await asyncio.to_thread(server.wait_for_requests, 1)
        elif state == "tool":
            await talk.running_now.wait()
        elif state == "approval":
            await approver.waiting.wait()
        else:
            return
        stop.set()

    stopper = asyncio.create_task(stop_outside())
    events = await chat.send(provider, stop=stop, on=stop_at, approver=approver)
    await stopper
    assert last(events).reason == "stopped"
    if state in ("first_byte", "text"):
        assert await asyncio.to_thread(server.requests[-1].closed.wait, 5)
    server.replies(says("Fine."))
    again = await chat.send(provider, "Go on.")
    assert last(again).reason == "completed"
    assert texts(again) == ["Fine."]


async def test_r10_text_before_a_failure_stays_in_history(server, provider):
    server.replies(breaks("Half a sentence"), breaks("Half again"))
    chat = Chat()
    events = await chat.send(provider)
    assert last(events).reason == "failed"
    await chat.send(provider, "Go on.")
    assert "Half again" in _words(server.bodies[-1])
    assert "Half a sentence" not in _words(server.bodies[-1])


async def test_c10_thinking_is_sent_back_with_its_signature_byte_for_byte(server):
    server.replies(asks_for("look", word="a").thinking("Hm."), says("Done."))
    provider = create_provider(server.profile("anthropic"), None)
    events = await Chat(tools=(Look(),)).send(provider)
    await provider.close()
    assert any(isinstance(event, ThinkingDelta) for event in events)
    assert "c2lnbmVk/+==" in json.dumps(server.bodies[1])


async def test_k24_the_protocol_can_change_in_mid_conversation(server):
    chat = Chat(tools=(Look(), Fail()))
    providers = [create_provider(server.profile(name), None) for name in PROTOCOLS]
    for number in range(6):
        server.replies(
            asks_for("look", word="a").with_call("fail", word="b").thinking("Hm."),
            says(f"Answer {number}."),
        )
        events = await chat.send(providers[number % 3], f"Question {number}.")
        assert last(events).reason == "completed"
    for provider in providers:
        await provider.close()
    for number in range(5):
        assert f"Answer {number}." in _words(server.bodies[-1])


async def test_u15_c10_sealed_reasoning_is_sent_back_and_the_server_keeps_nothing(server):
    server.replies(asks_for("look", word="a").thinking("Hm."), says("Done."))
    provider = create_provider(server.profile("responses", model="gpt-5"), None)
    await Chat(tools=(Look(),)).send(provider)
    await provider.close()
    assert [body["store"] for body in server.bodies] == [False, False]
    kinds = [item.get("type") for item in server.bodies[1]["input"]]
    assert kinds.index("reasoning") < kinds.index("function_call")


async def test_k12_the_request_holds_head_note_and_tail_of_a_long_result(server, provider):
    server.replies(asks_for("big", characters=50_000))
    events = await Chat(tools=(Big(),)).send(provider)
    words = _words(server.bodies[1])
    assert "44,000" in words
    assert "x" * 3000 in words
    assert "x" * 3001 not in words
    assert last(events).reason == "completed"


async def test_arguments_that_are_no_json_do_not_break_the_next_request(server, provider):
    server.replies(
        asks_raw("look", '{"word": "a').with_call("look", word="b"),
        asks_raw("look", '["a"]'),
        asks_raw("change", '"x"').cut_by_length(),
        says("Sorry."),
    )
    events = await Chat(tools=(Look(), Change())).send(provider)
    assert last(events).reason == "completed"
    assert texts(events)[-1] == "Sorry."


async def test_25_calls_in_one_reply_are_each_answered_once(server, provider):
    reply = asks_for("look", word="0")
    for number in range(1, 19):
        reply = reply.with_call("look", word=str(number))
    for number in range(3):
        reply = reply.with_call(f"unknown{number}")
    for number in range(2):
        reply = reply.with_call("fail", word=str(number))
    reply = reply.with_call("change", word="x")
    server.replies(reply)
    approver_says_no = turn(provider).approver
    chat = Chat(tools=(Look(), Fail(), Change()), approver=approver_says_no)
    await chat.send(provider)
    sent = [item.tool_call_id for item in chat.conversation.messages if item.role == "tool"]
    assert sent == [call.id for call in reply.calls]


async def test_call_ids_that_come_again_are_made_unique(server):
    call = asks_for("look", word="a").calls[0]
    server.replies(Reply(calls=(call,)), Reply(calls=(call,)), says("Done."))
    provider = create_provider(server.profile("openai"), None)
    chat = Chat(tools=(Look(),))
    await chat.send(provider)
    await provider.close()
    ids = [item.tool_call_id for item in chat.conversation.messages if item.role == "tool"]
    assert len(set(ids)) == 2


async def test_k25_a_failure_before_the_first_byte_is_retried_and_told(server, provider):
    server.replies(fails(503), says("Here."))
    events = await Chat().send(provider)
    assert [event.attempt for event in events if isinstance(event, RetryScheduled)] == [1]
    assert texts(events) == ["Here."]


async def test_a_bad_request_is_one_request_and_a_clear_end(server, provider):
    server.replies(fails(400, json.dumps({"error": {"message": "no such parameter"}})))
    events = await Chat().send(provider)
    assert len(server.bodies) == 1
    assert last(events).error.kind == "bad_request"


async def test_a16_a_time_limit_ends_the_request_first(server, provider):
    server.replies(hangs("So far"))
    began = time.monotonic()
    events = await Chat(approver=denies_everything()).send(provider, limits=Limits(max_seconds=0.3))
    assert time.monotonic() - began < 10
    assert last(events).reason == "budget"
    assert await asyncio.to_thread(server.requests[0].closed.wait, 5)


async def test_k13_the_estimate_learns_from_what_the_server_counts(server, provider):
    chat = Chat()
    await chat.send(provider)
    learnt = chat.engine.calibration.coefficient("scripted")
    assert learnt != 0.6
    await chat.send(provider)
    assert chat.engine.calibration.coefficient("scripted") != learnt


async def test_odd_characters_in_every_text_field_reach_a_strict_server(server, provider):
    odd = "a\ud83d\x00\u202e👩‍👩‍👧\u2028" + "x" * 10_000
    server.replies(says_and_asks("\u2028 ok", "look", word="👩‍👩‍👧\u202e"), says("Done."))
    chat = Chat(tools=(Look(),), memory_text=odd, rules=(Section("KINET.md", odd),))
    events = await chat.send(provider, odd)
    assert last(events).reason == "completed"


async def test_c07_usage_is_counted_once_per_message(server, provider):
    server.replies(
        asks_for("look", word="a").counting(1000, 10), says("Done.").counting(2000, 20, 900)
    )
    chat = Chat(tools=(Look(),), price=lambda model, usage: (usage.tokens_in / 1e6, False))
    events = await chat.send(provider)
    assert chat.conversation.usage.tokens_in == 3000
    assert chat.conversation.occupancy == 2020
    assert chat.conversation.cost == pytest.approx(0.003)
    counted = [event for event in events if isinstance(event, MessageCompleted) and event.usage]
    assert len(counted) == 2


def _stopped_after(seconds: float) -> StopSignal:
    stop = StopSignal()
    asyncio.get_running_loop().call_later(seconds, stop.set)
    return stop


TOO_LONG = {
    "openai": (
        400,
        {
            "error": {
                "message": "This model's maximum context length is 8192 tokens. However, your "
                "messages resulted in 9000 tokens.",
                "code": "context_length_exceeded",
            }
        },
    ),
    "anthropic": (
        400,
        {
            "type": "error",
            "error": {
                "type": "invalid_request_error",
                "message": "prompt is too long: 210000 tokens > 200000 maximum",
            },
        },
    ),
}

TOO_LONG["responses"] = TOO_LONG["openai"]


@pytest.mark.parametrize("known_wording", [True, False], ids=["wording", "413"])
async def test_k16_at_most_three_requests_then_a_card_with_ways_out(
    server, provider, protocol, known_wording
):
    status, body = TOO_LONG[protocol] if known_wording else (413, {"error": {"message": "large"}})
    server.replies(fails(status, json.dumps(body)) for _ in range(9))
    chat = Chat(memory_text="Facts.")
    for number in range(12):
        chat.conversation.messages += [
            Message("user", f"Question {number}. " + "word " * 200),
            Message("assistant", f"Answer {number}."),
        ]
    before = [*chat.conversation.messages]
    events = await chat.send(provider, "The newest question.")
    assert len(server.bodies) == 3
    sizes = [len(_words(body)) for body in server.bodies]
    assert sizes[0] > sizes[1] > sizes[2]
    assert all("The newest question." in _words(body) for body in server.bodies)
    assert all("Facts." in _words(body) for body in server.bodies)
    assert last(events).error.kind == "context_too_long"
    assert "new conversation" in last(events).error.hint
    assert chat.conversation.messages[: len(before)] == before


async def test_s08_a_silent_stream_is_stalled_keeps_its_text_and_can_be_retried(server, protocol):
    server.replies(hangs("Half a sentence"))
    provider = create_provider(server.profile(protocol), None, stall_seconds=0.2)
    chat = Chat()
    events = await chat.send(provider)
    assert last(events).error.kind == "stalled"
    assert last(events).error.retryable
    assert texts(events) == ["Half a sentence"]
    assert len(server.bodies) == 1
    assert last(await chat.send(provider, "Again.")).reason == "completed"
    await provider.close()


async def test_k24_u15_the_same_script_gives_the_same_history_in_every_protocol(server):
    histories = []
    for name in PROTOCOLS:
        first = Reply(calls=(Call("look", '{"word": "a"}', "c1"), Call("nothing", "{}", "c2")))
        server.replies(first, says("One ", "two."))
        provider = create_provider(server.profile(name), None)
        chat = Chat(tools=(Look(),))
        await chat.send(provider)
        await provider.close()
        histories.append([replace(item, vendor={}) for item in chat.conversation.messages])
    assert histories[0] == histories[1] == histories[2]


async def test_c08_a_blank_reply_counts_as_empty_and_never_reaches_the_history(server, provider):
    server.replies(says(" \n"), says("Here."))
    chat = Chat()
    assert last(await chat.send(provider)).reason == "completed"
    assert [item.text for item in chat.conversation.messages if item.role == "assistant"] == [
        "Here."
    ]


async def test_k22_the_key_is_a_bearer_and_without_one_there_is_no_header(server):
    for key in (Secret("my-key"), None, Secret("")):
        provider = create_provider(server.profile("openai"), key)
        await Chat().send(provider)
        await provider.close()
    assert [request.path for request in server.requests] == ["/v1/chat/completions"] * 3
    sent = [request.headers.get("authorization") for request in server.requests]
    assert sent == ["Bearer my-key", None, None]


async def test_k23_the_messages_protocol_has_its_headers_and_at_most_four_cache_marks(server):
    server.replies(*[asks_for("look", word=str(number)) for number in range(4)], says("Done."))
    provider = create_provider(server.profile("anthropic"), Secret("my-key"))
    await Chat(tools=(Look(),), memory_text="Facts.").send(provider)
    await provider.close()
    for request in server.requests:
        assert request.headers["x-api-key"] == "my-key"
        assert request.headers["anthropic-version"]
        assert 2 <= json.dumps(request.body).count('"cache_control"') <= 4
        assert "cache_control" in json.dumps(request.body["system"])
        assert "cache_control" in json.dumps(request.body["tools"][-1])


async def test_k26_k27_cached_tokens_are_counted_once_and_at_their_own_price(server, provider):
    prices = PriceTable(
        {"scripted": {"input": 10.0, "output": 100.0, "cache_read": 1.0, "cache_write": 0.0}}
    )
    server.replies(says("Hi.").counting(1_000, 10, 800))
    events = await Chat(price=prices.cost).send(provider)
    (step,) = [event for event in events if isinstance(event, StepFinished)]
    assert (step.usage.tokens_in, step.usage.cache_read, step.usage.tokens_out) == (1_000, 800, 10)
    # 200 fresh at 10, 800 cached at 1, 10 written at 100, each USD a million.
    assert step.cost == pytest.approx((200 * 10 + 800 * 1 + 10 * 100) / 1e6)
    unknown = PriceTable({}).cost("nobody-knows-this", step.usage)
    assert unknown == (pytest.approx(3.0 * 1_000 / 1e6, rel=0.5), True)
