"""The doctor finds the protocol, the window and the model that an address really has."""

from __future__ import annotations

import json

from provider_server import DONE, FINISH, ScriptedServer, chunk, event

from kinet.core.profile import ModelProfile
from kinet.providers.doctor import Doctor, Examination

TWO = [
    {"index": n, "id": f"c{n}", "function": {"name": "get_weather", "arguments": '{"city":"x"}'}}
    for n in range(2)
]


async def answers(play) -> None:
    await play.stream(chunk(content="one, "), chunk(tool_calls=TWO), FINISH, DONE)


async def lists(play) -> None:
    models = [{"id": "oak", "max_model_len": 9_000}, {"id": "elm"}]
    await play.whole(200, json.dumps({"data": models}).encode())


async def not_here(play) -> None:
    await play.whole(404, b'{"detail":"Not Found"}')


async def examined(server: ScriptedServer, **more) -> Examination:
    fields = {"base_url": server.base_url, "model": "oak", **more}
    return await Doctor(ModelProfile("p", **fields), None, stall_seconds=5).examine()


async def test_the_window_that_the_server_serves_goes_into_the_profile():
    async with ScriptedServer(lists, answers, lists, answers, answers) as server:
        found = await examined(server, window=100_000)
    states = {check.name: (check.state, check.detail) for check in found.checks}
    assert found.ok
    assert states["window"] == ("warning", "9,000 tokens, the profile says 100,000")
    assert found.profile.window == 9_000


async def test_a_misspelt_model_is_told_its_neighbour():
    async def refuses(play) -> None:
        await play.whole(404, b'{"error":{"message":"The model oka does not exist"}}')

    async with ScriptedServer(lists, refuses) as server:
        found = await examined(server, model="oka")
    assert (found.ok, found.cause) == (False, "bad_request")
    assert found.profile.model == "oak"


async def test_the_wrong_protocol_is_told_from_the_right_one():
    # The list, and Messages, are not there; chat completions are.
    async with ScriptedServer(not_here, not_here, answers, not_here, answers, answers) as server:
        found = await examined(server, protocol="anthropic")
    assert server.asked[1].path == "/v1/messages"
    assert server.asked[2].path == "/v1/chat/completions"
    assert (found.ok, found.profile.protocol) == (True, "openai")
    assert found.verdict.startswith("The address does not speak anthropic, it speaks openai.")


async def test_ollama_shows_the_window_its_model_was_made_for():
    async def shows(play) -> None:
        await play.whole(200, b'{"model_info":{"qwen3.context_length":40960}}')

    async def line(play) -> None:
        said = {"message": {"content": "ok", "tool_calls": [{"function": TWO[0]["function"]}]}}
        await play.stream(json.dumps({**said, "done": True}).encode() + b"\n")

    async with ScriptedServer(lists, line, shows, line) as server:
        found = await examined(server, vendor="ollama")
    assert [asked.path for asked in server.asked][2] == "/api/show"
    assert found.ok
    assert found.profile.window == 16_384


async def test_an_error_in_the_stream_keeps_its_words():
    async def breaks(play) -> None:
        await play.stream(chunk(content="o"), event({"error": {"message": "the roof is on fire"}}))

    async with ScriptedServer(not_here, breaks) as server:
        found = await examined(server)
    assert not found.ok
    assert "the roof is on fire" in found.verdict
