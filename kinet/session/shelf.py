"""What runs beside the turns of a session: background jobs, and what commands left running."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ShelfItem:
    """One thing that runs. `left` says that it outlived its command instead of being a job."""

    id: str
    command: str
    call_id: str
    seconds: float
    left: bool = False


class Shelf:
    """Lists and ends them; cheap enough to be asked each second."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id

    def items(self) -> list[ShelfItem]:
        """What runs now, the jobs first."""
        from kinet.tools.processes import jobs, survivors

        running = [
            ShelfItem(job.id, job.command, job.call_id, job.seconds)
            for job in jobs.listed(self._session_id, running=True)
        ]
        left = [
            ShelfItem(f"left-{known.call_id}", known.command, known.call_id, 0.0, left=True)
            for known in survivors.listed(self._session_id)
        ]
        return running + left

    async def stop(self, item_id: str) -> None:
        """Ends one of them with all it started; returns when it is gone. Nothing for another id."""
        from kinet.tools.processes import jobs, survivors

        job = jobs.find(item_id, self._session_id)
        running = job.running if job is not None else None
        for known in survivors.listed(self._session_id):
            if item_id == f"left-{known.call_id}":
                running = known.running
        if running is not None:
            running.stop()
            await asyncio.to_thread(running.finished.wait, 3.0)
