"""What is saved of a session: read whole in a thread, or its newest part for the first screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinet.core.conversation import Conversation, replay
from kinet.core.errors import StoreError
from kinet.core.events import Event, ModelChosen, TurnStarted
from kinet.core.wanted import IsWanted, NotWantedError, always, empty, while_wanted
from kinet.session.raised_budgets import RaisedBudgets
from kinet.session.spending import count_all_branches

if TYPE_CHECKING:
    from kinet.store.sessions import SessionRow, SessionStore

# Messages. What has fewer is read whole before anybody could look at its end.
LONG = 2_000
# Rows of the end that are read first: several screens, in a few milliseconds.
_NEWEST = 300


@dataclass(frozen=True, slots=True)
class SavedSession:
    """What the store holds of a session; for `SessionManager.open`."""

    row: SessionRow
    events: list[Event]
    lost: int  # rows that could not be read
    conversation: Conversation
    # The newest choice of a model on the path, and what was raised of the budgets.
    chosen: ModelChosen | None
    budgets: RaisedBudgets


@dataclass(frozen=True, slots=True)
class SavedEnd:
    """The newest turns of a long session, to be looked at while all of it is read."""

    row: SessionRow
    events: list[Event]


def read_saved(store: SessionStore, session_id: str, is_wanted: IsWanted = always) -> SavedSession:
    """Reads all of a session. Blocks: for a thread. StoreError if there is no such session.

    StoreError soon after it is not wanted any more.
    """
    row = _row(store, session_id)
    events, lost = store.load_counting(session_id, is_wanted)
    try:
        conversation = replay(while_wanted(events, is_wanted))
    except NotWantedError:
        empty(events)
        raise
    count_all_branches(conversation, store.database, session_id)
    chosen = next((item for item in reversed(events) if isinstance(item, ModelChosen)), None)
    budgets = RaisedBudgets.kept(store.database, session_id, events)
    return SavedSession(row, events, lost, conversation, chosen, budgets)


def read_end(store: SessionStore, session_id: str) -> SavedEnd | None:
    """The end of a long session, from the beginning of a turn on; None for any other.

    Blocks for some milliseconds. StoreError if there is no such session.
    """
    row = _row(store, session_id)
    if row.message_count < LONG:
        return None
    events = store.load_newest(session_id, _NEWEST)
    begins = (place for place, event in enumerate(events) if isinstance(event, TurnStarted))
    return SavedEnd(row, events[next(begins, 0) :])


def _row(store: SessionStore, session_id: str) -> SessionRow:
    row = store.row(session_id)
    if row is None:
        raise StoreError(f"There is no session {session_id!r}.", hint="Choose one from the list.")
    return row
