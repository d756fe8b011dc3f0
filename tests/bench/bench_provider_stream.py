"""How a provider keeps up with 100,000 pieces, as ratios to a bare loop in the same run.

Prints one JSON object; exits 1 if a limit is missed.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).parents[2]))

from kinet.core.messages import Message
from kinet.core.profile import ModelProfile
from kinet.providers.base import ModelRequest
from kinet.providers.catalog import create_provider
from kinet.providers.transport.sse import EventSplitter

Work = Callable[[], Awaitable[None]]

EVENTS = 100_000
AT_ONCE = 5
RUNS = 3
ASK = ModelRequest(messages=(Message("user", "go"),))
HEAD = b'data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":'


def pieces() -> list[bytes]:
    """The body, a few events a piece."""
    one = [
        HEAD + b'[{"index":0,"delta":{"content":"w%d "},"finish_reason":null}]}\n\n' % number
        for number in range(EVENTS)
    ]
    return [b"".join(one[at : at + AT_ONCE]) for at in range(0, EVENTS, AT_ONCE)]


PIECES = pieces()
END = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


class Body(httpx.AsyncByteStream):
    """The body, without a network."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in PIECES:
            yield piece
        yield END


def client() -> httpx.AsyncClient:
    """A client whose server streams the body."""
    return httpx.AsyncClient(
        transport=httpx.MockTransport(lambda request: httpx.Response(200, stream=Body()))
    )


async def through_the_provider() -> None:
    """All items of the answer."""
    async with client() as used:
        provider = create_provider(ModelProfile("b", "http://b.test/v1", "m"), None, used)
        async with aclosing(provider.stream(ASK)) as items:
            async for _ in items:
                pass


async def through_a_bare_loop() -> None:
    """Lines and JSON, nothing made of them."""
    async with client() as used, used.stream("POST", "http://b.test/v1") as response:
        async for line in response.aiter_lines():
            if line.startswith("data: {"):
                json.loads(line[6:])


async def split_into_events() -> None:
    """Framing alone."""
    splitter = EventSplitter()
    async with client() as used, used.stream("POST", "http://b.test/v1") as response:
        async for piece in response.aiter_raw():
            splitter.feed(piece)


async def split_into_lines() -> None:
    """Framing alone, by the HTTP library."""
    async with client() as used, used.stream("POST", "http://b.test/v1") as response:
        async for _ in response.aiter_lines():
            pass


def seconds(work: Work) -> float:
    """Processor time of one run."""

    async def run() -> float:
        began = time.process_time()
        await work()
        return time.process_time() - began

    return asyncio.run(run())


def ratio(
    name: str,
    ours: Callable[[], Awaitable[None]],
    floor: Callable[[], Awaitable[None]],
    limit: float,
) -> dict[str, object]:
    """The median of some runs, with the raw samples."""
    samples = [round(seconds(ours) / seconds(floor), 3) for _ in range(RUNS)]
    value = statistics.median(samples)
    return {"name": name, "value": value, "limit": limit, "pass": value <= limit, "raw": samples}


def main() -> int:
    """Prints all ratios."""
    found = [
        ratio("items made / bare lines and JSON", through_the_provider, through_a_bare_loop, 3.0),
        ratio("events framed / lines framed", split_into_events, split_into_lines, 1.0),
    ]
    print(json.dumps(found, indent=1))
    return 0 if all(entry["pass"] for entry in found) else 1


if __name__ == "__main__":
    sys.exit(main())
