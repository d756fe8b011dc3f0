"""Thousands of damaged streams: an answer or a clear error, and never half a call."""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace

import httpx
import mutated_streams
import pytest

from kinet.core.completion import Completion
from kinet.core.errors import ProviderError
from kinet.core.messages import Message, ToolSchema
from kinet.core.profile import ModelProfile
from kinet.providers.base import ModelRequest
from kinet.providers.catalog import create_provider
from kinet.providers.transport.http_provider import HttpProvider

ASK = ModelRequest(messages=(Message("user", "go"),), tools=(ToolSchema("write", "writes", {}),))
STREAMS = {
    "openai": mutated_streams.openai_stream,
    "anthropic": mutated_streams.anthropic_stream,
    "responses": mutated_streams.responses_stream,
    "ollama": mutated_streams.ollama_stream,
}
# The slice for every day; tests/bench/bench_fuzz.py makes 50,000.
ROUNDS = int(os.environ.get("KINET_FUZZ", "500")) // len(STREAMS)


class Pieces(httpx.AsyncByteStream):
    """A body that arrives in pieces of odd sizes."""

    def __init__(self, body: bytes, chance: random.Random) -> None:
        self._body = body
        self._chance = chance

    async def __aiter__(self) -> AsyncIterator[bytes]:
        place = 0
        while place < len(self._body):
            size = self._chance.choice((1, 3, 17, 80, 400, 5_000, 200_000))
            yield self._body[place : place + size]
            place += size


def provider_of(protocol: str, body: bytes, chance: random.Random) -> HttpProvider:
    """A provider whose server always answers with `body`."""

    def handle(request: httpx.Request) -> httpx.Response:
        headers = {"content-type": "text/event-stream"}
        return httpx.Response(200, headers=headers, stream=Pieces(body, chance))

    client = httpx.AsyncClient(transport=httpx.MockTransport(handle))
    profile = ModelProfile("fuzz", "http://server.test/v1", "test-model", vendor="ollama")
    if protocol != "ollama":
        profile = replace(profile, protocol=protocol, vendor="")
    return create_provider(profile, None, client, retries=0)


async def outcome(protocol: str, body: bytes, chance: random.Random) -> Completion | ProviderError:
    """What comes of a body."""
    answer: Completion | None = None
    try:
        async with aclosing(provider_of(protocol, body, chance).stream(ASK)) as items:
            async for item in items:
                assert answer is None, "nothing may follow the Completion"
                answer = item if isinstance(item, Completion) else None
    except ProviderError as error:
        return error
    assert answer is not None
    return answer


@pytest.mark.parametrize("protocol", sorted(STREAMS))
async def test_any_damage_ends_in_an_answer_or_a_clear_error(protocol):
    pieces = STREAMS[protocol]()
    for seed in range(ROUNDS):
        chance = random.Random(seed)
        body = mutated_streams.mutated(pieces, chance)
        async with asyncio.timeout(2):
            got = await outcome(protocol, body, chance)
        answer = got.partial if isinstance(got, ProviderError) else got
        for call in answer.tool_calls if answer else ():
            assert call.id, seed
            assert call.name, seed
            if not call.invalid:
                assert isinstance(call.parsed(), dict), seed
        json.dumps(answer.raw_assistant.to_dict() if answer else {}).encode()
        if isinstance(got, ProviderError):
            assert got.message, seed
            assert got.hint, seed
            assert not answer or all(call.invalid for call in answer.tool_calls), seed


@pytest.mark.parametrize("protocol", sorted(STREAMS))
async def test_a_cut_at_any_byte_never_runs_half_a_call(protocol):
    body = b"".join(STREAMS[protocol]())
    whole = json.loads(mutated_streams.ARGUMENTS)
    chance = random.Random(7)
    step = max(1, len(body) // (ROUNDS * 2))
    for end in range(0, len(body), step):
        got = await outcome(protocol, body[:end], chance)
        if isinstance(got, Completion):
            assert [call.parsed() for call in got.tool_calls if not call.invalid] != []
            assert all(call.parsed() == whole for call in got.tool_calls)
