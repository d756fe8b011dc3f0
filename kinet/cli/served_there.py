"""Passes the lines of `kinet serve` on to the program that holds the data folder, and back."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kinet.cli.handed_over import options_message, told_error
from kinet.core.errors import StoreError
from kinet.local.handover import Exchange, hand_over
from kinet.paths import data_dir
from kinet.serve.lines import Line, Lines
from kinet.settings.options import Options


@dataclass(frozen=True, slots=True)
class Moved:
    """The client is to be served in another place: from this seat, beginning with these lines.

    `to_window`: a window is about to take the data folder.
    """

    seat: Mapping[str, Any] | None = None
    unheard: Sequence[Line] = ()
    to_window: bool = False


async def pass_on(lines: Lines, options: Options, seat: Mapping[str, Any] | None) -> Passing | None:
    """A client's lines on their way to the owner; None if none answers."""
    message = {"verb": "serve", "seat": seat, **options_message(options)}
    exchange = await hand_over(data_dir(), message)
    return None if exchange is None else Passing(lines, exchange)


class Passing:
    """The client sees no difference, except that a session of the window cannot be opened."""

    def __init__(self, lines: Lines, exchange: Exchange) -> None:
        self._lines, self._exchange = lines, exchange
        self._ended = False
        # What the owner may not have heard yet, and how much it has.
        self._sent: deque[Line] = deque()
        self._heard = 0
        self._ending: asyncio.Task[None] | None = None

    def stop(self) -> None:
        """The owner ends what runs and tells the last of it."""
        self._ending = asyncio.create_task(self._end())

    async def run(self) -> Moved | None:
        """Returns when the owner has told all; `Moved` if it ended before the client.

        StoreError if it broke off without a word.
        """
        up = asyncio.create_task(self._pass_up())
        left: Mapping[str, Any] | None = None
        try:
            async for message in self._exchange.messages():
                self._forget(message.get("heard", 0))
                if "error" in message:
                    raise told_error(message["error"])
                if "left" in message:
                    left = message
                elif "line" in message:
                    await self._lines.tell(str(message["line"]))
        except OSError:
            # Nobody reads any more; the owner sees the connection end and stops what runs.
            return None
        finally:
            up.cancel()
            await asyncio.wait({up})
            self._exchange.close()
        if self._ended:
            return None
        if left is None:
            raise StoreError(
                "The Kinet that held the data folder ended without a word.",
                hint="Start kinet serve again; what was said is stored.",
            )
        return Moved(left["left"], tuple(self._sent), bool(left.get("to_window")))

    async def _pass_up(self) -> None:
        while (line := await self._lines.hear()) is not None:
            self._sent.append(line)
            with contextlib.suppress(ConnectionError):
                await self._exchange.tell({"line": line.text, "problem": line.problem})
        await self._end()

    def _forget(self, heard: int) -> None:
        while self._heard < heard:
            self._sent.popleft()
            self._heard += 1

    async def _end(self) -> None:
        self._ended = True
        with contextlib.suppress(ConnectionError):
            await self._exchange.tell({"end": True})
