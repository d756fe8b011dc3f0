"""The journal of one folder: its log, what it held when it was last looked over, and a lock."""

from __future__ import annotations

import contextlib
import os
import threading
import time
import weakref
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kinet.workspace.content_store import ContentStore
from kinet.workspace.file_state import Change, FileState
from kinet.workspace.folder_scan import (
    FolderScan,
    Look,
    ScanLimits,
    changes_between,
    read_state,
)
from kinet.workspace.journal_log import GOING_ON, Entry, JournalLog

# A file that is named by a call is kept even if a look over the folder would not keep it.
LARGEST_NAMED = 64 * 1024 * 1024
# A look is shared for so long at most, and by so many calls in a row.
_FRESH_SECONDS = 0.25
_MOST_SHARED = 8


@dataclass(slots=True, weakref_slot=True, eq=False)
class Ticket:
    """What was known before a call. `named` are single places, `look` the whole folder."""

    session_id: str
    turn_id: str
    call_id: str
    tool: str
    number: int = 0
    named: Mapping[str, FileState | None] = field(default_factory=dict)
    look: Look | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _Seen:
    """A look that ended `at`, took so many `seconds`, and left the log at this `number`."""

    at: float
    seconds: float
    number: int = 0


class FolderBook:
    """One per real folder, shared by all its sessions. Methods block: call them in a thread."""

    def __init__(
        self, home: Path, folder: str, store: ContentStore, limits: ScanLimits, skip: str = ""
    ) -> None:
        self.root = Path(folder)
        self.store = store
        self.lock = threading.RLock()
        self.log = JournalLog(home, folder)
        self._limits, self._skip = limits, skip
        self._known: Look | None = None
        # Of calls that are under way; one that never came back is forgotten with its call.
        self._tickets: weakref.WeakSet[Ticket] = weakref.WeakSet()
        self._tickets_guard = threading.Lock()
        # The last look after a call, and how often such a one was shared in a row.
        self._seen: _Seen | None = None
        self._shared = 0
        # A folder that is too large is not looked over again and again in vain.
        self._too_large = ""

    @property
    def number(self) -> int:
        """Of the newest entry."""
        return self.log.number

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """Nobody else is at work in this folder, and what is kept meanwhile stays."""
        with self.lock, self.store.holding():
            yield

    def before_command(self, ticket: Ticket) -> None:
        """Looks the folder over and keeps what it holds. OSError if that cannot be kept."""
        with self.at_work():
            ticket.number = self.number
            if self._too_large:
                ticket.problem = self._too_large
                return
            look = self._fresh() or self._look(same_rules=False)
            if look.problem:
                ticket.problem = look.problem
                self._too_large = look.problem if look.too_large else ""
                # What was read need not be read again: the next look comes further.
                self._known = look
                return
            self._known = ticket.look = look
            self._under_way(ticket)

    def before_edit(self, ticket: Ticket, place: Path) -> None:
        """Keeps what lies at `place`, and which folders above it are missing. OSError as above."""
        with self.at_work():
            ticket.number = self.number
            named: dict[str, FileState | None] = {}
            for above in _missing_above(place):
                named[self.name_of(above)] = None
            named[self.name_of(place)] = self.state(self.name_of(place))
            ticket.named = named
            self._under_way(ticket)

    def after(self, ticket: Ticket) -> Sequence[Change]:
        """What the call changed; it is in the log when this returns. OSError if it cannot be."""
        with self.at_work():
            changes: list[Change] = []
            seen: _Seen | None = None
            if (before := ticket.look) is not None:
                began = time.monotonic()
                look = self._look(same_rules=True, known=before)
                ticket.problem = look.problem
                if not look.problem:
                    self._known = look
                    seen = _Seen(time.monotonic(), time.monotonic() - began)
                    changes = changes_between(before, look)
            for path, was in ticket.named.items():
                after = self.state(path)
                if after != was:
                    changes.append(Change(path, was, after))
            changes = self._own(changes, ticket)
            if changes:
                self.log.add(
                    "call", ticket.session_id, ticket.turn_id, changes,
                    call_id=ticket.call_id, tool=ticket.tool,
                )  # fmt: skip
            if seen is not None:
                # What goes on of the call is told from here.
                ticket.look, ticket.number = self._known, self.number
                self._seen = replace(seen, number=self.number)
            self._under_way(ticket, False)
            return changes

    def go_on(self, ticket: Ticket) -> Ticket:
        """For what goes on of a call, from where `after` has looked."""
        with self.lock:
            further = Ticket(
                ticket.session_id,
                ticket.turn_id,
                ticket.call_id,
                GOING_ON,
                ticket.number,
                look=ticket.look,
            )
            self._under_way(further)
            return further

    def state(self, path: str) -> FileState | None:
        """What a place holds now; its bytes are kept. OSError if they cannot be."""
        return read_state(os.path.join(self.root, path), self.store, LARGEST_NAMED, durable=True)[1]

    def name_of(self, place: Path) -> str:
        """A real path as the journal names it."""
        inside = self.root in place.parents
        return place.relative_to(self.root).as_posix() if inside else str(place)

    def wanted(self) -> Iterator[str]:
        """The contents that are worth keeping, the most worthy first."""
        with self._tickets_guard:
            tickets = list(self._tickets)
        for ticket in tickets:
            looked = ticket.look.states if ticket.look is not None else {}
            for state in (*ticket.named.values(), *looked.values()):
                if state is not None:
                    yield state.content
        if self._known is not None:
            yield from (state.content for state in self._known.states.values())
        yield from contents(reversed(self.log.entries))

    def forget(self, session_ids: Collection[str]) -> tuple[list[Entry], set[str]]:
        """Removes the entries of these sessions: those, and the contents that are still wanted.

        Waits for a look that is under way. OSError if the log cannot be written.
        """
        with self.lock:
            return self.log.forget(session_ids), set(self.wanted())

    def _fresh(self) -> Look | None:
        """The look after the last call, if it is no older than one that began now would be.

        Calls that follow each other at once share it. Each adds to the rules of those before it.
        """
        seen, self._seen = self._seen, None
        if seen is None or seen.number != self.number or self._shared >= _MOST_SHARED:
            self._shared = 0
            return None
        if time.monotonic() - seen.at > min(seen.seconds, _FRESH_SECONDS):
            self._shared = 0
            return None
        self._shared += 1
        return self._known

    def _under_way(self, ticket: Ticket, begins: bool = True) -> None:
        with self._tickets_guard:
            (self._tickets.add if begins else self._tickets.discard)(ticket)

    def _look(self, *, same_rules: bool, known: Look | None = None) -> Look:
        scan = FolderScan(
            str(self.root),
            self.store,
            known=known or self._known,
            same_rules=same_rules,
            skip=self._skip,
            limits=self._limits,
        )
        return scan.run()

    def _own(self, changes: list[Change], ticket: Ticket) -> list[Change]:
        """Without what another call, of this or another session, has noted meanwhile as its own."""
        theirs = {
            change.path: change.after
            for entry in self.log.entries
            if entry.number > ticket.number
            for change in entry.changes
        }
        return [
            change
            for change in changes
            if change.path not in theirs or theirs[change.path] != change.after
        ]


def contents(entries: Iterator[Entry]) -> Iterator[str]:
    """The hashes that entries speak of, in their order."""
    for entry in entries:
        states = [state for change in entry.changes for state in (change.before, change.after)]
        for state in (*states, *entry.left.values()):
            if state is not None and state.kind == "file" and state.content:
                yield state.content


def _missing_above(place: Path) -> list[Path]:
    missing: list[Path] = []
    for above in place.parents:
        if os.path.lexists(above):
            break
        missing.append(above)
    return missing[::-1]
