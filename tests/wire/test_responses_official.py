"""The Responses protocol beside the official client, on the same bytes."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from response_streams import Stream, message, named_streams, random_stream
from wire_replay import ReplayServer

from kinet.core.profile import ModelProfile
from kinet.net.client import create_client
from kinet.net.secret import Secret
from kinet.providers.complete import complete

pytest.importorskip("openai")
from official_clients import ASK, official, same_kinds

STREAMS = named_streams()
WHERE = {"content-type": "text/event-stream"}


def case(body: bytes, status: int = 200, **more: Any) -> dict[str, Any]:
    """A wire case that answers with these bytes."""
    kind = WHERE if status == 200 else {"content-type": "application/json"}
    pieces = [{"text": body.decode()}]
    http = {"status": status, "headers": kind, "body_chunks": pieces, "close": "clean"}
    return {"id": "x", "protocol": "responses", "http": {**http, **more}}


async def both(made: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the official client and ours make of a case."""
    async with ReplayServer({"x": made}) as base_url:
        place = f"{base_url}/case/x"
        theirs = await official("responses", place, 10.0)
        profile = ModelProfile("wire", place, "gpt-5.1", protocol="responses")
        async with create_client() as client:
            ours, _ = await complete(
                {"messages": ASK}, profile, Secret("k"), retries=0, client=client
            )
    return theirs, ours


def compare(theirs: dict[str, Any], ours: dict[str, Any]) -> None:
    """Both must say the same, and what ours keeps to be sent back must be what came."""
    if "error" in theirs:
        assert "error" in ours, theirs
        return
    assert "error" not in ours, (theirs, ours)
    assert ours["content"] == theirs["content"]
    calls = [(c["id"], c["name"], c["arguments"]) for c in ours["tool_calls"] if not c["invalid"]]
    assert calls == theirs["tool_calls"]
    thought = "\n\n".join("\n\n".join(parts) for parts in theirs["reasoning"] if parts)
    assert (ours["reasoning"] or "") == thought
    kept = ours["raw_assistant"].get("_vendor", {}).get("responses", [])
    sealed = [item["encrypted_content"] for item in kept if item["type"] == "reasoning"]
    assert sealed == theirs["sealed"]
    assert ours["finish"] == theirs["finish"]
    for name in ("tokens_in", "tokens_out"):
        assert ours[name] == theirs[name], name
    for name in ("cache_read", "reasoning_tokens"):
        assert ours[name] == theirs[name], name


@pytest.mark.parametrize("name", STREAMS)
async def test_ours_agrees_on_each_kind_of_stream(name):
    compare(*await both(case(STREAMS[name].written())))


@pytest.mark.parametrize("how", [{"end": "\r\n"}, {"named": False}, {"done": True}])
@pytest.mark.parametrize("name", ["text", "reasoning twice", "cut by the limit", "failed"])
async def test_ours_agrees_whatever_the_framing(name, how):
    compare(*await both(case(STREAMS[name].written(**how))))


async def test_ours_agrees_on_any_mixture_of_items():
    chance = random.Random(9)
    for _ in range(12):
        compare(*await both(case(random_stream(chance).written())))


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, {"message": "Unknown parameter: 'input[0].foo'.", "type": "invalid_request_error"}),
        (401, {"message": "Incorrect API key provided.", "code": "invalid_api_key"}),
        (403, {"message": "You are not allowed to sample from this model."}),
        (404, {"message": "The model `x` does not exist.", "code": "model_not_found"}),
        (429, {"message": "Rate limit reached.", "code": "rate_limit_exceeded"}),
        (429, {"message": "You exceeded your current quota.", "code": "insufficient_quota"}),
        (500, {"message": "The server had an error.", "type": "server_error"}),
        (503, {"message": "Overloaded.", "type": "service_unavailable"}),
    ],
)
async def test_ours_names_the_failure_as_the_official_client_does(status, error):
    theirs, ours = await both(case(json.dumps({"error": error}).encode(), status))
    assert ours["error"]["kind"] in same_kinds(theirs["error"]), (theirs, ours)
    assert error["message"].rstrip(".") in ours["error"]["message"]
    assert ours["error"]["status"] == status


# Where the official client is of no help, ours is held to what the bytes say.


async def test_an_error_event_in_mid_stream_is_a_failure_with_its_part():
    events = Stream((message("half of it"),)).events()[:8]
    events.append({"type": "error", "code": "server_error", "message": "It broke.", "param": None})
    body = "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)
    _, ours = await both(case(body.encode()))
    assert (ours["error"]["kind"], ours["error"]["retryable"]) == ("overloaded", True)
    assert "It broke" in ours["error"]["message"]
    assert ours["partial"]["content"] == "half of it"


@pytest.mark.parametrize("end", ["", "data: [DONE]\n\n"])
async def test_a_stream_that_ends_before_its_final_event_is_cut(end):
    whole = STREAMS["text and call"].written().decode()
    body = whole[: whole.index("event: response.completed")] + end
    _, ours = await both(case(body.encode()))
    assert ours["error"]["kind"] == "network"
    assert ours["partial"]["content"] == "Looking."
    assert all(call["invalid"] for call in ours["partial"]["tool_calls"])


async def test_a_final_event_without_output_leaves_what_came_before():
    stream = STREAMS["reasoning twice"]
    stream = Stream(stream.items, output=[])
    _, ours = await both(case(stream.written()))
    assert [call["id"] for call in ours["tool_calls"]] == ["call_1", "call_2"]
    assert ours["finish"] == "tool_calls"


async def test_an_answer_in_one_piece_says_the_same_as_a_stream():
    for name in ("text and call", "two summaries", "cut by the filter", "refusal", "two parts"):
        stream = STREAMS[name]
        whole = stream.events()[-1]["response"]
        kind = {"content-type": "application/json"}
        _, from_document = await both(case(json.dumps(whole).encode(), headers=kind))
        _, from_stream = await both(case(stream.written()))
        from_document["raw_assistant"] = from_stream["raw_assistant"] = None
        assert from_document == from_stream
