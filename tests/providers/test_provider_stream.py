"""A provider over a real connection: retries, stops, silence, guards, one warm connection."""

from __future__ import annotations

import asyncio
import json
import time
import zlib
from contextlib import aclosing
from typing import Any

import pytest
from provider_server import DONE, FINISH, Playing, ScriptedServer, chunk, event, says_ok

from kinet.core.completion import Completion
from kinet.core.errors import (
    BadRequestError,
    NetworkError,
    OverloadedError,
    ProtocolError,
    ProviderError,
    RateLimitedError,
    StalledError,
)
from kinet.core.events import RetryScheduled, TextDelta
from kinet.core.messages import Message
from kinet.core.profile import ModelProfile
from kinet.net.secret import Secret
from kinet.providers.base import ModelRequest, StreamItem
from kinet.providers.protocols.openai_compatible import OpenAICompatible
from kinet.providers.transport.http import Connection
from kinet.providers.transport.http_provider import HttpProvider
from kinet.providers.vendors import vendor_of

KEY = Secret("sk-canary-0123456789abcdef")
ASK = ModelRequest(messages=(Message("user", "hi"),))


def provider(server: ScriptedServer, **more: Any) -> HttpProvider:
    """A provider for the server that waits only in name."""
    profile = ModelProfile("test", server.base_url, "test-model")
    dialect = OpenAICompatible(profile, KEY, vendor_of(profile))
    stall = more.pop("stall_seconds", 5.0)
    more.setdefault("sleep", no_wait)
    return HttpProvider(dialect, Connection(None, stall_seconds=stall), **more)


async def no_wait(seconds: float) -> None:
    """Lets others run, that is all."""
    await asyncio.sleep(0)


async def collect(asked: HttpProvider, request: ModelRequest = ASK) -> list[StreamItem]:
    """All items of one answer; the provider is closed afterwards."""
    try:
        async with aclosing(asked.stream(request)) as items:
            return [item async for item in items]
    finally:
        await asked.close()


def fails(status: int, body: str = "{}", **headers: str) -> Any:
    """A script that answers with a status."""

    async def script(play: Playing) -> None:
        await play.whole(status, body.encode(), **headers)

    return script


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 520, 529])
async def test_a_passing_failure_is_asked_again_and_announced(status):
    async with ScriptedServer(fails(status), fails(status), says_ok) as server:
        items = await collect(provider(server))
    waits = [item for item in items if isinstance(item, RetryScheduled)]
    assert [wait.attempt for wait in waits] == [1, 2]
    assert 0.75 <= waits[0].delay <= 1.25
    assert 1.5 <= waits[1].delay <= 2.5
    assert isinstance(items[-1], Completion)
    assert items[-1].content == "ok"
    assert len(server.asked) == 3


async def test_three_retries_are_the_last():
    async with ScriptedServer(fails(503, '{"error":{"message":"busy"}}')) as server:
        with pytest.raises(OverloadedError, match="busy"):
            await collect(provider(server))
    assert len(server.asked) == 4


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 422])
async def test_a_lasting_failure_is_asked_once(status):
    async with ScriptedServer(fails(status, '{"error":{"message":"no"}}')) as server:
        with pytest.raises(ProviderError, match="no") as caught:
            await collect(provider(server))
    assert len(server.asked) == 1
    assert not caught.value.retryable
    assert caught.value.hint


async def test_retry_after_is_a_lower_bound():
    async with ScriptedServer(fails(429, retry_after="7"), says_ok) as server:
        items = await collect(provider(server))
    assert isinstance(items[0], RetryScheduled)
    assert items[0].delay >= 7


async def test_a_long_retry_after_fails_at_once_with_the_time():
    async with ScriptedServer(fails(429, retry_after="600")) as server:
        with pytest.raises(RateLimitedError) as caught:
            await collect(provider(server))
    assert len(server.asked) == 1
    assert "10 minutes" in caught.value.hint
    assert caught.value.retry_after_s == 600


async def test_nothing_is_repeated_after_the_first_text():
    async def breaks(play: Playing) -> None:
        await play.stream(chunk(content="half"), end=False)
        play.writer.transport.abort()
        raise ConnectionError

    async with ScriptedServer(breaks, says_ok) as server:
        with pytest.raises(NetworkError) as caught:
            await collect(provider(server))
    assert len(server.asked) == 1
    assert caught.value.partial.content == "half"


async def test_an_error_in_place_of_the_first_chunk_is_asked_again():
    async def overloaded(play: Playing) -> None:
        await play.stream(event({"error": {"message": "Overloaded", "code": 529}}))

    async with ScriptedServer(overloaded, says_ok) as server:
        items = await collect(provider(server))
    assert isinstance(items[0], RetryScheduled)
    assert items[-1].content == "ok"


async def test_a_stop_closes_the_connection_and_leaves_no_task():
    plays: list[Playing] = []

    async def goes_silent(play: Playing) -> None:
        plays.append(play)
        await play.stream(chunk(content="a"), end=False)
        await play.until_closed()
        raise ConnectionError

    async with ScriptedServer(goes_silent) as server:
        asked = provider(server)
        before = asyncio.all_tasks()
        begun = asyncio.Event()

        async def use() -> None:
            async with aclosing(asked.stream(ASK)) as items:
                async for _ in items:
                    begun.set()

        task = asyncio.create_task(use())
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with asyncio.timeout(2):
            await plays[0].closed.wait()
        left = {t for t in asyncio.all_tasks() - before if "_serve" not in repr(t.get_coro())}
        assert left == set()
        await asked.close()


async def test_leaving_the_iteration_closes_the_connection():
    plays: list[Playing] = []

    async def never_ends(play: Playing) -> None:
        plays.append(play)
        await play.stream(chunk(content="a"), end=False)
        await play.until_closed()
        raise ConnectionError

    async with ScriptedServer(never_ends) as server:
        asked = provider(server)
        async with aclosing(asked.stream(ASK)) as items:
            assert await anext(items) == TextDelta("a")
        async with asyncio.timeout(2):
            await plays[0].closed.wait()
        await asked.close()


async def test_a_stop_ends_the_wait_before_a_retry():
    waiting = asyncio.Event()

    async def waits_for_ever(seconds: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    async with ScriptedServer(fails(500)) as server:
        task = asyncio.create_task(collect(provider(server, sleep=waits_for_ever)))
        await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert len(server.asked) == 1


async def test_silence_ends_as_stalled_with_the_text_so_far():
    async def goes_silent(play: Playing) -> None:
        await play.stream(chunk(content="Thinking"), end=False)
        await play.until_closed()
        raise ConnectionError

    async with ScriptedServer(goes_silent) as server:
        with pytest.raises(StalledError) as caught:
            await collect(provider(server, stall_seconds=0.2))
    assert caught.value.partial.content == "Thinking"
    assert len(server.asked) == 1


async def test_silence_before_the_headers_is_stalled_too():
    async def says_nothing(play: Playing) -> None:
        await play.until_closed()
        raise ConnectionError

    async with ScriptedServer(says_nothing) as server:
        with pytest.raises(StalledError):
            await collect(provider(server, stall_seconds=0.2))


async def test_a_finish_reason_is_enough_where_the_end_never_comes():
    async def never_ends(play: Playing) -> None:
        await play.stream(chunk(content="whole"), FINISH, end=False)
        await play.until_closed()
        raise ConnectionError

    async with ScriptedServer(never_ends) as server:
        items = await collect(provider(server, stall_seconds=0.2))
    assert items[-1].content == "whole"


async def test_answers_in_a_row_use_one_connection():
    async with ScriptedServer(says_ok) as server:
        asked = provider(server)
        for _ in range(5):
            async with aclosing(asked.stream(ASK)) as items:
                assert [i async for i in items][-1].content == "ok"
        await asked.close()
    assert server.connections == 1


async def test_a_line_over_the_limit_ends_with_a_clear_error():
    async def endless_line(play: Playing) -> None:
        await play.stream(b"data: ", *[b"x" * 65_536] * 20)

    async with ScriptedServer(endless_line) as server:
        with pytest.raises(ProtocolError, match="1 MB"):
            await collect(provider(server))


async def test_more_than_32_calls_end_with_a_clear_error():
    calls = [
        {"index": n, "id": f"c{n}", "function": {"name": "f", "arguments": "{}"}} for n in range(33)
    ]

    async def many_calls(play: Playing) -> None:
        await play.stream(chunk(tool_calls=calls), FINISH, DONE)

    async with ScriptedServer(many_calls) as server:
        with pytest.raises(ProtocolError, match="32") as caught:
            await collect(provider(server))
    assert all(call.invalid for call in caught.value.partial.tool_calls)


async def test_a_refused_parameter_is_left_out_and_remembered():
    refused = '{"error":{"message":"Unrecognized request argument supplied: stream_options"}}'
    async with ScriptedServer(fails(400, refused), says_ok) as server:
        asked = provider(server)
        for _ in range(2):
            async with aclosing(asked.stream(ASK)) as items:
                assert [i async for i in items][-1].content == "ok"
        await asked.close()
    assert ["stream_options" in request.body for request in server.asked] == [True, False, False]


async def test_a_wrong_value_is_not_a_refused_parameter():
    wrong = '{"error":{"message":"stream_options must be an object"}}'
    async with ScriptedServer(fails(400, wrong)) as server:
        with pytest.raises(BadRequestError):
            await collect(provider(server))
    assert len(server.asked) == 1


async def test_the_key_is_in_its_header_and_in_no_message():
    echo = json.dumps({"error": {"message": f"bad key {KEY.reveal()}"}})
    async with ScriptedServer(fails(401, echo)) as server:
        asked = provider(server)
        built = asked.build(ASK)
        with pytest.raises(ProviderError) as caught:
            await collect(asked)
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY.reveal()}"
    assert KEY.reveal() not in json.dumps(server.asked[0].body)
    assert KEY.reveal() not in caught.value.sentence()
    assert KEY.reveal() not in repr(built)


async def test_a_provider_asks_every_time_however_often_it_failed():
    # Leaving a failing server alone is the engine's business, which can be told to try anyway.
    async with ScriptedServer(fails(500)) as server:
        asked = provider(server, retries=0)
        for _ in range(7):
            with pytest.raises(OverloadedError):
                await collect(asked)
        assert len(server.asked) == 7
        server.scripts.append(says_ok)
        assert (await collect(asked))[-1].content == "ok"


async def test_nothing_listening_is_told_in_words():
    profile = ModelProfile("test", "http://127.0.0.1:9/v1", "m")
    dialect = OpenAICompatible(profile, None, vendor_of(profile))
    asked = HttpProvider(dialect, Connection(None), retries=0)
    with pytest.raises(NetworkError, match="nothing listens there") as caught:
        await collect(asked)
    assert caught.value.retryable


async def test_a_small_body_that_unpacks_to_a_huge_one_is_stopped():
    packed = zlib.compress(b"data: " + b"x" * 50_000_000)

    async def bomb(play: Playing) -> None:
        await play.whole(200, packed, content_encoding="deflate")

    async with ScriptedServer(bomb) as server:
        with pytest.raises(ProtocolError):
            await collect(provider(server))


async def test_what_came_while_the_program_stood_still_is_no_silence():
    async def writes_and_holds_everything_up(play: Playing) -> None:
        await play.stream(chunk(content="one "), end=False)
        await asyncio.sleep(0.05)
        await play.piece(chunk(content="two"))
        # Blocks the loop itself, for longer than the limit on silence: as a busy computer does.
        time.sleep(0.3)  # noqa: ASYNC251
        await asyncio.sleep(0.02)
        await play.piece(FINISH + DONE)
        play.writer.write(b"0\r\n\r\n")

    async with ScriptedServer(writes_and_holds_everything_up) as server:
        items = await collect(provider(server, retries=0, stall_seconds=0.2))
    assert items[-1].content == "one two"
