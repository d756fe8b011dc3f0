"""Lines on their way to the holder of the data folder: none is lost when the holder ends."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from kinet.cli.served_there import Moved, pass_on
from kinet.core.errors import StoreError
from kinet.local import handover
from kinet.local.handover import Exchange, HandoverServer
from kinet.serve.guest import ExchangeLines
from kinet.serve.lines import Ahead, Line
from kinet.settings.options import Options


class Said:
    """What a client says, and what it was told."""

    def __init__(self, *texts: str) -> None:
        self.told: list[str] = []
        self._said = [Line(text) for text in texts]

    async def hear(self) -> Line | None:
        if not self._said:
            await asyncio.Event().wait()
        return self._said.pop(0)

    async def tell(self, text: str) -> None:
        self.told.append(text)


Work = Callable[[Exchange, dict[str, Any]], Awaitable[None]]


@asynccontextmanager
async def _holder(home: Path, monkeypatch: pytest.MonkeyPatch, work: Work) -> Any:
    monkeypatch.setenv("KINET_HOME", str(home))
    server = HandoverServer(home, work)
    await server.start()
    try:
        yield
    finally:
        await server.close()


async def test_what_the_holder_did_not_hear_is_said_again_in_the_next_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    async def work(exchange: Exchange, message: dict[str, Any]) -> None:
        asked.append(message)
        for number in (1, 2):
            heard = await exchange.hear()
            assert heard is not None
            await exchange.tell({"line": f"answer to {heard['line']}", "heard": number})
        # The third and fourth are on their way, or still with the client.
        await exchange.tell({"left": {"greeted": True}, "heard": 2, "to_window": True})

    (tmp_path / "home").mkdir()
    lines = Said("one", "two", "three", "four")
    async with _holder(tmp_path / "home", monkeypatch, work):
        passing = await pass_on(Ahead([Line("zero")], lines), Options(), {"greeted": False})
        assert passing is not None
        moved = await asyncio.wait_for(passing.run(), 10)
    assert asked[0]["verb"] == "serve"
    assert asked[0]["seat"] == {"greeted": False}
    assert lines.told == ["answer to zero", "answer to one"]
    assert moved == Moved({"greeted": True}, moved.unheard, to_window=True)
    rest = Ahead(moved.unheard, lines)
    again = [await asyncio.wait_for(rest.hear(), 10) for _ in range(3)]
    assert [line.text for line in again] == ["two", "three", "four"]


async def test_a_holder_that_breaks_off_or_refuses_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def breaks_off(exchange: Exchange, message: dict[str, Any]) -> None:
        await exchange.tell({"line": "half", "heard": 0})

    async def refuses(exchange: Exchange, message: dict[str, Any]) -> None:
        raise StoreError("There is no profile 'x'.", hint="Profiles: none yet.")

    (tmp_path / "home").mkdir()
    for work, said in ((breaks_off, "without a word"), (refuses, "no profile 'x'")):
        async with _holder(tmp_path / "home", monkeypatch, work):
            passing = await pass_on(Said(), Options(), None)
            assert passing is not None
            with pytest.raises(StoreError, match=said):
                await asyncio.wait_for(passing.run(), 10)


async def test_what_was_heard_is_not_kept_though_nothing_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard_all, forgotten = asyncio.Event(), asyncio.Event()

    async def work(exchange: Exchange, message: dict[str, Any]) -> None:
        lines = ExchangeLines(exchange)
        while (await lines.hear()) is not None:
            if lines.heard == 5_000:
                heard_all.set()

    async with _holder(tmp_path, monkeypatch, work):
        client = Said(*(f"line {number} " + "x" * 80 for number in range(5_000)))
        passing = await pass_on(client, Options(), None)
        assert passing is not None
        forget = passing._forget

        def noted(heard: int) -> None:
            forget(heard)
            if heard > 4_000:
                forgotten.set()

        monkeypatch.setattr(passing, "_forget", noted)
        running = asyncio.create_task(passing.run())
        await asyncio.wait_for(heard_all.wait(), 20)
        await asyncio.wait_for(forgotten.wait(), 20)
        assert len(passing._sent) < 1_000
        assert client.told == []
        passing.stop()
        await asyncio.wait_for(running, 20)


async def test_long_lines_come_whole_bit_by_bit_and_one_that_is_too_long_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handover, "LARGEST_LINE", 8 * 1024 * 1024)
    said = ["é" * size for size in (0, 1_000_000, 3_000_000, 7, 1024 * 1024, 4_000_000)]
    came: list[str] = []
    ended = asyncio.Event()

    async def work(exchange: Exchange, message: dict[str, Any]) -> None:
        async for message in exchange.messages():
            came.append(message["text"])
        ended.set()

    async with _holder(tmp_path, monkeypatch, work):
        exchange = await handover.hand_over(tmp_path, {"verb": "x"})
        assert exchange is not None
        for text in said:
            await exchange.tell({"text": text})
        with contextlib.suppress(ConnectionError):
            await exchange.tell({"text": "x" * 10 * 1024 * 1024})
        await asyncio.wait_for(ended.wait(), 20)
        exchange.close()
    assert came == said
