"""Takes a turn's file changes back, or makes them again: planned first, then carried out."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from kinet.core.data_folder import why_unusable
from kinet.core.errors import StoreError
from kinet.policy.visible import visible_line
from kinet.tools.files.diff import Diff
from kinet.workspace.change_text import diff_of
from kinet.workspace.file_state import Change, FileState
from kinet.workspace.hunk_text import hunks_of
from kinet.workspace.journal_book import FolderBook
from kinet.workspace.restore import Move, Restoring
from kinet.workspace.three_way import merged
from kinet.workspace.turn_changes import NetChange, foreign_changes, letter_of, net_changes

Act = Literal["undo", "redo"]
Answer = Literal["keep", "restore", "merge"]
# clean: as the turn left it · done: already as wanted · changed: somebody changed it since, so it
# is asked · foreign: another session changed it since · lost: what is wanted is not kept.
Standing = Literal["clean", "done", "changed", "foreign", "lost"]


@dataclass(frozen=True, slots=True)
class Item:
    """One place of a plan; `note` says what stands in the way, `answers` what is offered."""

    path: str
    current: FileState | None
    expected: FileState | None
    wanted: FileState | None
    standing: Standing = "clean"
    note: str = ""
    answers: tuple[Answer, ...] = ()

    @property
    def shown(self) -> str:
        """The path as a person reads it."""
        return visible_line(self.path)


@dataclass(frozen=True, slots=True)
class Plan:
    """What an undo or redo of a turn would do."""

    act: Act
    session_id: str
    turn_id: str
    items: tuple[Item, ...] = ()

    @property
    def questions(self) -> tuple[Item, ...]:
        """Those that need an answer."""
        return tuple(item for item in self.items if item.standing == "changed")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was done. `failed` says why a place is not as wanted; `questions` were not answered.

    With questions nothing at all was done.
    """

    act: Act
    done: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    questions: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a turn made of one file, for people.

    `hunks` are so many as can be taken back one by one, 0 for less than two; `partly` says that
    some were.
    """

    path: str
    shown: str
    letter: str
    added: int
    removed: int
    diff: str
    undone: bool
    hunks: int = 0
    partly: bool = False


class Undoing:
    """Undo and redo of one session's turns in one folder. Methods block: call them in a thread."""

    def __init__(self, book: FolderBook, session_id: str) -> None:
        self._book, self._session_id = book, session_id

    @property
    def book(self) -> FolderBook:
        """The journal of the folder."""
        return self._book

    @property
    def session_id(self) -> str:
        """Whose turns they are."""
        return self._session_id

    def turns(self) -> list[str]:
        """The turns that changed something, in order."""
        entries = self._book.log.entries
        found = [e.turn_id for e in entries if e.session_id == self._session_id]
        return list(dict.fromkeys(found))

    def standing(self) -> dict[str, bool]:
        """The turns that changed something; True for those of which all is taken back."""
        found = {turn: self._net(turn) for turn in self.turns()}
        return {
            turn: all(net.taken_back is not None for net in nets)
            for turn, nets in found.items()
            if nets
        }

    def newest(self, act: Act) -> str:
        """The newest turn that can be undone, or the one that was undone last; "" for none."""
        if act == "redo":
            entries = reversed(self._book.log.entries)
            mine = [e for e in entries if e.session_id == self._session_id and e.act == "undo"]
            turns = list(dict.fromkeys(entry.turn_id for entry in mine))
        else:
            turns = self.turns()[::-1]
        return next(
            (
                turn
                for turn in turns
                if any(_wished(act, net) is not None for net in self._net(turn))
            ),
            "",
        )

    def files(self, turn_id: str) -> list[FileChange]:
        """What the turn changed, file by file, with diffs."""
        return [self._file(net) for net in self._net(turn_id) if not net.change.is_folder]

    def plan(self, act: Act, turn_id: str, paths: Collection[str] | None = None) -> Plan:
        """What would be done, and what stands in the way. Changes nothing. StoreError if what
        lies there now cannot be kept."""
        with in_words(self._book), self._book.lock:
            nets = [net for net in self._net(turn_id) if paths is None or net.path in paths]
            foreign = foreign_changes(
                self._book.log.entries,
                self._session_id,
                min((net.last for net in nets), default=0),
            )
            items: list[Item] = []
            for net in nets:
                move = _wished(act, net)
                if move is not None:
                    entry = foreign.get(net.path)
                    theirs = entry is not None and entry.number > net.last
                    doubt = _doubt(net) if act == "undo" else ""
                    items.append(self._item(net.path, *move, doubt, theirs))
            return Plan(act, self._session_id, turn_id, tuple(items))

    def carry_out(self, plan: Plan, answers: Mapping[str, Answer] | None = None) -> Outcome:
        """Does it; with questions that have no answer nothing is done. StoreError if refused.

        What a place held before is kept, so that each undo can itself be taken back.
        """
        refused = [item.shown for item in plan.items if item.standing == "foreign"]
        if refused:
            raise StoreError(
                f"Another session has changed {_listed(refused)} since; that would be lost.",
                hint="Undo the other session's turn first.",
            )
        given = answers or {}
        open_questions = tuple(item for item in plan.questions if item.path not in given)
        if open_questions:
            return Outcome(plan.act, questions=open_questions)
        with in_words(self._book), self._book.at_work():
            return self._carry_out(plan, given)

    def diff(self, plan: Plan) -> str:
        """What the plan would change, as a diff."""
        root, store = self._book.root, self._book.store
        return "".join(
            diff_of(Change(item.path, item.current, item.wanted), root, store).text
            for item in plan.items
            if item.standing in ("clean", "changed")
        )

    def _carry_out(self, plan: Plan, answers: Mapping[str, Answer]) -> Outcome:
        moves: list[Move] = []
        kept: list[str] = []
        failed: dict[str, str] = {}
        changes: dict[str, Change] = {}
        for item in plan.items:
            wanted = item.wanted
            if item.standing == "lost":
                failed[item.path] = item.note
                continue
            if item.standing == "changed":
                answer = answers[item.path]
                if answer == "merge":
                    wanted = self._merge(item)
                if answer == "keep" or answer not in item.answers:
                    kept.append(item.shown)
                    continue
            start = item.expected if item.standing == "done" else item.current
            changes[item.path] = Change(item.path, start, wanted)
            if item.standing != "done":
                moves.append(Move(item.path, item.current, wanted))
        restoring = Restoring(self._book.root, self._book.store, self._book.state)
        arrived = set(restoring.run(moves)) | (changes.keys() - {move.path for move in moves})
        failed |= restoring.failed
        done = [change for path, change in changes.items() if path in arrived]
        if done:
            with in_words(self._book, "The files are as you wanted them, but"):
                self._book.log.add(plan.act, plan.session_id, plan.turn_id, done)
        return Outcome(
            plan.act,
            tuple(visible_line(change.path) for change in done if not change.is_folder),
            tuple(kept),
            tuple((visible_line(path), why) for path, why in failed.items()),
        )

    def _item(
        self,
        path: str,
        expected: FileState | None,
        wanted: FileState | None,
        doubt: str,
        theirs: bool,
    ) -> Item:
        current = self._book.state(path)
        item = Item(path, current, expected, wanted)
        if current == wanted:
            return replace(item, standing="done")
        if current == expected and not doubt:
            return self._if_possible(item)
        if theirs:
            return replace(item, standing="foreign", note="another session changed it since")
        note = doubt or "it was changed since"
        item = self._if_possible(replace(item, standing="changed", note=note))
        if item.standing != "changed":
            return item
        answers: tuple[Answer, ...] = ("keep", "restore")
        if not doubt and self._merge(item) is not None:
            answers = ("keep", "restore", "merge")
        return replace(item, answers=answers)

    def _if_possible(self, item: Item) -> Item:
        """The same, or "lost": nothing is overwritten that could not be brought back."""
        store, wanted, current = self._book.store, item.wanted, item.current
        if wanted is not None and not wanted.is_kept:
            why = "its old content was too large to be kept"
            return replace(item, standing="lost", note=why)
        if wanted is not None and wanted.kind == "file" and not store.has(wanted.content):
            return replace(item, standing="lost", note="its old content is no longer kept")
        if current is not None and not current.is_kept:
            why = "what it holds now is too large to be kept, so it is left as it is"
            return replace(item, standing="lost", note=why)
        return item

    def _merge(self, item: Item) -> FileState | None:
        """`expected` became `current` by hand; the same change made to `wanted`."""
        sides = (item.expected, item.current, item.wanted)
        if any(side is None or side.kind != "file" or not side.content for side in sides):
            return None
        store = self._book.store
        base, mine, theirs = (store.get(side.content) for side in sides if side is not None)
        if base is None or mine is None or theirs is None or item.wanted is None:
            return None
        data = merged(base, mine, theirs)
        if data is None:
            return None
        return replace(item.wanted, size=len(data), content=store.put(data, durable=True))

    def _file(self, net: NetChange) -> FileChange:
        change = net.change
        diff: Diff = diff_of(change, self._book.root, self._book.store)
        undone = net.taken_back is not None
        several = not undone and diff.text.count("\n@@ ") > 1
        hunks = several and hunks_of(change, self._book.root, self._book.store, diff.text)
        return FileChange(
            change.path,
            visible_line(change.path),
            letter_of(change.before, change.after),
            diff.added,
            diff.removed,
            diff.text,
            undone,
            hunks.count if hunks else 0,
            net.whole is not None,
        )

    def _net(self, turn_id: str) -> list[NetChange]:
        return net_changes(self._book.log.of_turn(self._session_id, turn_id))


@contextlib.contextmanager
def in_words(book: FolderBook, what_is: str = "Nothing was changed:") -> Iterator[None]:
    """StoreError for a journal that cannot be written."""
    try:
        yield
    except OSError as exc:
        home = book.log.path.parent
        why, hint = why_unusable(home, exc)
        raise StoreError(
            f"{what_is} the journal of file changes in {home} cannot be written, for {why}.",
            hint=hint,
        ) from exc


def _wished(act: Act, net: NetChange) -> tuple[FileState | None, FileState | None] | None:
    """From what to what a place is to go; None where there is nothing to do."""
    back = net.taken_back
    if act == "undo":
        return None if back is not None else (net.change.after, net.change.before)
    if back is not None:
        return back.after, back.before
    return None if net.whole is None else (net.change.after, net.whole)


def _doubt(net: NetChange) -> str:
    """Why it is not certain that all of a change was the turn's; "" where it is."""
    if net.mixed:
        return "it was changed by hand in between"
    if net.meanwhile:
        return "it was changed while a command ran in the background, by that or by hand"
    return ""


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more
