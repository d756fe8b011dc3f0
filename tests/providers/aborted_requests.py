"""Stops many requests in mid-stream and counts what is left of them."""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

from provider_server import Playing, ScriptedServer, chunk

from kinet.core.messages import Message
from kinet.core.profile import ModelProfile
from kinet.net.client import RoutingTransport, create_client
from kinet.providers.base import ModelRequest
from kinet.providers.catalog import create_provider

ASK = ModelRequest(messages=(Message("user", "go"),))


@dataclass
class Left:
    """Seconds from each stop to the server's seeing it, and what was not cleaned up."""

    seconds: list[float] = field(default_factory=list)
    tasks: int = 0
    connections: int = 0
    files: int = 0


async def aborted(count: int, at_once: int = 5) -> Left:
    """Makes `count` requests, `at_once` at a time, and stops each after its first piece."""
    left = Left()
    stops: list[float] = []
    closed: asyncio.Queue[float] = asyncio.Queue()

    async def talks_on(play: Playing) -> None:
        await play.stream(chunk(content="a"), end=False)
        await play.until_closed()
        closed.put_nowait(time.monotonic())
        raise ConnectionError

    async with ScriptedServer(talks_on) as server, create_client() as client:
        profile = ModelProfile("p", server.base_url, "m")
        provider = create_provider(profile, None, client, retries=0)
        await _stopped(provider, 1)
        await closed.get()
        tasks, files = asyncio.all_tasks(), open_files()
        for _ in range(count // at_once):
            stops.append(await _stopped(provider, at_once))
            for _ in range(at_once):
                async with asyncio.timeout(10):
                    left.seconds.append(await closed.get() - stops[-1])
        # Lets the server's own tasks end.
        for _ in range(5):
            await asyncio.sleep(0)
        left.tasks = len(asyncio.all_tasks() - tasks)
        # The first one, which does not count, may have been closing still.
        left.files = max(0, open_files() - files)
        transport = client._transport
        assert isinstance(transport, RoutingTransport)
        left.connections = len(transport._direct._pool.connections)  # type: ignore[attr-defined]
    return left


async def _stopped(provider: object, count: int) -> float:
    """Starts requests, stops them when all have begun; when that was."""
    begun = [asyncio.Event() for _ in range(count)]

    async def use(number: int) -> None:
        async with aclosing(provider.stream(ASK)) as items:  # type: ignore[attr-defined]
            async for _ in items:
                begun[number].set()

    tasks = [asyncio.create_task(use(number)) for number in range(count)]
    for event in begun:
        await event.wait()
    at = time.monotonic()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return at


def open_files() -> int:
    """How many files and sockets this process holds; 0 where the system does not say."""
    place = Path("/proc/self/fd")
    return len(os.listdir(place)) if place.is_dir() else 0
