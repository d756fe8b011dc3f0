"""The answers that one message has had, for laying two of them side by side."""

from __future__ import annotations

import asyncio

from kinet.core.alternatives import Alternative
from kinet.core.errors import StoreError
from kinet.session.branching import BranchingSession


class ComparingSession(BranchingSession):
    """The part of a session that tells what was answered on its other branches."""

    async def alternatives(self, message_id: str) -> list[Alternative]:
        """All turns that begin where the turn of this message does, the oldest first.

        StoreError while a turn runs, for a message that is not on the path, or from the disk.
        """
        await self._still()
        self._refuse_running()
        await self._state.recorder.durable()
        found = await asyncio.to_thread(self._read_alternatives, message_id)
        if not found:
            raise StoreError(
                "This message is not in the conversation.", hint="Choose one that is shown."
            )
        return found

    def _read_alternatives(self, message_id: str) -> list[Alternative]:
        from kinet.store.alternatives import first_choice, stored_turns

        state = self._state
        turns = stored_turns(state.parts.store, self.id, message_id)
        first = first_choice(state.parts.store, self.id) if turns else None
        profile = first.was_profile if first is not None else state.profile
        effort = first.was_effort if first is not None else state.effort
        return [
            Alternative(
                number,
                turn.events,
                turn.following,
                turn.is_current,
                turn.chosen.profile if turn.chosen else profile,
                turn.chosen.effort if turn.chosen else effort,
            )
            for number, turn in enumerate(turns, start=1)
        ]
