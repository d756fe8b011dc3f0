"""stdin and stdout as lines, kept clean: nothing but messages passes through them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import sys
import threading
from collections.abc import Callable
from typing import Any

from kinet.serve.lines import Line, Splitter

_CHUNK = 65_536


class StdioLines:
    """The two pipes of this process, read and written in threads: files and terminals work too."""

    def __init__(self, source: int, target: int) -> None:
        self._source, self._target = source, target
        self._reader, self._writer = _Blocking("reads requests"), _Blocking("writes answers")
        self._splitter = Splitter()
        self._lines: list[Line] = []
        # A read goes on where nobody waits for it any more: what it brings is for the next one.
        self._reading: asyncio.Future[bytes] | None = None
        self._ended = False

    async def hear(self) -> Line | None:
        """The next line of stdin; None at its end, or where it cannot be read any more."""
        while not self._lines:
            if self._ended:
                return None
            if self._reading is None:
                reading = self._reader.do(lambda: os.read(self._source, _CHUNK))
                self._reading = asyncio.ensure_future(reading)
            try:
                data = await asyncio.shield(self._reading)
            except OSError:
                data = b""
            self._reading = None
            self._lines = [*(self._splitter.feed(data) if data else self._splitter.end())]
            self._ended = not data
        return self._lines.pop(0)

    async def tell(self, text: str) -> None:
        """Writes a line to stdout."""
        data = text.encode("utf-8", "replace") + b"\n"
        await self._writer.do(lambda: _write_all(self._target, data))


def own_stdio() -> StdioLines:
    """Takes stdin and stdout for messages alone.

    Whatever else prints goes to stderr from now on, and no child gets hold of either. OSError if
    they are not open.
    """
    if sys.stdin is None or sys.stdout is None:
        raise OSError("stdin or stdout is closed")
    source, target = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.stdout.flush()
    os.dup2(2, 1)
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(source, os.O_BINARY)
        msvcrt.setmode(target, os.O_BINARY)
    return StdioLines(source, target)


def _write_all(target: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(target, rest) :]


class _Blocking:
    """A thread for calls that may block for ever; the end of the program does not wait for it."""

    def __init__(self, name: str) -> None:
        self._jobs: queue.SimpleQueue[tuple[Callable[[], Any], Callable[..., None]]]
        self._jobs = queue.SimpleQueue()
        self._name = name
        self._thread: threading.Thread | None = None

    async def do(self, work: Callable[[], Any]) -> Any:
        """What `work` gives or raises; they are done in the order they were asked for."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Any] = loop.create_future()

        def tell(value: Any, problem: OSError | None) -> None:
            if done.cancelled():
                return
            if problem is not None:
                done.set_exception(problem)
            else:
                done.set_result(value)

        def told(value: Any, problem: OSError | None) -> None:
            # The loop may have ended meanwhile: then nobody waits.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(tell, value, problem)

        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        self._jobs.put((work, told))
        return await done

    def _run(self) -> None:
        while True:
            work, told = self._jobs.get()
            try:
                value = work()
            except OSError as exc:
                told(None, exc)
            else:
                told(value, None)
