"""Tool servers for a command that lists or runs tools: started, waited for, ended with it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kinet.paths import data_dir

if TYPE_CHECKING:
    from kinet.mcp.server_tool import ServerTool
    from kinet.settings.tool_servers import ToolServerBook

_SESSION = "command"


@contextmanager
def servers_for(options: argparse.Namespace) -> Iterator[ToolServerBook]:
    """The servers as the settings and the folder's trust have them; all end with the block."""
    from kinet.settings.secrets import Keychain
    from kinet.settings.store import SettingsStore
    from kinet.settings.tool_servers import LONGEST_START, ToolServerBook
    from kinet.skills.brought import brought_skills
    from kinet.workspace.trust import FolderTrust

    trust = FolderTrust(data_dir(), brought_skills, getattr(options, "trust", None))
    store = SettingsStore(data_dir())
    book = ToolServerBook(store, Keychain(), trust.server_list, wait_seconds=LONGEST_START)
    try:
        yield book
    finally:
        book.close()


async def ready_tools(
    book: ToolServerBook, options: argparse.Namespace, *, only: str = ""
) -> Sequence[ServerTool]:
    """What the servers offer once they are ready; why one does not is told on stderr.

    With `only` no server of another name is started.
    """
    import asyncio

    folder = (options.cwd or Path.cwd()).absolute()
    await asyncio.to_thread(book.wake, _SESSION, folder, only)
    await book.settled(_SESSION)
    standing = book.standing(_SESSION)
    if standing is None:
        return ()
    for name in standing.starting:
        print(f"The server {name} did not get ready in time.", file=sys.stderr)
    for name, reason in standing.failed:
        print(f"The server {name} cannot be used: {reason}", file=sys.stderr)
    return standing.tools
