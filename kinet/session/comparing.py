"""The answers that one message has had, for laying two of them side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from kinet.core.alternatives import Alternative
from kinet.core.events import Event, ModelChosen
from kinet.session.branching import BranchingSession, turn_of


class ComparingSession(BranchingSession):
    """The part of a session that tells what was answered on its other branches."""

    async def alternatives(self, message_id: str) -> list[Alternative]:
        """All turns that begin where the turn of this message does, the oldest first.

        StoreError while a turn runs, for a message that is not on the path, or from the disk.
        """
        from kinet.store.alternatives import stored_turns

        self._refuse_running()
        tree, events = await self._tree()
        store, id_ = self._state.parts.store, self.id

        def read() -> list[Alternative]:
            turn = turn_of(tree, events, message_id)
            begins = tree.siblings(turn)
            profile, effort = self._begun_with(events)
            return [
                Alternative(
                    number,
                    stored.events,
                    stored.following,
                    begin.seq == turn.seq,
                    stored.chosen.profile if stored.chosen else profile,
                    stored.chosen.effort if stored.chosen else effort,
                )
                for number, (begin, stored) in enumerate(
                    zip(begins, stored_turns(store, id_, tree, begins), strict=True), start=1
                )
            ]

        return await asyncio.to_thread(read)

    def _begun_with(self, events: Sequence[Event]) -> tuple[str, str]:
        """(profile, effort) of what was asked before anything was chosen."""
        first = next((event for event in events if isinstance(event, ModelChosen)), None)
        if first is not None:
            return first.was_profile, first.was_effort
        return self._state.profile, self._state.effort
