"""What the turns of a session changed on disk: shown, taken back, made again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, TypeVar

from kinet.core.errors import StoreError
from kinet.session.state import SessionState

if TYPE_CHECKING:
    from kinet.workspace.undoing import Act, Answer, FileChange, Outcome, Plan, Undoing

T = TypeVar("T")


class Changes:
    """Undo and redo for one session. Each call may raise StoreError; turns go by their id.

    "" for a turn is the newest one that can be undone, or the one that was undone last.
    """

    def __init__(self, state: SessionState) -> None:
        self._state = state

    @property
    def possible(self) -> bool:
        """True if changes are noted at all: there is a folder and a journal."""
        return self._state.parts.journal is not None and self._state.folder is not None

    async def files(self, turn_id: str = "") -> list[FileChange]:
        """What a turn changed, file by file; empty where nothing is noted."""
        return await self._do(lambda undoing: undoing.files(turn_id or undoing.newest("undo")), [])

    async def turns(self) -> list[str]:
        """The turns that changed something, in order."""
        return await self._do(lambda undoing: undoing.turns(), [])

    async def standing(self) -> dict[str, bool]:
        """The same turns; True for those of which all is taken back."""
        return await self._do(lambda undoing: undoing.standing(), {})

    async def plan(
        self, act: Act = "undo", turn_id: str = "", paths: Collection[str] | None = None
    ) -> Plan:
        """What undo or redo would do. Changes nothing."""

        def planned(undoing: Undoing) -> Plan:
            turn = turn_id or undoing.newest(act)
            if not turn:
                words = "taken back" if act == "undo" else "done again"
                raise StoreError(f"There is nothing to be {words} in this session.")
            return undoing.plan(act, turn, paths)

        return await self._do(planned, None)

    async def undo(
        self,
        turn_id: str = "",
        paths: Collection[str] | None = None,
        answers: Mapping[str, Answer] | None = None,
    ) -> Outcome:
        """Takes a turn's file changes back, of all files or of `paths`.

        Where somebody changed a file since, the outcome has questions and nothing was done; asked
        again with `answers` (keep, restore or merge for each path) it is. StoreError if another
        session's change would be lost.
        """
        return await self._act("undo", turn_id, paths, answers)

    async def undo_hunks(
        self, turn_id: str, path: str, diff: str, numbers: Collection[int]
    ) -> Outcome:
        """Takes back these hunks (numbers from 1) of a file's `diff` as it was shown.

        `failed` of the outcome names each that was changed since. StoreError if the diff is another
        one by now, or another session's change would be lost.
        """
        from kinet.workspace.hunk_text import digest_of
        from kinet.workspace.undoing_hunks import UndoingHunks

        def act(undoing: Undoing) -> Outcome:
            return UndoingHunks(undoing).undo(turn_id, path, digest_of(diff), numbers)

        return await self._do(act, None)

    async def redo(
        self,
        turn_id: str = "",
        paths: Collection[str] | None = None,
        answers: Mapping[str, Answer] | None = None,
    ) -> Outcome:
        """Makes changes again that were taken back; the same answers and errors."""
        return await self._act("redo", turn_id, paths, answers)

    async def diff(self, plan: Plan) -> str:
        """What a plan would change."""
        return await self._do(lambda undoing: undoing.diff(plan), "")

    async def _act(
        self,
        act: Act,
        turn_id: str,
        paths: Collection[str] | None,
        answers: Mapping[str, Answer] | None,
    ) -> Outcome:
        plan = await self.plan(act, turn_id, paths)
        return await self._do(lambda undoing: undoing.carry_out(plan, answers), None)

    async def _do(self, act: Callable[[Undoing], T], nothing: T | None) -> T:
        journal, folder = self._state.parts.journal, self._state.folder
        if journal is None or folder is None:
            if nothing is None:
                raise StoreError("This session has no folder whose changes are noted.")
            return nothing
        from kinet.workspace.undoing import Undoing

        return await asyncio.to_thread(lambda: act(Undoing(journal.book(folder), self._state.id)))
