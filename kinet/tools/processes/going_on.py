"""What of a call still runs when the call has ended: a background job, or what it left running."""

from __future__ import annotations

import asyncio

from kinet.tools.processes import jobs, survivors
from kinet.tools.processes.process import RunningCommand


def going_on(session_id: str, call_id: str) -> RunningCommand | None:
    """The command of this call, while anything of it runs; None where nothing does."""
    for job in jobs.listed(session_id, running=True):
        if job.call_id == call_id:
            return job.running
    for survivor in survivors.listed(session_id):
        if survivor.call_id == call_id:
            return survivor.running
    return None


async def until_over(command: RunningCommand) -> None:
    """Returns when it and all that it started have ended; who waits no more ends nothing."""
    loop, over = asyncio.get_running_loop(), asyncio.Event()

    def tell(_: object) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(over.set)

    command.over.add_done_callback(tell)
    await over.wait()
