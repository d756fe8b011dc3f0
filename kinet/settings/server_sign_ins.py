"""Signing in to tool servers and out again, as a face asks for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from kinet.core.errors import SettingsError, ToolError

if TYPE_CHECKING:
    from kinet.mcp.sign_in import Visit
    from kinet.mcp.sign_ins import SignedIn
    from kinet.settings.tool_servers import ToolServerBook


class ServerSignIns:
    """No browser is opened from here: who asks shows the person where to go."""

    def __init__(self, book: ToolServerBook) -> None:
        self._book = book

    async def sign_in(
        self,
        name: str,
        folder: Path | None,
        *,
        show: Callable[[Visit], None],
        progress: Callable[[str], None] = lambda words: None,
    ) -> SignedIn | None:
        """Signs in to a server, once the person has followed what `show` is told.

        None if the server asks for no sign-in. SettingsError says what failed; a cancellation ends
        it. Both callbacks come on the running loop.
        """
        server = await self._book.named(name, folder)
        try:
            return await self._book.servers.sign_ins.sign_in(server, show, progress)
        except ToolError as exc:
            raise SettingsError(exc.message, hint=exc.hint) from exc

    async def begin(self, name: str, folder: Path | None) -> None:
        """Begins an attempt, which goes on by itself: the server's row tells how. SettingsError."""
        server = await self._book.named(name, folder)
        self._book.servers.sign_ins.begin(server)

    async def give_up(self, name: str, folder: Path | None) -> None:
        """Ends an attempt, or takes away what is told of one that failed."""
        server = await self._book.named(name, folder)
        self._book.servers.sign_ins.give_up(server)

    async def sign_out(self, name: str, folder: Path | None) -> bool:
        """Forgets the sign-in; True if the authorization server ended it too. SettingsError."""
        server = await self._book.named(name, folder)
        try:
            return await self._book.servers.sign_ins.sign_out(server)
        except ToolError as exc:
            raise SettingsError(exc.message, hint=exc.hint) from exc
