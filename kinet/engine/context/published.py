"""What is published of a model, its window and price, is read beside its first request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from kinet.providers.pricing import known_window, window_at_hand

# Seconds; so soon the request is on its way, and the reading takes no turns with what sends it.
_SENT = 0.05


async def read_published(model: str) -> None:
    """Returns when it is at hand: read in a thread, the first time for a model without a row."""
    if window_at_hand(model) is None:
        await asyncio.to_thread(known_window, model)


@asynccontextmanager
async def reading_published(model: str) -> AsyncGenerator[None, None]:
    """It is read while something else is done, and at hand when that has succeeded."""
    if window_at_hand(model) is not None:
        yield
        return
    sent = asyncio.Event()
    reading = asyncio.create_task(_read_soon(model, sent))
    try:
        yield
        sent.set()
        await reading
    finally:
        reading.cancel()


async def _read_soon(model: str, sent: asyncio.Event) -> None:
    try:
        async with asyncio.timeout(_SENT):
            await sent.wait()
    except TimeoutError:
        pass
    await read_published(model)
