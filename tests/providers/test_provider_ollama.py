"""Ollama is asked through its own API, so that the window is the one that was chosen."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest
from provider_server import ScriptedServer

from kinet.core.completion import Completion
from kinet.core.errors import NetworkError, ProtocolError, ProviderError
from kinet.core.messages import ImagePart, Message, TextPart, ToolCall, ToolSchema
from kinet.core.own_command import OwnCommand
from kinet.core.profile import ModelProfile
from kinet.providers.asked_window import DEFAULT_WINDOW, with_window
from kinet.providers.base import ModelRequest
from kinet.providers.catalog import create_provider

LOOK = ToolSchema("look", "Looks.", {"type": "object", "properties": {"at": {"type": "string"}}})
ASK = ModelRequest(messages=(Message("user", "go"),), tools=(LOOK,))
PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def profile(server: ScriptedServer, **more: Any) -> ModelProfile:
    return ModelProfile("p", server.base_url, "qwen3:8b", vendor="ollama", **more)


def line(**value: Any) -> bytes:
    return json.dumps({"model": "qwen3:8b", "done": False, **value}).encode() + b"\n"


def said(text: str) -> bytes:
    return line(message={"role": "assistant", "content": text})


def end(reason: str = "stop") -> bytes:
    return line(
        message={"role": "assistant", "content": ""},
        done=True,
        done_reason=reason,
        prompt_eval_count=30,
        eval_count=4,
    )


def plays(*pieces: bytes, close: bool = True):
    async def script(play) -> None:
        await play.stream(*pieces, end=close)
        if not close:
            play.writer.close()

    return script


async def ask(server: ScriptedServer, request: ModelRequest = ASK, **more: Any) -> Completion:
    provider = create_provider(profile(server, **more), None, retries=0)
    try:
        async with aclosing(provider.stream(request)) as items:
            return [item async for item in items][-1]
    finally:
        await provider.close()


async def test_the_window_is_asked_for_and_the_answer_read_line_by_line():
    thought = line(message={"role": "assistant", "content": "", "thinking": "Hm."})
    whole = thought + said("It is ") + said("twelve.") + end()
    cuts = (whole[:7], whole[7:100], whole[100:101], whole[101:])
    async with ScriptedServer(plays(*cuts)) as server:
        answer = await ask(server, window=12_000)
    assert server.asked[0].path == "/api/chat"
    assert server.asked[0].body["options"] == {"num_ctx": 12_000}
    assert (answer.content, answer.reasoning, answer.finish) == ("It is twelve.", "Hm.", "stop")
    assert (answer.tokens_in, answer.tokens_out) == (30, 4)


async def test_a_profile_without_a_window_gets_one_that_engine_and_server_agree_on():
    async with ScriptedServer(plays(said("ok"), end())) as server:
        await ask(server)
        chosen = with_window(profile(server))
    assert server.asked[0].body["options"]["num_ctx"] == chosen.window == DEFAULT_WINDOW


@pytest.mark.parametrize("base", ["https://ollama.com/v1", "http://gateway.test/ollama/v1"])
def test_the_cloud_and_gateways_are_asked_as_before(base):
    other = ModelProfile("p", base, "m", vendor="ollama")
    assert create_provider(other, None).build(ASK).url == f"{base}/chat/completions"
    assert with_window(other) == other


async def test_calls_come_whole_and_go_back_as_objects():
    calls = [{"function": {"name": "look", "arguments": {"at": place}}} for place in ("a", "b")]
    first = line(message={"role": "assistant", "content": "", "tool_calls": calls[:1]})
    second = line(message={"role": "assistant", "content": "", "tool_calls": calls[1:]})
    async with ScriptedServer(plays(first, second, end()), plays(said("ok"), end())) as server:
        answer = await ask(server)
        results = [
            Message("tool", f"saw {c.parsed()['at']}", tool_call_id=c.id) for c in answer.tool_calls
        ]
        messages = (*ASK.messages, answer.raw_assistant, *results)
        await ask(server, replace(ASK, messages=messages))
    assert [call.parsed() for call in answer.tool_calls] == [{"at": "a"}, {"at": "b"}]
    assert answer.finish == "tool_calls"
    sent = server.asked[1].body["messages"]
    assert sent[1]["tool_calls"] == calls
    assert [(m["tool_name"], m["content"]) for m in sent[2:]] == [
        ("look", "saw a"),
        ("look", "saw b"),
    ]


async def test_pictures_go_bare():
    picture = Message("user", (TextPart("See"), ImagePart(f"data:image/png;base64,{PNG}")))
    async with ScriptedServer(plays(said("ok"), end())) as server:
        await ask(server, replace(ASK, messages=(picture,)))
    assert server.asked[0].body["messages"][0] == {
        "role": "user",
        "content": "See",
        "images": [PNG],
    }


async def test_broken_arguments_do_not_break_the_request():
    call = ToolCall("c1", "look", '{"at": "ha', invalid=True)
    history = (
        *ASK.messages,
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "no", tool_call_id="c1"),
    )
    async with ScriptedServer(plays(said("ok"), end())) as server:
        await ask(server, replace(ASK, messages=history))
    assert isinstance(
        server.asked[0].body["messages"][1]["tool_calls"][0]["function"]["arguments"], dict
    )


@pytest.mark.parametrize(
    ("pieces", "error"),
    [
        ((said("half"),), NetworkError),
        ((said("half"), b'{"error":"model runner has crashed"}\n'), ProviderError),
        ((said("half"), b'{"message": {"con\n'), ProtocolError),
        ((b"<html>sign in</html>",), ProtocolError),
        ((b"no json at all\n",), ProtocolError),
        ((b"",), ProtocolError),
    ],
)
async def test_what_goes_wrong_is_an_error_and_the_part_is_kept(pieces, error):
    async with ScriptedServer(plays(*pieces)) as server:
        with pytest.raises(error) as caught:
            await ask(server)
    partial = caught.value.partial
    assert partial is None or partial.content == "half"


async def test_a_stop_closes_the_connection():
    closed = asyncio.Event()

    async def endless(play) -> None:
        await play.stream(said("one"), end=False)
        await play.until_closed()
        closed.set()

    async with ScriptedServer(endless) as server:
        provider = create_provider(profile(server), None, retries=0)
        stream = provider.stream(ASK)
        await anext(stream)
        await stream.aclose()
        await asyncio.wait_for(closed.wait(), 5)
        await provider.close()


async def test_a_model_that_cannot_think_is_asked_without_it():
    async def refuses(play) -> None:
        await play.whole(400, b'{"error":"\\"qwen3:8b\\" does not support thinking"}')

    async with ScriptedServer(refuses, plays(said("ok"), end())) as server:
        answer = await ask(server, replace(ASK, effort="high"))
    assert answer.content == "ok"
    assert [asked.body.get("think") for asked in server.asked] == [True, None]


async def test_p06_what_a_command_of_the_persons_own_printed_is_a_message_of_theirs():
    told = Message("user", "plum", kind="command", command=OwnCommand("cat x", "exit 0"))
    private = Message("user", "damson", kind="command", command=OwnCommand("cat y", private=True))
    history = (*ASK.messages, Message("assistant", "Yes."), told, private, Message("user", "on"))
    async with ScriptedServer(plays(said("ok"), end())) as server:
        await ask(server, replace(ASK, messages=history))
    sent = server.asked[0].body["messages"]
    assert [message["role"] for message in sent] == ["user", "assistant", "user"]
    assert sent[2]["content"].endswith("What it printed (exit 0):\n```\nplum\n```\n\non")
    assert "damson" not in json.dumps(sent)
