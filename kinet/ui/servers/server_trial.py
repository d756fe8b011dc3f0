"""Tries servers that are filled in or pasted, tells how that goes, and can be ended at any time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from kinet.core.errors import KinetError
from kinet.ui.kit.tasks import spawn
from kinet.ui.servers.pasted_servers import PastedServers
from kinet.ui.servers.server_words import tried_words
from kinet.ui.servers.try_strip import TryStrip

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from kinet.settings.server_services import ServerServices, Tried

Told = Callable[[str], object]


class ServerTrial(QObject):
    """One trial at a time. `changed` comes when it begins and when it has ended in any way."""

    changed = Signal()

    def __init__(
        self,
        services: ServerServices,
        strip: TryStrip,
        pasted: PastedServers,
        folder: Path | None,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._services, self._strip, self._pasted = services, strip, pasted
        self._folder = folder
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def is_running(self) -> bool:
        """True while something is tried."""
        return self._task is not None

    def try_one(self, name: str, entry: Mapping[str, Any]) -> None:
        """Tries what is filled in; the strip tells."""
        self._begin(self._one(name, entry))

    def try_pasted(self) -> None:
        """Tries all that could be added, one after the other; each row tells."""
        self._begin(self._all())

    def end(self) -> None:
        """Ends what runs."""
        if self._task is not None:
            self._task.cancel()

    def close(self) -> None:
        """Ends what runs, and shows nothing any more."""
        self._closed = True
        self.end()

    def _begin(self, trial: Coroutine[Any, Any, None]) -> None:
        task = spawn(trial, "try a server")
        self._task = task
        # Also where it is ended before it could begin.
        task.add_done_callback(self._ended)
        self.changed.emit()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._task = None
        if self._closed:
            return
        if task.cancelled():
            self._strip.clear()
            for row in self._pasted.rows:
                row.say(row.problem, "danger")
        self.changed.emit()

    async def _one(self, name: str, entry: Mapping[str, Any]) -> None:
        self._strip.show_doing("Starting")
        try:
            tried = await self._tried(name, entry, self._strip.show_doing)
        except KinetError as exc:
            self._strip.show_problem("Not tested", exc.sentence())
        else:
            self._strip.show_tried(tried)

    async def _all(self) -> None:
        for name, entry in self._pasted.entries.items():
            self._say(name, "Starting…", "text_2")
            try:
                tried = await self._tried(name, entry, partial(self._say, name, tone="text_2"))
            except KinetError as exc:
                self._say(name, exc.sentence(), "danger")
                continue
            why = f"It does not work. {tried.reason} {tried.hint}".strip()
            works = tried_words(tried.tools, tried.title, tried.seconds)
            self._say(name, works if tried.ok else why, "success" if tried.ok else "danger")

    def _say(self, name: str, sentence: str, tone: str) -> None:
        row = self._pasted.row(name)
        if row is not None:
            row.say(sentence, tone)

    async def _tried(self, name: str, entry: Mapping[str, Any], told: Told) -> Tried:
        def tell(words: str) -> None:
            if not self._closed:
                told(words)

        return await self._services.try_out(name, entry, self._folder, progress=tell)
