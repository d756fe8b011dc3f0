"""All sessions of a data folder: opened, made, listed, named, deleted and brought back."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Collection, Mapping, MutableSequence, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from kinet.core.conversation import Conversation
from kinet.core.events import Event
from kinet.core.profile import Effort
from kinet.core.wanted import IsWanted, always
from kinet.session import leftovers, pasted, unsent
from kinet.session.day_guard import DayGuard
from kinet.session.known_files import KnownFiles
from kinet.session.parts import SessionParts
from kinet.session.recorder import Recorder
from kinet.session.recovery import after_a_crash
from kinet.session.resting import Resting
from kinet.session.saved import SavedEnd, SavedSession, read_end, read_saved
from kinet.session.session import Session
from kinet.session.state import SessionState
from kinet.session.waiting import Waiting
from kinet.session.whole_outputs import WholeOutputs

if TYPE_CHECKING:
    from kinet.memory.facts import Taken
    from kinet.store.drafts import DraftStore
    from kinet.store.search import SearchChoices, SearchHit
    from kinet.store.sessions import NewSession, SessionRow


class SessionManager:
    """One object per data folder. A session is open at most once. Calls may raise StoreError.

    A change has happened when its call returns: a list read afterwards shows it.
    """

    def __init__(self, parts: SessionParts) -> None:
        from kinet.store.drafts import DraftStore
        from kinet.store.notes import NoteStore
        from kinet.store.search import SearchIndex
        from kinet.store.trash import Trash

        self.parts = parts
        self._store = parts.store
        self._index = SearchIndex(parts.store.database, parts.store.fetch)
        self._drafts = DraftStore(parts.store.database)
        self._notes = NoteStore(parts.store.database)
        self._trash = Trash(parts.store)
        self._day_guard = DayGuard(parts.store.database, parts.day_limit)
        self._open: dict[str, Session] = {}
        # Those on which an editor or a command works, for whom they are open elsewhere.
        self.elsewhere: Collection[str] = frozenset()
        self.resting = Resting(self._open)

    def create(
        self, folder: Path | None = None, profile: str = "", title: str = "", id_: str = ""
    ) -> Session:
        """A new session; it is in the list from its first message on.

        `id_` is that of one that was made elsewhere and never stored.
        """
        from kinet.store.sessions import NewSession, new_id

        new = NewSession(id_ or new_id(), str(folder or ""), profile, title)
        state = self._state(new.id, Conversation(), 0, new)
        state.folder, state.profile, state.title = folder, profile, title
        self._open[state.id] = session = Session(state)
        return session

    def read(self, session_id: str, is_wanted: IsWanted = always) -> SavedSession:
        """What is saved of a session. Blocks: a long one is read in a thread.

        StoreError if there is no such session, and soon after it is not wanted any more.
        """
        return read_saved(self._store, session_id, is_wanted)

    def read_end(self, session_id: str) -> SavedEnd | None:
        """The newest turns of a long session, None for any other; takes some milliseconds.

        StoreError if there is no such session.
        """
        return read_end(self._store, session_id)

    def open(self, session_id: str, saved: SavedSession | None = None) -> Session:
        """The session of this id; a turn in which the program ended is brought to its end.

        `saved` is what `read` gave; where something was saved since, it is read again. StoreError
        if there is no such session.
        """
        if session_id in self._open:
            self.resting.stay(session_id)
            return self._open[session_id]
        if saved is None or saved.row != self._store.row(session_id):
            saved = self.read(session_id)
        events = saved.events
        state = self.resting.wake(saved)
        if state is None:
            state = self._state(session_id, saved.conversation, len(events), None)
            _give_back(state, saved, self._notes.load(session_id))
            self.resting.take_over(state)
        _recover(self._drafts, state, events)
        self._open[state.id] = session = Session(state, _unreadable(saved.lost), events)
        return session

    def is_open(self, session_id: str) -> bool:
        """True if the session was opened and not closed."""
        return session_id in self._open

    def list(self, limit: int = -1, offset: int = 0) -> Sequence[SessionRow]:
        """The sessions that hold something and are not in the trash, the newest first."""
        return self._store.list(limit, offset)

    def trash(self) -> Sequence[SessionRow]:
        """The deleted sessions, the newest first."""
        return self._trash.list()

    def newest(self, folder: Path | None = None) -> str:
        """The id of the newest session, of `folder` if given; "" if there is none."""
        wanted = str(folder) if folder is not None else None
        rows = self._store.list(1 if wanted is None else -1)
        return next((row.id for row in rows if wanted in (None, row.folder)), "")

    def search(
        self, text: str, limit: int = 50, *, best: bool = False, **narrowed: Any
    ) -> Sequence[SearchHit]:
        """What holds the words of `text`, the newest or the best first.

        `narrowed` are fields of store.search.SearchFilter. Blocks: use it in a thread.
        """
        from kinet.store.search import SearchFilter

        return self._index.find(text, limit=limit, best=best, within=SearchFilter(**narrowed))

    def search_choices(self) -> SearchChoices:
        """What a search can be narrowed to. Blocks: use it in a thread."""
        return self._index.choices()

    def rename(self, session_id: str, title: str) -> None:
        """Names a session; no other name replaces it any more."""
        name = " ".join(title.split())
        session = self._open.get(session_id)
        if session is not None:
            session.rename(name)
        else:
            self._store.rename(session_id, name).result()
            self.resting.rename(session_id, name)

    def delete(self, session_id: str) -> None:
        """Moves a session to the trash, where it stays for 30 days. A running turn is stopped."""
        session = self._open.pop(session_id, None)
        if session is not None:
            session.stop()
        self.resting.forget([session_id])
        self._trash.delete(session_id).result()

    def restore(self, session_id: str) -> None:
        """Brings a session back from the trash."""
        self._trash.restore(session_id).result()

    def purge(self, session_ids: Sequence[str] | None = None) -> Future[None]:
        """Removes sessions for good, with their outputs, what they noted of file changes, what was
        typed in them and not sent, and the facts that only they support.

        None: all that are in the trash. The future tells when it is done.
        """
        ids = self._trash.due(0) if session_ids is None else session_ids
        for id_ in ids:
            self._open.pop(id_, None)
        self.resting.forget(ids)
        # The sessions last, so that an end in between is made good by the next removal.
        self.parts.leaving(ids)
        if not ids:
            return self._trash.remove(ids)
        return _after_forgetting(self.parts, ids, self._trash.remove)

    def tidy(self) -> None:
        """Removes for good what is in the trash for too long, and what a crash left of sandboxes;
        makes the backup of the day.

        Returns at once; the work is done in the background. For the start of a window.
        """
        from kinet.store.queued import QueueStore

        if self._store.database.read_only:
            return
        if self.parts.data_dir is not None:
            leftovers.clear_stand_ins(self.parts.data_dir)
            pasted.forget_beside(self.parts.data_dir, QueueStore(self._store.database))
        self.purge(self._trash.due(self.parts.trash_days()))
        if self._store.count():
            self._store.database.start_daily_copy()

    def refresh_memory(self) -> None:
        """The person edited what is known: all sessions take it up with their next turn."""
        self._notes.forget("memory")
        for session in self._open.values():
            session.refresh_memory()
        for state in self.resting.states():
            state.memory.edited = True

    async def let_go(self, session_id: str) -> None:
        """Closes one session: its turn is stopped, all is stored, and it can be opened again."""
        session = self._open.get(session_id)
        if session is None:
            return
        try:
            await session.close()
        finally:
            self._open.pop(session_id, None)

    async def close(self) -> None:
        """Stops all turns; returns when everything is stored."""
        sessions = list(self._open.values())
        self._open.clear()
        results = await asyncio.gather(
            *(session.close() for session in sessions), return_exceptions=True
        )
        for result in results:
            if isinstance(result, BaseException):
                raise result

    def _state(
        self, session_id: str, conversation: Conversation, saved: int, new: NewSession | None
    ) -> SessionState:
        recorder = Recorder(self._store, session_id, saved, new)
        return SessionState(
            parts=self.parts,
            id=session_id,
            conversation=conversation,
            recorder=recorder,
            waiting=Waiting(self._store, session_id),
            files=KnownFiles(self._notes, session_id, is_new=new is not None),
            outputs=WholeOutputs(self._store, session_id, recorder, self.parts.data_dir),
            day_guard=self._day_guard,
            tell_others=lambda id_, taken: _tell_others(
                [*self._open.values()], self.resting.states(), id_, taken
            ),
            remembered=self.parts.remembered(session_id),
        )


def _give_back(state: SessionState, saved: SavedSession, notes: Mapping[str, Any]) -> None:
    """What is stored of a session beside its events."""
    row = saved.row
    state.folder = Path(row.folder) if row.folder else None
    state.profile, state.title, state.titled_by = row.profile, row.title, row.titled_by
    memory = notes.get("memory")
    state.memory.begun = memory if isinstance(memory, str) else None
    state.memory.since = str(notes.get("memory_since") or "")
    state.rules_digest = str(notes.get("rules", ""))
    state.active.take_note(notes.get("skills"))
    if saved.chosen is not None:
        state.effort = cast(Effort, saved.chosen.effort)
        state.preset = saved.chosen.preset
    state.budgets = saved.budgets


def _recover(drafts: DraftStore, state: SessionState, events: MutableSequence[Event]) -> None:
    """Ends an interrupted turn; what could be saved of that is added to `events`."""
    if not state.conversation.interrupted:
        return
    text, reasoning = drafts.load(state.id)
    ending = after_a_crash(state.conversation, events, text, reasoning)
    for event in ending:
        state.conversation.apply(event)
    state.recorder.save_now(ending)
    if not state.recorder.waiting():
        events.extend(ending)


def _tell_others(
    sessions: Sequence[Session],
    rested: Sequence[SessionState],
    noticed_in: str,
    taken: Sequence[Taken],
) -> None:
    """Facts of the person go to all other sessions of this start, those of a project to its own."""
    from kinet.memory.facts import real
    from kinet.memory.recall import line_of

    others = [(session.id, session.folder, session.note_facts) for session in sessions]
    others += [(state.id, state.folder, state.memory.note) for state in rested]
    for id_, folder, note in others:
        if id_ == noticed_in:
            # It was said there.
            continue
        place = real(folder) if folder else ""
        note([line_of(item.fact) for item in taken if item.fact.folder in ("", place)])


def _after_forgetting(
    parts: SessionParts, ids: Sequence[str], remove: Callable[[Sequence[str]], Future[None]]
) -> Future[None]:
    """Removes the sessions when what lies beside them is forgotten; in a thread, for it may have to
    wait for a look over a folder. If it cannot forget them they stay in the trash."""
    done: Future[None] = Future()
    done.set_running_or_notify_cancel()

    def work() -> None:
        try:
            if parts.data_dir is not None:
                unsent.forget(parts.data_dir, ids)
            if parts.journal is not None:
                parts.journal.forget(ids)
            remove(ids).result()
        except BaseException as exc:  # noqa: BLE001 - handed on to the one who asked, by the future
            done.set_exception(exc)
        else:
            done.set_result(None)

    threading.Thread(target=work, name="forget sessions", daemon=True).start()
    return done


def _unreadable(lost: int) -> Sequence[str]:
    if not lost:
        return ()
    what = "One entry" if lost == 1 else f"{lost} entries"
    return (f"{what} of this session could not be read and is left out.",)
