"""Ends what the commands of a session left running; the loop does not wait for it."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kinet.session.parts import ToolServers


def end_at_once(session_id: str) -> None:
    """Ends the processes that outlived their calls, in a thread; background jobs go on."""
    from kinet.tools.processes import survivors

    # Where nothing is left no thread is started for it.
    if survivors.listed(session_id):
        threading.Thread(
            target=survivors.end_all, args=(session_id,), name="end leftovers", daemon=True
        ).start()


def clear_stand_ins(data_dir: Path) -> None:
    """Takes away what a crash left of sandboxed commands in projects, in a thread."""
    from kinet.policy.stand_ins import NOTES

    if (data_dir / NOTES).is_dir():
        from kinet.tools.processes.guarded_places import clear

        threading.Thread(target=clear, args=(data_dir,), name="clear", daemon=True).start()


def forget_folder(session_id: str) -> None:
    """The next command of the session begins in its folder again."""
    from kinet.tools.processes import working_folder

    working_folder.forget(session_id)


def leave_servers(session_id: str, servers: ToolServers | None) -> None:
    """Tool servers that no other session uses end; returns at once."""
    if servers is not None:
        servers.leave(session_id)


async def end_all(session_id: str | None) -> None:
    """Ends them and the background jobs, of one session or of all; returns when they are gone."""
    from kinet.tools.processes import jobs, survivors

    if jobs.listed(session_id) or survivors.listed(session_id):
        await asyncio.to_thread(jobs.end_all, session_id)
        await asyncio.to_thread(survivors.end_all, session_id)
