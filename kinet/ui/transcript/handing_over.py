"""Hands over what is read in one transcript to another that holds the same conversation."""

from __future__ import annotations

from kinet.ui.transcript.entries.entry import Entry
from kinet.ui.transcript.view import Transcript


def hand_over(old: Transcript, new: Transcript) -> None:
    """The place and what is selected. `old` may hold the end of the conversation alone."""
    theirs, mine = old.stage.flow, new.stage.flow
    anchor = old.stage.eye.now(old.stage.height)
    if anchor is None and old.selection.is_empty:
        return
    new.stage.filler.reach(len(theirs.entries))
    more = len(mine.entries) - len(theirs.entries)
    if more < 0 or not _alike(mine.entries[-1:], theirs.entries[-1:]):
        return
    new.selection.take(old.selection, more)
    place = theirs.place_of(anchor[0]) if anchor is not None else -1
    if anchor is not None and place >= 0:
        new.stage.follower.hold()
        new.stage.eye.held = (mine.entries[place + more], *anchor[1:])
        new.stage.refresh()


def _alike(some: list[Entry], others: list[Entry]) -> bool:
    """True if they say the same."""
    return [(e.kind, e.markdown()) for e in some] == [(e.kind, e.markdown()) for e in others]
