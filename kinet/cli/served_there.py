"""Passes the lines of `kinet serve` on to the program that holds the data folder, and back."""

from __future__ import annotations

import asyncio
import contextlib

from kinet.cli.handed_over import options_message, told_error
from kinet.core.errors import StoreError
from kinet.headless import interrupts
from kinet.local.handover import Exchange, hand_over
from kinet.paths import data_dir
from kinet.serve.lines import Lines
from kinet.settings.options import Options
from kinet.store.lock import StoreInUseError

COMPLETED, STOPPED = 0, 3


async def serve_there(problem: StoreInUseError, lines: Lines, options: Options) -> int:
    """Serves by way of the owner; the exit code. Raises `problem` if none answers.

    The client sees no difference, except that a session of the window cannot be opened. StoreError
    if the owner ends before the client.
    """
    exchange = await hand_over(data_dir(), {"verb": "serve", **options_message(options)})
    if exchange is None:
        raise problem
    passing = _Passing(lines, exchange)
    with interrupts(passing.stop):
        return await passing.run()


class _Passing:
    def __init__(self, lines: Lines, exchange: Exchange) -> None:
        self._lines, self._exchange = lines, exchange
        self._stopped = self._ended = False
        self._ending: asyncio.Task[None] | None = None

    def stop(self) -> None:
        """The owner ends what runs and tells the last of it."""
        self._stopped = True
        self._ending = asyncio.create_task(self._end())

    async def run(self) -> int:
        """Returns when the owner has told all."""
        up = asyncio.create_task(self._pass_up())
        try:
            async for message in self._exchange.messages():
                if "error" in message:
                    raise told_error(message["error"])
                await self._lines.tell(str(message.get("line", "")))
        except OSError:
            # Nobody reads any more; the owner sees the connection end and stops what runs.
            return COMPLETED
        finally:
            up.cancel()
            self._exchange.close()
        if not self._ended:
            raise StoreError(
                "The Kinet that held the data folder was closed.", hint="Start kinet serve again."
            )
        return STOPPED if self._stopped else COMPLETED

    async def _pass_up(self) -> None:
        while (line := await self._lines.hear()) is not None:
            with contextlib.suppress(ConnectionError):
                await self._exchange.tell({"line": line.text, "problem": line.problem})
        await self._end()

    async def _end(self) -> None:
        self._ended = True
        with contextlib.suppress(ConnectionError):
            await self._exchange.tell({"end": True})
