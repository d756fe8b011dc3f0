"""Plays a scripted reply through a real protocol: its request is judged, its bytes are decoded.

No socket is opened: httpx hands the request to a transport that answers in the same process.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any, cast

import httpx

from kinet.core.profile import ModelProfile, WireProtocol
from kinet.providers.base import ModelRequest, StreamItem
from kinet.providers.catalog import create_provider
from tests.support.replies import Cut, Gate, Reply, Silence
from tests.support.strict import anthropic_problems, openai_problems
from tests.support.wire_forms import anthropic_stream, openai_stream
from tests.support.wire_responses import responses_problems, responses_stream

# What a strict server of each protocol refuses, and how it answers.
FORMS: dict[str, tuple[Any, Any]] = {
    "openai": (openai_problems, openai_stream),
    "anthropic": (anthropic_problems, anthropic_stream),
    "responses": (responses_problems, responses_stream),
}


class ScriptedWire:
    """One protocol as a strict server speaks it; `problems` is what it would have refused."""

    def __init__(self, protocol: WireProtocol) -> None:
        self.problems: list[str] = []
        self._judge, self._form = FORMS[protocol]
        self._reply = Reply()
        profile = ModelProfile("scripted", "http://scripted/v1", "scripted", protocol=protocol)
        client = httpx.AsyncClient(transport=_Transport(self))
        self._provider = create_provider(profile, None, client, retries=0)

    async def play(self, request: ModelRequest, reply: Reply) -> AsyncIterator[StreamItem]:
        """What the protocol makes of `reply` to `request`."""
        # A script without figures is a server that sends none.
        self._reply = reply if reply.tokens_in is not None else replace(reply, with_usage=False)
        stream = cast("AsyncGenerator[StreamItem, None]", self._provider.stream(request))
        async with aclosing(stream) as items:
            async for item in items:
                yield item

    def answer(self, body: bytes) -> httpx.Response:
        """The server's answer to a request."""
        found = self._judge(json.loads(body))
        self.problems += found
        if found:
            refusal = json.dumps({"error": {"message": found[0]}})
            return httpx.Response(400, stream=_Stream([refusal.encode()]))
        reply = self._reply
        if reply.status != 200:
            body_of = _Stream([reply.body.encode()])
            return httpx.Response(reply.status, headers=dict(reply.headers), stream=body_of)
        head = {"content-type": "text/event-stream"}
        return httpx.Response(200, headers=head, stream=_Stream(self._form(reply, len(body) // 4)))


class _Transport(httpx.AsyncBaseTransport):
    def __init__(self, wire: ScriptedWire) -> None:
        self._wire = wire

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return self._wire.answer(await request.aread())


class _Stream(httpx.AsyncByteStream):
    def __init__(self, items: Any) -> None:
        self._items = items

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for item in self._items:
            if isinstance(item, Silence):
                await asyncio.Event().wait()
            elif isinstance(item, Cut):
                raise httpx.ReadError("the connection broke")
            elif isinstance(item, Gate):
                item.reached.set()
                await asyncio.to_thread(item.opened.wait, 20)
            else:
                yield item
            await asyncio.sleep(0)

    async def aclose(self) -> None:
        """Nothing is left open."""
