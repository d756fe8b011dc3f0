"""Undo for everything: before a call the state of what it may touch, after it what it changed."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import threading
from collections.abc import Collection, Iterator
from pathlib import Path

from kinet.core.data_folder import why_unusable
from kinet.core.errors import StoreError
from kinet.engine.base import CallChanges, JournalCall
from kinet.paths import ensure_private_dir
from kinet.policy.commands import judge_command
from kinet.policy.paths import resolve
from kinet.policy.visible import visible_line
from kinet.workspace.change_text import text_of_changes
from kinet.workspace.content_store import ContentStore
from kinet.workspace.folder_scan import ScanLimits
from kinet.workspace.journal_book import FolderBook, Ticket, contents
from kinet.workspace.journal_log import JournalLog

_log = logging.getLogger(__name__)

FOLDER_NAME = "journal"
LIMIT_BYTES = 1024 * 1024 * 1024
_NAMED = frozenset({"edit_file", "write_file", "delete_file"})
_SHOWN_PATHS = 2_000


class Journal:
    """One per data folder. It is an engine's FileJournal; sessions undo with it.

    Limits: contents of all folders together `limit_bytes`, the oldest go first; of one folder
    100,000 places, 512 MB, files of 20 MB. A change beyond is noted and cannot be taken back.
    """

    def __init__(
        self, home: Path, *, limit_bytes: int = LIMIT_BYTES, limits: ScanLimits | None = None
    ) -> None:
        self.folder = home / FOLDER_NAME
        self.store = ContentStore(self.folder / "contents")
        self._home = home
        self._limit = limit_bytes
        self._limits = limits or ScanLimits()
        self._guard = threading.Lock()
        self._books: dict[str, FolderBook] = {}
        self._told: set[str] = set()
        self._forgetting = threading.Lock()

    def make_room(self, limit: int) -> None:
        """Removes contents until `limit` bytes are left, the least worthy first. Blocks."""
        self.store.make_room(limit, self._wanted())

    def forget(self, session_ids: Collection[str]) -> None:
        """Removes what these sessions changed from the journal, and contents only they needed.

        Their changes can no longer be taken back. Blocks; StoreError if a log cannot be written.
        """
        with self._forgetting:
            self.store.begin_removal()
            try:
                unneeded = self._forget(session_ids)
            except OSError as exc:
                raise StoreError(
                    f"The journal of file changes cannot be written: {exc.strerror or exc}.",
                    hint="The deleted sessions stay in the trash; look at the data folder's rights "
                    "and free space.",
                ) from exc
            self.store.remove(unneeded)

    async def before(self, call: JournalCall) -> object:
        """A ticket for `after`, None for a call that changes nothing. Never raises."""
        return await asyncio.to_thread(self._before, call)

    async def after(self, ticket: object) -> CallChanges:
        """What the call changed, noted so that it can be taken back. Never raises."""
        if not isinstance(ticket, tuple):
            return CallChanges()
        return await asyncio.to_thread(self._after, *ticket)

    async def go_on(self, ticket: object) -> object:
        """A ticket for what goes on of a call from here; None where nothing is noted."""
        if not isinstance(ticket, tuple):
            return None
        book, before = ticket
        return book, await asyncio.to_thread(book.go_on, before)

    def book(self, folder: Path) -> FolderBook:
        """The book of a folder. StoreError if it cannot be read."""
        real = os.path.realpath(folder)
        with self._guard:
            book = self._books.get(real)
            if book is None:
                try:
                    ensure_private_dir(self.folder)
                    book = FolderBook(
                        self.folder, real, self.store, self._limits, os.path.realpath(self._home)
                    )
                except OSError as exc:
                    why, hint = why_unusable(self.folder, exc)
                    raise StoreError(
                        f"The journal of file changes in {self.folder} cannot be used: {why}.",
                        hint=hint,
                    ) from exc
                self._books[real] = book
        return book

    def _before(self, call: JournalCall) -> tuple[FolderBook, Ticket] | None:
        ticket = Ticket(call.session_id, call.turn_id, call.call_id, call.tool)
        try:
            book = self.book(call.folder)
            if call.tool in _NAMED:
                place = resolve(str(call.arguments.get("path", "")), call.folder)
                book.before_edit(ticket, place)
            elif self._only_reads(call):
                return None
            else:
                book.before_command(ticket)
        except StoreError as exc:
            _log.warning("no journal for %s: %s", call.tool, exc.message)
            return None
        except ValueError:
            # A path that is none: the tool says so itself.
            return None
        except OSError as exc:
            ticket.problem = f"The state of the folder cannot be kept ({exc.strerror or exc})"
        return book, ticket

    def _after(self, book: FolderBook, ticket: Ticket) -> CallChanges:
        try:
            changes = book.after(ticket)
        except OSError as exc:
            return CallChanges(
                problem=self._once(f"The change could not be noted ({exc.strerror or exc})", book)
            )
        try:
            self._make_room()
        except OSError as exc:
            # What the call changed is noted all the same.
            _log.warning("no room could be made in the journal: %s", exc)
        shown = text_of_changes(changes, book.root, self.store)
        files = [change for change in changes if not change.is_folder] or changes
        paths = tuple(visible_line(change.path) for change in files[:_SHOWN_PATHS])
        problem = self._once(ticket.problem, book) if ticket.problem else ""
        return CallChanges(paths, shown.added, shown.removed, shown.text, problem)

    def _only_reads(self, call: JournalCall) -> bool:
        command = call.arguments.get("command")
        if call.tool != "shell" or not isinstance(command, str):
            return False
        judged = judge_command(command, call.folder, data_dir=self._home)
        return judged.verdict == "allow"

    def _forget(self, session_ids: Collection[str]) -> set[str]:
        """Removes the entries; the contents that nothing speaks of any more. OSError."""
        marks = [json.dumps(session_id).encode("ascii") for session_id in session_ids]
        if not any(_mentions(path, marks) for path in self.folder.glob("*.jsonl")):
            return set()
        gone: set[str] = set()
        wanted: set[str] = set()
        with self._guard:
            # No folder is opened meanwhile: what is closed now can be written.
            books = list(self._books.values())
            for log in self._closed_logs(books):
                gone.update(contents(iter(log.forget(session_ids))))
                wanted.update(contents(iter(log.entries)))
        for book in books:
            entries, kept = book.forget(session_ids)
            gone.update(contents(iter(entries)))
            wanted |= kept
        return gone - wanted

    def _once(self, problem: str, book: FolderBook) -> str:
        """The problem as a sentence, the first time it is met in a folder; else ""."""
        sentence = f"{problem}; what commands change in this folder cannot be undone."
        key = f"{book.root}\0{problem[:40]}"
        if key in self._told:
            return ""
        self._told.add(key)
        return sentence

    def _make_room(self) -> None:
        if self.store.total > self._limit:
            self.store.make_room(self._limit * 9 // 10, self._wanted())

    def _wanted(self) -> Iterator[str]:
        with self._guard:
            books = list(self._books.values())
        for book in books:
            yield from book.wanted()
        for log in self._closed_logs(books):
            yield from contents(reversed(log.entries))

    def _closed_logs(self, books: Collection[FolderBook]) -> Iterator[JournalLog]:
        """The logs of all other folders, the newest first."""
        open_logs = {book.log.path for book in books}
        closed = [path for path in self.folder.glob("*.jsonl") if path not in open_logs]
        closed.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for path in closed:
            yield JournalLog(self.folder, "", path)


def _mentions(path: Path, marks: Collection[bytes]) -> bool:
    data = path.read_bytes()
    return any(mark in data for mark in marks)
