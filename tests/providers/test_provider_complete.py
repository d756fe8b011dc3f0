"""`complete`: JSON in, JSON out, the same from every protocol."""

from __future__ import annotations

import json
from typing import Any

import mutated_streams
import pytest
from provider_server import DONE, FINISH, Playing, ScriptedServer, chunk, event

from kinet.core.profile import ModelProfile
from kinet.net.secret import Secret
from kinet.providers.catalog import served_window
from kinet.providers.complete import complete, request_of

KEY = Secret("sk-canary-0123456789abcdef")
ASK = {"messages": [{"role": "user", "content": "go"}], "tools": [{"function": {"name": "write"}}]}


def plays(*pieces: bytes) -> Any:
    """A script that streams these pieces."""

    async def script(play: Playing) -> None:
        await play.stream(*pieces)

    return script


async def ask(server: ScriptedServer, protocol: str = "openai", document: Any = ASK, **more: Any):
    """What `complete` prints, and its exit code."""
    profile = ModelProfile("t", server.base_url, "test-model", protocol=protocol)
    return await complete(document, profile, KEY, retries=0, **more)


async def test_the_same_answer_through_all_protocols_is_equal():
    arguments = mutated_streams.ARGUMENTS
    function = {"name": "write", "arguments": arguments}
    usage = {"prompt_tokens": 10, "completion_tokens": 5}
    block = {"type": "tool_use", "id": "c1", "name": "write", "input": {}}
    item = {"type": "function_call", "call_id": "c1", "name": "write", "arguments": arguments}
    counts = {"input_tokens": 10, "output_tokens": 5}
    streams = {
        "openai": [
            chunk(content="Look."),
            chunk(tool_calls=[{"index": 0, "id": "c1", "function": function}]),
            FINISH,
            event({"choices": [], "usage": usage}),
            DONE,
        ],
        "anthropic": [
            event({"type": "message_start", "message": {"usage": counts}}),
            event({"type": "content_block_start", "index": 0, "content_block": {"type": "text"}}),
            event(mutated_streams.delta(0, type="text_delta", text="Look.")),
            event({"type": "content_block_start", "index": 1, "content_block": block}),
            event(mutated_streams.delta(1, type="input_json_delta", partial_json=arguments)),
            event({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
            event({"type": "message_stop"}),
        ],
        "responses": [
            event({"type": "response.output_text.delta", "output_index": 0, "delta": "Look."}),
            event({"type": "response.output_item.done", "output_index": 1, "item": item}),
            event({"type": "response.completed", "response": {"usage": counts}}),
        ],
    }
    answers = []
    for protocol, pieces in streams.items():
        async with ScriptedServer(plays(*pieces)) as server:
            answer, code = await ask(server, protocol)
            assert code == 0
            answers.append(answer)
    assert answers[0]["tool_calls"] == [
        {"id": "c1", "name": "write", "arguments": json.loads(arguments), "invalid": False}
    ]
    assert answers[0]["finish"] == "tool_calls"
    assert answers[0] == answers[1] == answers[2]


async def test_a_dry_run_sends_nothing_and_shows_no_key():
    async with ScriptedServer(plays(DONE)) as server:
        shown, code = await ask(server, dry_run=True)
    assert code == 0
    assert server.asked == []
    assert set(shown) == {"url", "headers", "body"}
    assert shown["headers"]["authorization"] == "Bearer ***"
    assert KEY.reveal() not in json.dumps(shown)


async def test_a_failure_holds_what_had_come_and_no_call_to_run():
    function = {"name": "write", "arguments": "{}"}
    call = chunk(tool_calls=[{"index": 0, "id": "c", "function": function}])
    broken = event({"error": {"message": "boom", "type": "server_error"}})
    async with ScriptedServer(plays(chunk(content="half "), call, broken)) as server:
        answer, code = await ask(server)
    assert code == 1
    assert answer["error"]["kind"] == "overloaded"
    assert "boom" in answer["error"]["message"]
    assert answer["partial"]["content"] == "half "
    assert [made["invalid"] for made in answer["partial"]["tool_calls"]] == [True]


@pytest.mark.parametrize(
    "document",
    [{}, {"messages": []}, {"messages": ["x"]}, {"messages": [{"role": "king"}]}],
)
async def test_a_document_that_cannot_be_read_is_told_in_words(document):
    async with ScriptedServer(plays(DONE)) as server:
        answer, code = await ask(server, document=document)
    assert code == 2
    assert answer["error"]["message"]
    assert server.asked == []


@pytest.mark.parametrize("reason", ["length", "content_filter", "max_tokens"])
async def test_a_call_cut_off_before_its_arguments_is_not_run_without_them(reason):
    call = chunk(tool_calls=[{"index": 0, "id": "c", "function": {"name": "f", "arguments": ""}}])
    end = event({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    async with ScriptedServer(plays(call, end, DONE)) as server:
        answer, _ = await ask(server)
    assert [made["invalid"] for made in answer["tool_calls"]] == [True]
    assert answer["finish"] in ("length", "content_filter")


async def test_settings_are_passed_on():
    settings = {"max_tokens": 7, "temperature": 0, "top_p": 0.5}
    async with ScriptedServer(plays(chunk(content="ok"), FINISH, DONE)) as server:
        await ask(server, document={**ASK, "settings": settings, "tool_choice": "required"})
    sent = server.asked[0].body
    assert {key: sent[key] for key in settings} == settings
    assert sent["tool_choice"] == "required"


async def test_a_marked_prefix_for_models_that_want_it():
    messages = [
        {"role": "system", "content": "S"},
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "a"},
        {"role": "user", "content": "two"},
    ]
    async with ScriptedServer(plays(chunk(content="ok"), FINISH, DONE)) as server:
        profile = ModelProfile("t", server.base_url, "anthropic/claude-x", vendor="openrouter")
        await complete({"messages": messages}, profile, KEY, retries=0)
        await complete({"messages": messages}, ModelProfile("t", server.base_url, "m"), KEY)
    marked, plain = (json.dumps(asked.body["messages"]) for asked in server.asked)
    assert marked.count("cache_control") == 3
    assert "cache_control" not in plain


@pytest.mark.parametrize(
    ("entry", "window"),
    [
        ({"id": "m", "max_model_len": 4096}, 4096),
        ({"id": "m", "context_length": 8192}, 8192),
        ({"id": "m", "meta": {"n_ctx_train": 32768, "n_ctx": 2048}}, 2048),
        ({"id": "m"}, 0),
    ],
)
async def test_the_window_is_asked_of_the_server(entry, window):
    async def lists(play: Playing) -> None:
        await play.whole(200, json.dumps({"data": [entry, {"id": "other"}]}).encode())

    async with ScriptedServer(lists) as server:
        assert await served_window(ModelProfile("t", server.base_url, "m"), None) == window


@pytest.mark.parametrize(
    "choice",
    [
        {"type": "function", "function": {"name": "a.b"}},
        {"type": "function", "name": "a.b"},
        {"type": "tool", "name": "a.b"},
    ],
)
@pytest.mark.parametrize(
    ("protocol", "sent"),
    [
        ("openai", {"type": "function", "function": {"name": "a_b"}}),
        ("responses", {"type": "function", "name": "a_b"}),
        ("anthropic", {"type": "tool", "name": "a_b"}),
    ],
)
async def test_a_tool_that_is_named_is_the_one_that_must_be_called(protocol, sent, choice):
    tools = [{"type": "function", "function": {"name": name}} for name in ("a.b", "other")]
    document = {"messages": [{"role": "user", "content": "x"}], "tools": tools}
    profile = ModelProfile("p", "http://s.test/v1", "m", protocol=protocol)
    out, code = await complete({**document, "tool_choice": choice}, profile, None, dry_run=True)
    assert code == 0
    assert out["body"]["tool_choice"] == sent
    strange = {"type": "function", "function": {"name": "nobody"}}
    out, code = await complete({**document, "tool_choice": strange}, profile, None, dry_run=True)
    assert code == 2
    assert "nobody" in out["error"]["message"]


@pytest.mark.parametrize("protocol", ["openai", "responses", "anthropic"])
async def test_a_conversation_without_a_word_is_not_sent_empty(protocol):
    profile = ModelProfile("p", "http://s.test/v1", "m", protocol=protocol)
    out, _ = await complete({"messages": [{"role": "user"}]}, profile, None, dry_run=True)
    body = out["body"]
    assert "[nothing was said]" in json.dumps(body.get("messages") or body["input"])


@pytest.mark.parametrize(
    "given",
    [
        {"settings": {"max_tokens": "12"}},
        {"settings": {"max_tokens": -1}},
        {"settings": {"temperature": "hot"}},
        {"settings": {"top_p": True}},
        {"settings": {"thinking": "very"}},
        {"tool_choice": "banana"},
        {"tools": "none"},
    ],
)
async def test_an_option_that_cannot_be_meant_is_told_and_never_ignored(given):
    profile = ModelProfile("p", "http://s.test/v1", "m")
    document = {"messages": [{"role": "user", "content": "x"}], **given}
    out, code = await complete(document, profile, None, dry_run=True)
    assert code == 2
    assert "cannot be used" in out["error"]["message"]


@pytest.mark.parametrize(
    ("thinking", "effort"),
    [
        (None, ""),
        (False, "off"),
        ({"type": "disabled"}, "off"),
        ({"type": "enabled", "budget_tokens": 5000}, "medium"),
        (True, "medium"),
        ("low", "low"),
        ({"effort": "high"}, "high"),
    ],
)
def test_thinking_may_be_said_in_any_protocol_s_words(thinking, effort):
    document = {"messages": [{"role": "user", "content": "x"}], "settings": {"thinking": thinking}}
    assert request_of(document).effort == effort
