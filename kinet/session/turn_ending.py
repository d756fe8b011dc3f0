"""How every turn of a session ends: stored first, then told, also where nobody listens any more."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from kinet.core.errors import StoreError
from kinet.core.events import TurnEnd, TurnError, TurnFinished
from kinet.core.pairing import STOPPED
from kinet.session.recovery import after_leaving
from kinet.session.state import SessionState

if TYPE_CHECKING:
    from kinet.engine.base import StopSignal


class EndingTurn:
    """A turn that runs once. `ended` is called when the end is stored, just before it is told."""

    def __init__(
        self, state: SessionState, stop: StopSignal, ended: Callable[[TurnFinished], None]
    ) -> None:
        self._state = state
        self._stop = stop
        self._ended = ended
        self._finished = False
        self._began = time.monotonic()

    async def _unsaved(self) -> StoreError | None:
        """Why what was taken so far is not on the disk; None if it is."""
        try:
            await self._state.recorder.durable()
        except StoreError as exc:
            return exc
        return None

    async def _end(
        self, error: TurnError | None, reason: TurnEnd = "failed", detail: str = ""
    ) -> TurnFinished:
        """An end that comes from nobody else."""
        end = TurnFinished(
            reason,
            error,
            detail,
            duration_s=time.monotonic() - self._began,
            at=time.time(),
        )
        self._state.take(end)
        await self._unsaved()
        self._finish(end)
        return end

    def _finish(self, end: TurnFinished) -> None:
        self._finished = True
        self._ended(end)

    def _leave(self) -> None:
        """Ends what nobody iterates any more."""
        if self._finished:
            return
        self._stop.set()
        calls = tuple(self._state.calls.values())
        for event in after_leaving(self._state.conversation, calls, STOPPED):
            self._state.take(event)
            if isinstance(event, TurnFinished):
                self._finish(event)


def unstored(refused: StoreError) -> TurnError:
    """What ends a turn whose beginning could not be stored."""
    return TurnError("store", refused.message, refused.hint)
