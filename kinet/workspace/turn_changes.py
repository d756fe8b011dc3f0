"""What a turn changed in all, and what of it stands, worked out from the journal's entries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kinet.workspace.file_state import Change, FileState
from kinet.workspace.journal_log import GOING_ON, Entry


@dataclass(frozen=True, slots=True)
class NetChange:
    """What a turn made of one place.

    `mixed` says that somebody else changed it between two calls of the turn, `meanwhile` that it
    was changed while something of a call went on: nobody knows by whom. `last` is the number of the
    last entry about it. `taken_back` is the undo that stands: from what, to what. Where hunks were
    taken back, `change` is what is left of it, and `whole` what the turn had made.
    """

    change: Change
    last: int
    mixed: bool = False
    taken_back: Change | None = None
    meanwhile: bool = False
    whole: FileState | None = None

    @property
    def path(self) -> str:
        """Relative to the folder."""
        return self.change.path


def net_changes(entries: Sequence[Entry]) -> list[NetChange]:
    """The changes of one turn, by path, from its entries in order; what came to nothing is out."""
    found: dict[str, NetChange] = {}
    for entry in entries:
        for change in entry.changes:
            known = found.get(change.path)
            if entry.act == "undo":
                if known is not None and change.path in entry.left:
                    left = entry.left[change.path]
                    found[change.path] = _left(known, entry.number, left)
                elif known is not None:
                    found[change.path] = _with(known, entry.number, change)
            elif entry.act == "redo":
                if known is not None:
                    found[change.path] = _again(known, entry.number)
            else:
                joined = _joined(known, change, entry.number)
                meanwhile = entry.tool == GOING_ON or (known is not None and known.meanwhile)
                found[change.path] = replace(joined, meanwhile=meanwhile)
    return [
        found[path]
        for path in sorted(found)
        if found[path].change.before != found[path].change.after
    ]


def foreign_changes(entries: Sequence[Entry], session_id: str, after: int) -> dict[str, Entry]:
    """The newest standing change that another session made after entry `after`, by path."""
    found: dict[str, Entry] = {}
    for entry in entries:
        if entry.number <= after or entry.session_id == session_id:
            continue
        for change in entry.changes:
            if change.path in entry.left:
                # The rest of it stands.
                continue
            if entry.act == "undo":
                found.pop(change.path, None)
            else:
                found[change.path] = entry
    return found


def _joined(known: NetChange | None, change: Change, number: int) -> NetChange:
    if known is None or known.taken_back is not None:
        return NetChange(change, number)
    mixed = known.mixed or known.change.after != change.before
    return NetChange(Change(change.path, known.change.before, change.after), number, mixed)


def _with(known: NetChange, number: int, taken_back: Change | None) -> NetChange:
    return replace(known, last=number, taken_back=taken_back)


def _left(known: NetChange, number: int, left: FileState) -> NetChange:
    change = Change(known.path, known.change.before, left)
    whole = known.whole or known.change.after
    return replace(known, change=change, last=number, taken_back=None, whole=whole)


def _again(known: NetChange, number: int) -> NetChange:
    """First what was taken back as a whole is there again, then its hunks."""
    if known.taken_back is not None or known.whole is None:
        return _with(known, number, None)
    change = Change(known.path, known.change.before, known.whole)
    return replace(known, change=change, last=number, whole=None)


def letter_of(before: FileState | None, after: FileState | None) -> str:
    """A added, D deleted, M changed."""
    if before is None:
        return "A"
    return "D" if after is None else "M"
