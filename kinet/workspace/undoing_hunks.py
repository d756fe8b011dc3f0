"""Takes back some hunks of what a turn made of a file; the others stay."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from kinet.core.errors import StoreError
from kinet.workspace.file_state import Change
from kinet.workspace.hunk_text import Hunks, hunks_of
from kinet.workspace.journal_log import PART
from kinet.workspace.restore import Move, Restoring
from kinet.workspace.three_way import merged
from kinet.workspace.turn_changes import NetChange, foreign_changes, net_changes
from kinet.workspace.undoing import Outcome, Undoing, in_words

_SINCE = "it was changed since"


class UndoingHunks:
    """For one session's turns in one folder. Methods block: call them in a thread."""

    def __init__(self, undoing: Undoing) -> None:
        self._undoing = undoing
        self._book, self._session_id = undoing.book, undoing.session_id

    def undo(self, turn_id: str, path: str, digest: str, numbers: Collection[int]) -> Outcome:
        """Takes these hunks back, of the diff with this digest; `failed` names those it cannot.

        A hunk is left alone where its lines were changed since. StoreError where the diff is
        another one by now, or another session has changed the file.
        """
        with in_words(self._book), self._book.at_work():
            net = self._net(turn_id, path)
            hunks = hunks_of(net.change, self._book.root, self._book.store)
            if hunks is None or hunks.digest != digest:
                raise StoreError(
                    f"The changes of {path} are others by now.", hint="Look at them again."
                )
            chosen = sorted(set(numbers) & set(range(1, hunks.count + 1)))
            if len(chosen) == hunks.count and self._book.state(path) == net.change.after:
                # All of it: then it is a whole undo, with the mode of the file too.
                plan = self._undoing.plan("undo", turn_id, [path])
                return self._undoing.carry_out(plan, {path: "restore"})
            return self._take_back(turn_id, net, hunks, chosen)

    def _take_back(
        self, turn_id: str, net: NetChange, hunks: Hunks, chosen: Collection[int]
    ) -> Outcome:
        store, path, after = self._book.store, net.path, net.change.after
        assert after is not None
        current = self._book.state(path)
        here = None if current is None or not current.content else store.get(current.content)
        if current is None or here is None:
            why = "it is not there any more" if current is None else "it cannot be read"
            return Outcome("undo", failed=tuple((_name(path, number), why) for number in chosen))
        made, possible, text = hunks.without(()), list(chosen), hunks.without(chosen)
        if current.content != after.content:
            possible = [n for n in chosen if merged(made, here, hunks.without([n])) is not None]
            joined = merged(made, here, hunks.without(possible)) if possible else here
            if joined is None:
                possible, joined = [], here
            text = joined
        refused = [(_name(path, number), _SINCE) for number in chosen if number not in possible]
        if not possible:
            return Outcome("undo", failed=tuple(refused))
        wanted = replace(current, size=len(text), content=store.put(text, durable=True))
        # What of the turn's own is left, whatever was changed by hand beside it.
        own = hunks.without(possible)
        left = replace(after, size=len(own), content=store.put(own, durable=True))
        restoring = Restoring(self._book.root, store, self._book.state)
        if not restoring.run([Move(path, current, wanted)]):
            return Outcome("undo", failed=tuple(restoring.failed.items()))
        change = Change(path, current, wanted)
        is_all = len(possible) == hunks.count
        with in_words(self._book, "The file is as you wanted it, but"):
            self._book.log.add(
                "undo",
                self._session_id,
                turn_id,
                [change],
                tool="" if is_all else PART,
                left=None if is_all else {path: left},
            )
        return Outcome("undo", (path,), failed=tuple(refused))

    def _net(self, turn_id: str, path: str) -> NetChange:
        entries = self._book.log.of_turn(self._session_id, turn_id)
        net = next((net for net in net_changes(entries) if net.path == path), None)
        if net is None or net.taken_back is not None:
            raise StoreError(f"There is nothing of {path} to be taken back in this turn.")
        theirs = foreign_changes(self._book.log.entries, self._session_id, net.last)
        if path in theirs:
            raise StoreError(
                f"Another session has changed {path} since; that would be lost.",
                hint="Undo the other session's turn first.",
            )
        return net


def _name(path: str, number: int) -> str:
    return f"{path}, hunk {number}"
