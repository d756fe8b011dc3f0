"""Serves one client from its first line to its last: what it asks is done, then all is stored."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from kinet.core.errors import KinetError, StoreError
from kinet.serve import messages, params
from kinet.serve.desk import Claims, Desk, Host
from kinet.serve.lines import Lines
from kinet.serve.messages import Request, RpcError
from kinet.serve.methods import METHODS, named
from kinet.serve.outbox import MOST_UNREAD, first_of
from kinet.serve.peer import Peer

PROTOCOL = 1

_log = logging.getLogger(__name__)


class Server:
    """`run` returns when the client has gone, or after `stop`; then nothing of it runs any more.

    `seat` is then what another server needs to go on for the same client, as plain values: it is
    handed there as `seat`.
    """

    def __init__(
        self, host: Host, lines: Lines, claims: Claims, seat: Mapping[str, Any] | None = None
    ) -> None:
        self._host = host
        self._peer = Peer(lines, self.work)
        self._desk = Desk(host, self._peer, claims)
        self._long = asyncio.Lock()
        self.seat: Mapping[str, Any] = seat or {"greeted": False, "sessions": []}
        self._greeted = bool(self.seat["greeted"])
        if self._greeted:
            self._desk.abilities = params.Abilities(**self.seat["abilities"])

    @property
    def is_busy(self) -> bool:
        """True while a request is at work or a turn runs."""
        return self._peer.is_busy or self._desk.is_busy

    def stop(self) -> None:
        """Hears no more: turns are stopped, answered and stored."""
        self._peer.ended.set()

    async def run(self) -> None:
        """StoreError at the end if something could not be stored; KinetError for a deaf client."""
        try:
            await self._desk.resume(self.seat["sessions"])
            await self._peer.run()
        finally:
            abilities = self._desk.abilities.model_dump()
            sessions = self._desk.seats()
            self.seat = {"greeted": self._greeted, "abilities": abilities, "sessions": sessions}
            problems = await self._desk.end()
            await self._peer.finish()
        if problems:
            raise StoreError(problems[0])
        if self._peer.was_deaf:
            size = MOST_UNREAD // 1024 // 1024
            raise KinetError(f"The client left more than {size} MB unread; it counts as gone.")

    async def work(self, request: Request) -> Any:
        """Does what a request asks for."""
        if request.method == "initialize":
            return self._greet(params.checked(params.Initialize, request.params))
        if not self._greeted:
            raise RpcError(messages.NOT_INITIALIZED, "The first request must be initialize.")
        method = named(request.method)
        wanted = params.checked(method.takes, request.params)
        if not method.long:
            return await method.act(self._desk, wanted)
        async with self._long:
            # The result before it is put out one turn of the loop after its work.
            await asyncio.sleep(0)
            # Who has gone makes no more, whatever is unread.
            await first_of(self._peer.has_room, self._peer.ended)
            return await method.act(self._desk, wanted)

    def _greet(self, said: params.Initialize) -> dict[str, Any]:
        if self._greeted:
            raise RpcError(messages.INVALID, "initialize was called before.")
        self._greeted = True
        self._desk.abilities = said.capabilities
        _log.info("serves %s %s", said.client.name, said.client.version)
        settings = self._host.settings
        return {
            "name": "kinet",
            "version": version(),
            "protocol": PROTOCOL,
            "methods": ["initialize", *(method.name for method in METHODS)],
            "modes": self._desk.modes,
            "mode": self._desk.widest_mode,
            "profiles": [
                {"name": profile.name, "model": profile.model} for profile in settings.profiles()
            ],
            "problems": self._host.problems,
        }


def version() -> str:
    """Of this Kinet; "" where it runs from source."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("kinet")
    except PackageNotFoundError:
        return ""
