"""Runs the tour's server in a thread of its own, so that it can be started from anywhere."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass

from kinet.core.profile import ModelProfile, Price
from kinet.local.tour import MODEL, WINDOW, Pace, TourServer

PROFILE_NAME = "Guided tour"
FREE = Price(0.0, 0.0, 0.0, 0.0, source="the guided tour")


@dataclass(frozen=True, slots=True)
class _Running:
    thread: threading.Thread
    loop: asyncio.AbstractEventLoop
    ending: asyncio.Event
    base_url: str


class TourThread:
    """The tour, running at most once. Safe to start from any thread."""

    def __init__(self, pace: Pace | None = None) -> None:
        self._pace = pace
        self._guard = threading.Lock()
        self._running: _Running | None = None

    def profile(self) -> ModelProfile:
        """The profile that leads to the tour, which runs from now on. OSError if it cannot."""
        return ModelProfile(
            PROFILE_NAME, self.start(), MODEL, vendor="generic", window=WINDOW, price=FREE
        )

    def start(self) -> str:
        """Starts the server if it does not run; its address. Takes some milliseconds."""
        with self._guard:
            if self._running is None:
                self._running = self._begin()
            return self._running.base_url

    def close(self) -> None:
        """Ends the server and its thread; none is fine."""
        with self._guard:
            running, self._running = self._running, None
        if running is not None:
            running.loop.call_soon_threadsafe(running.ending.set)
            running.thread.join()

    def _begin(self) -> _Running:
        ready = threading.Event()
        begun: list[_Running] = []
        failed: list[OSError] = []

        async def serve() -> None:
            server = TourServer(self._pace)
            try:
                base_url = await server.start()
            except OSError as exc:
                failed.append(exc)
                return
            loop, ending = asyncio.get_running_loop(), asyncio.Event()
            begun.append(_Running(thread, loop, ending, base_url))
            ready.set()
            try:
                await ending.wait()
            finally:
                await server.close()

        def run() -> None:
            try:
                asyncio.run(serve())
            finally:
                ready.set()

        thread = threading.Thread(target=run, name="kinet-tour", daemon=True)
        thread.start()
        ready.wait()
        if not begun:
            raise failed[0] if failed else OSError("the tour could not be started")
        return begun[0]
