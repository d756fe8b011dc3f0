"""A session as a tree: going back to an earlier message, and from one branch to another."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinet.core.conversation import replay
from kinet.core.errors import StoreError
from kinet.core.events import Event, ModelChosen, TurnStarted
from kinet.session.context_report import summary_of_left
from kinet.session.queueing import QueueingSession

if TYPE_CHECKING:
    from kinet.store.branches import Entry, EventTree


@dataclass(frozen=True, slots=True)
class BranchPoint:
    """A message of the person and what was sent in its place: this is `number` of `count`."""

    message_id: str
    number: int
    count: int


class BranchingSession(QueueingSession):
    """The part of a session that goes back and aside. Nothing is deleted: a pointer moves.

    All may raise StoreError: while a turn runs, for a message that is not there, or from the disk.
    """

    # What was read when it was opened, for the first replay.
    _loaded: list[Event] | None = None

    async def branch_points(self) -> list[BranchPoint]:
        """For each turn on the path where it stands among its alternatives, in order."""
        tree, events = await self._tree()
        ids = [event.turn_id for event in events if isinstance(event, TurnStarted)]
        points = []
        turns = tree.turns()
        for turn, id_, others in zip(turns, ids, tree.alternatives(), strict=False):
            number = [other.seq for other in others].index(turn.seq) + 1
            points.append(BranchPoint(id_, number, len(others)))
        return points

    async def go_back(self, message_id: str, *, summary: bool = False) -> None:
        """Goes back to before the message; what is sent next begins a branch beside it.

        With `summary`, and if the person switched that on, the new branch is told in short what
        was done on the one that is left.
        """
        tree, events = await self._tree()
        turn = _turn_of(tree, events, message_id)
        state = self._state
        told: Sequence[Event] = ()
        if summary and state.parts.branch_summary():
            told = await summary_of_left(state, message_id)
        await self._move(turn.parent, events)
        for event in told:
            state.take(event)
        await state.recorder.durable()

    async def switch_branch(self, message_id: str, step: int) -> None:
        """Goes to the branch `step` places beside the one that begins with the message."""
        tree, events = await self._tree()
        turn = _turn_of(tree, events, message_id)
        others = tree.siblings(turn)
        place = [other.seq for other in others].index(turn.seq) + step
        if not 0 <= place < len(others):
            raise StoreError("There is no further branch here.", hint="Go the other way.")
        await self._move(tree.newest_leaf(others[place]), events)

    async def _tree(self) -> tuple[EventTree, list[Event]]:
        from kinet.store.branches import EventTree

        if self.is_running:
            raise StoreError(
                "A turn is running; the conversation cannot go back now.", hint="Stop it first."
            )
        state = self._state
        await state.recorder.durable()
        store = state.parts.store
        tree = await asyncio.to_thread(EventTree.read, store.database, state.id)
        events = await asyncio.to_thread(store.load, state.id)
        return tree, events

    async def _move(self, leaf: int, before: Sequence[Event]) -> None:
        state = self._state
        store = state.parts.store
        await asyncio.wrap_future(store.move_leaf(state.id, leaf))
        events = await asyncio.to_thread(store.load, state.id)
        self._loaded = None
        left, state.conversation = state.conversation, replay(events)
        state.conversation.keep_spending(left.usage, left.cost, left.cost_known)
        state.calls.clear()
        state.recorder.begin_from(len(events))
        self._choose_as_in(events, before)
        await asyncio.to_thread(state.move_skills, before, events)
        state.save_notes()

    def _choose_as_in(self, events: Sequence[Event], before: Sequence[Event]) -> None:
        """What is chosen becomes what the path says: a change that is not on it is undone."""
        state = self._state
        chosen = next((item for item in reversed(events) if isinstance(item, ModelChosen)), None)
        first = next((item for item in before if isinstance(item, ModelChosen)), None)
        if chosen is not None:
            profile, effort, preset = chosen.profile, chosen.effort, chosen.preset
        elif first is not None:
            profile, effort, preset = first.was_profile, first.was_effort, first.was_preset
        else:
            return
        state.effort, state.preset = effort, preset  # type: ignore[assignment]
        if profile != state.profile:
            state.profile = profile
            state.parts.store.set_profile(self.id, profile)


def _turn_of(tree: EventTree, events: Sequence[Event], message_id: str) -> Entry:
    ids = [event.turn_id for event in events if isinstance(event, TurnStarted)]
    turns = tree.turns()
    # Rows that cannot be read would shift the count; going nowhere is better than somewhere else.
    if message_id and message_id in ids and len(turns) == len(ids):
        return turns[ids.index(message_id)]
    raise StoreError("This message is not in the conversation.", hint="Choose one that is shown.")
