"""The part of a session in which the person runs commands of their own, beside the model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinet.core.approval import Approver
from kinet.core.errors import KinetError
from kinet.core.events import Event, FilesChanged, Notice, TurnFinished
from kinet.core.own_command import OwnCommand
from kinet.session.comparing import ComparingSession
from kinet.session.found_later import FoundLater
from kinet.session.state import SessionState

if TYPE_CHECKING:
    from kinet.engine.base import StopSignal


class CommandingSession(ComparingSession):
    """Runs a command as a turn of its own, so that it is stored, stopped and undone like one."""

    # Set while a turn runs, a model's or a command's.
    _stop: StopSignal | None = None
    # A turn of a model ran since it was opened: the engine may know of it.
    _turns_ran = False

    def __init__(self, state: SessionState) -> None:
        super().__init__(state)
        # Commands that still clean up after a stop.
        self._lingering: set[asyncio.Task[Any]] = set()
        state.found = FoundLater(self._take_found)

    @property
    def command_folder(self) -> Path | None:
        """Where the next command would begin, a real path; None without a folder."""
        from kinet.tools.processes import working_folder

        folder = self._state.folder
        return None if folder is None else working_folder.current(self.id, folder)

    async def run_command(
        self, command: OwnCommand, approver: Approver | None = None
    ) -> AsyncGenerator[Event, None]:
        """Runs what the person typed; the events of its turn, the last one TurnFinished.

        It needs no model. While a turn runs, the command is put into the queue, for it would
        change files under the agent's hands, and one Notice says so. The approver is asked where
        the command names a protected place. Raises SettingsError, before anything is stored, if no
        folder is chosen or the command never runs; StoreError if the session was closed.
        """
        from kinet.engine.base import StopSignal
        from kinet.session.own_turn import OwnTurn
        from kinet.session.turn import Unasked

        await self._still()
        typed = command.typed()
        if self._stop is not None:
            # One that was taken out of the queue and overtaken is the next one again.
            if not self._state.waiting.put_back(typed):
                self._state.waiting.add(typed, command=True)
            yield Notice("A turn is running; the command runs when it has ended.", keep=False)
            return
        state = self._state
        stop = self._stop = StopSignal()
        self._idle.clear()
        try:
            asked = approver or state.parts.approver or Unasked()
            turn = OwnTurn(state, command, asked, stop, self._turn_ended, self._lingering)
            try:
                self._check_open()
                await turn.judge()
            except KinetError:
                state.waiting.put_back(typed)
                raise
            self._loaded = None
            sent = state.waiting.sent_as(typed)
            state.waiting.paused = False
            async with aclosing(turn.events(sent=sent)) as events:
                async for event in events:
                    yield event
        finally:
            if self._stop is stop:
                self._end()

    async def _cleaned_up(self) -> None:
        """Returns when nothing of ended turns cleans up any more: what it changed is told then."""
        if self._lingering:
            await asyncio.wait(set(self._lingering))
        if self._turns_ran:
            await self._state.parts.engine().settled(self.id)

    def _take_found(self, event: Event) -> None:
        """Found when its turn had ended; what was read for a replay does not hold it."""
        self._loaded = None
        self._state.take(event)
        if isinstance(event, FilesChanged) and event.turn_id:
            # Its turn may be on a branch that was left: who goes there sees it too.
            from kinet.store.branches import put_beside

            store = self._state.parts.store
            put_beside(store.database, store.encoded, self.id, event.turn_id, event)

    def _turn_ended(self, end: TurnFinished) -> None:
        """The end of a turn is stored, and about to be told."""
        raise NotImplementedError

    def _end(self) -> None:
        """Nothing runs any more."""
        raise NotImplementedError
