"""Texts that tool servers offer to a person, as a face asks for them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kinet.core.errors import SettingsError, ToolError

if TYPE_CHECKING:
    from kinet.settings.tool_servers import ToolServerBook


class ServerPrompts:
    """What a prompt says is for the person to read: nothing is sent from here."""

    def __init__(self, book: ToolServerBook) -> None:
        self._book = book

    async def text(self, server: str, prompt: str, words: str, folder: Path | None) -> str:
        """The text of a prompt, with what was typed after it. SettingsError says what failed."""
        found = await self._book.named(server, folder)
        try:
            return await self._book.servers.prompt(found, folder, prompt, words)
        except ToolError as exc:
            raise SettingsError(exc.message, hint=exc.hint) from exc
