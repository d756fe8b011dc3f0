"""Sessions that nobody looks at and that do nothing: what they said goes, what they know stays."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kinet.core.conversation import Conversation
from kinet.session.state import SessionState

if TYPE_CHECKING:
    from kinet.session.saved import SavedSession
    from kinet.session.session import Session


class Resting:
    """Takes sessions out of those that are open, and gives them what they knew when they return.

    A window may show hundreds of sessions a day; their messages are on the disk. What is nowhere
    else stays: the approval mode, what was allowed for the session, the queue and whether it is
    paused, the memory and skills it began with.
    """

    def __init__(self, opened: MutableMapping[str, Session]) -> None:
        """`opened` are the open sessions, by id."""
        self._open = opened
        # Nobody looks at them; they rest as soon as they do nothing.
        self._left: set[str] = set()
        self._rested: dict[str, SessionState] = {}

    def leave(self, session_id: str) -> list[list[Any]]:
        """Nobody looks at this session any more: it rests now, or when another one is left later.

        What comes back are lists that nobody uses any more, perhaps very long ones: to be let go
        of bit by bit.
        """
        if session_id in self._open:
            self._left.add(session_id)
        return [gone for id_ in list(self._left) for gone in self._rest(id_)]

    def stay(self, session_id: str) -> None:
        """Somebody looks at it again."""
        self._left.discard(session_id)

    def wake(self, saved: SavedSession) -> SessionState | None:
        """What a session that rested is opened with; None for any other.

        One on which somebody else worked meanwhile is opened like any other, and has then
        `take_over` what was chosen for it here.
        """
        rested = self._rested.get(saved.row.id)
        if rested is None or rested.recorder.count != len(saved.events):
            return None
        del self._rested[saved.row.id]
        rested.conversation = saved.conversation
        return rested

    def take_over(self, state: SessionState) -> None:
        """Gives a session that is opened anew what was chosen for it here and is not stored."""
        rested = self._rested.pop(state.id, None)
        if rested is not None:
            state.mode, state.unsandboxed = rested.mode, rested.unsandboxed
            state.remembered = rested.remembered

    def forget(self, session_ids: Iterable[str]) -> None:
        """These sessions are gone."""
        for id_ in session_ids:
            self._left.discard(id_)
            self._rested.pop(id_, None)

    def rename(self, session_id: str, title: str) -> None:
        """A person named it while it rested."""
        rested = self._rested.get(session_id)
        if rested is not None:
            rested.title, rested.titled_by = title, "person"

    def states(self) -> list[SessionState]:
        """What is known to all that rest."""
        return list(self._rested.values())

    def _rest(self, session_id: str) -> list[list[Any]]:
        session = self._open.get(session_id)
        state = session.rest() if session is not None else None
        if session is None or state is not None:
            self._left.discard(session_id)
        if state is None:
            return []
        del self._open[session_id]
        gone = state.conversation.messages
        # Whoever still holds the session keeps its figures.
        self._rested[session_id] = replace(state, conversation=Conversation())
        return [gone]
