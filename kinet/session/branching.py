"""A session as a tree: going back to an earlier message, and from one branch to another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kinet.core.conversation import Conversation, replay
from kinet.core.errors import StoreError
from kinet.core.events import Event, ModelChosen, TurnStarted
from kinet.core.wanted import IsWanted, always
from kinet.session.choices import Choice
from kinet.session.context_report import summary_of_left
from kinet.session.queueing import QueueingSession

if TYPE_CHECKING:
    from kinet.session.state import SessionState
    from kinet.store.branches import EventTree


# Seconds.
_LONGEST_CLEANING = 5.0


@dataclass(frozen=True, slots=True)
class BranchPoint:
    """A message of the person and what was sent in its place: this is `number` of `count`."""

    message_id: str
    number: int
    count: int


class BranchingSession(QueueingSession):
    """The part of a session that goes back and aside. Nothing is deleted: a pointer moves.

    All may raise StoreError: while a turn runs or the conversation goes back already, for a message
    that is not there, or from the disk. What is sent meanwhile waits; what is chosen meanwhile
    holds afterwards.
    """

    # What was read when it was opened, for the first replay.
    _loaded: list[Event] | None = None

    def __init__(self, state: SessionState) -> None:
        super().__init__(state)
        # Neither a turn runs nor does the conversation go back.
        self._idle = asyncio.Event()
        self._idle.set()
        # The question for a summary of the branch that is left, while it is asked.
        self._telling: asyncio.Task[Sequence[Event]] | None = None

    async def prepare(
        self, digest: Callable[[list[Event]], Any], is_wanted: IsWanted = always
    ) -> Any:
        """Reads in a thread what `events` gives next: of a long session that takes seconds.

        What comes back is what `digest` makes of it, also in that thread. May raise StoreError,
        also soon after it is not wanted any more.
        """
        recorder, store = self._state.recorder, self._state.parts.store

        def read() -> tuple[list[Event], Any]:
            events = store.load(self.id, is_wanted)
            return events, digest(events)

        while True:
            taken = recorder.count, len(recorder.waiting())
            events, made = await asyncio.to_thread(read)
            if taken == (recorder.count, len(recorder.waiting())):
                self._loaded = events
                return made

    async def branch_points(self) -> list[BranchPoint]:
        """For each turn on the path where it stands among its alternatives, in order."""
        from kinet.store.turn_places import turn_places

        await self._still()
        self._refuse_running()
        state = self._state
        await state.recorder.durable()
        database = state.parts.store.database

        def read() -> list[BranchPoint]:
            return [BranchPoint(*place) for place in turn_places(database, state.id)]

        return await asyncio.to_thread(read)

    async def go_back(self, message_id: str, *, summary: bool = False) -> None:
        """Goes back to before the message; what is sent next begins a branch beside it.

        With `summary`, and if the person switched that on, the new branch is told in short what
        was done on the one that is left.
        """
        async with self._going() as chosen:
            tree, events = await self._tree()
            turn = turn_of(tree, events, message_id)
            state = self._state
            told: Sequence[Event] = ()
            if summary and state.parts.branch_summary():
                told = await self._summary_of_left(message_id)
            await self._move(tree.parent(turn), events, chosen)
            for event in told:
                state.take(event)
                self._loaded = None
            await state.recorder.durable()

    async def switch_branch(self, message_id: str, step: int) -> None:
        """Goes to the branch `step` places beside the one that begins with the message."""
        async with self._going() as chosen:
            tree, events = await self._tree()
            turn = turn_of(tree, events, message_id)
            others = tree.siblings(turn)
            place = others.index(turn) + step
            if not 0 <= place < len(others):
                raise StoreError("There is no further branch here.", hint="Go the other way.")
            await self._move(tree.newest_leaf(others[place]), events, chosen)

    async def _cleaned_up(self) -> None:
        """Returns when nothing of ended turns cleans up any more."""
        raise NotImplementedError

    async def _still(self) -> None:
        """Returns when the conversation does not go back; a turn may run."""
        while not (self.is_running or self._idle.is_set()):
            await self._idle.wait()

    def _stop_telling(self) -> None:
        """Goes back without the summary that is being asked for."""
        if self._telling is not None:
            self._telling.cancel()

    async def _summary_of_left(self, message_id: str) -> Sequence[Event]:
        self._telling = asyncio.create_task(summary_of_left(self._state, message_id))
        try:
            await asyncio.wait({self._telling})
            return () if self._telling.cancelled() else self._telling.result()
        finally:
            self._telling.cancel()
            self._telling = None

    @asynccontextmanager
    async def _going(self) -> AsyncGenerator[Choice, None]:
        """While it goes back nothing else does, and no turn begins. Gives what is chosen now."""
        self._check_open()
        self._refuse_running()
        if not self._idle.is_set():
            raise StoreError(
                "The conversation goes back already.", hint="Choose again when it has."
            )
        self._idle.clear()
        try:
            yield self._chosen()
        finally:
            self._idle.set()

    def _refuse_running(self) -> None:
        if self.is_running:
            raise StoreError(
                "A turn is running; the conversation cannot go back now.", hint="Stop it first."
            )

    async def _tree(self) -> tuple[EventTree, list[Event]]:
        from kinet.store.branches import EventTree

        state = self._state
        # What a stopped turn changed is told on its own path.
        with suppress(TimeoutError):
            async with asyncio.timeout(_LONGEST_CLEANING):
                await self._cleaned_up()
        await state.recorder.durable()
        store = state.parts.store
        tree = await asyncio.to_thread(EventTree.read, store.database, state.id)
        events = await asyncio.to_thread(store.load, state.id)
        return tree, events

    async def _move(self, leaf: int, before: Sequence[Event], chosen: Choice) -> None:
        state = self._state
        store = state.parts.store
        await asyncio.wrap_future(store.move_leaf(state.id, leaf))
        events, conversation = await self._whole_path()
        self._loaded = events
        left, state.conversation = state.conversation, conversation
        state.conversation.keep_spending(left.usage, left.cost, left.cost_known)
        state.calls.clear()
        state.recorder.begin_from(len(events))
        now = self._chosen()
        self._choose_as_in(events, before)
        if now != chosen:
            # The person chose this while it went back: it is for what comes.
            self._choose(*now)
        await asyncio.to_thread(state.move_skills, before, events)
        state.save_notes()

    async def _whole_path(self) -> tuple[list[Event], Conversation]:
        """The events of the path, with all that was taken while they were read, and what they make.

        Both in a thread: a very long one takes seconds.
        """
        recorder, store = self._state.recorder, self._state.parts.store

        def read() -> tuple[list[Event], Conversation]:
            events = store.load(self.id)
            return events, replay(events)

        while True:
            await recorder.durable()
            taken = recorder.count
            found = await asyncio.to_thread(read)
            if recorder.count == taken:
                return found

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


def turn_of(tree: EventTree, events: Sequence[Event], message_id: str) -> int:
    """Where the turn of a message begins; StoreError if it is not on the path."""
    ids = [event.turn_id for event in events if isinstance(event, TurnStarted)]
    turns = tree.turns()
    # Rows that cannot be read would shift the count; going nowhere is better than somewhere else.
    if message_id and message_id in ids and len(turns) == len(ids):
        return turns[ids.index(message_id)]
    raise StoreError("This message is not in the conversation.", hint="Choose one that is shown.")
