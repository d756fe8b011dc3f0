"""`kinet undo` and `kinet redo`: take a turn's file changes back, or make them again."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from kinet.cli.opened_store import opened_store, session_row
from kinet.core.errors import StoreError
from kinet.core.events import TurnStarted
from kinet.paths import data_dir
from kinet.store.sessions import SessionRow, SessionStore
from kinet.workspace.journal import Journal
from kinet.workspace.undoing import Act, Answer, Outcome, Plan, Undoing

COMPLETED, FAILED, DENIED = 0, 1, 5
_WORDS = {"undo": ("Taken back", "take back"), "redo": ("Done again", "do again")}


def undo(options: argparse.Namespace) -> int:
    """Does it, or shows the diff with --dry-run. StoreError says why it cannot be done."""
    act: Act = "redo" if options.command == "redo" else "undo"
    with opened_store(read_only=options.dry_run) as store:
        row = session_row(store, options.session)
        if not row.folder:
            raise StoreError("This session has no folder, so it has changed no files.")
        undoing = Undoing(Journal(data_dir()).book(Path(row.folder)), row.id)
        plan = undoing.plan(act, _turn(undoing, store, row, act, options.turn))
        if options.dry_run:
            _show(undoing, plan, options.json)
            return COMPLETED
        return _told(undoing.carry_out(plan, _answers(plan, options.changed)), options.json)


def _turn(undoing: Undoing, store: SessionStore, row: SessionRow, act: Act, wanted: str) -> str:
    """The id of a turn given by number or id; the newest that can be done without one."""
    if not wanted:
        turn = undoing.newest(act)
        if not turn:
            raise StoreError(f"There is nothing to {_WORDS[act][1]} in this session.")
        return turn
    turns = [event.turn_id for event in store.load(row.id) if isinstance(event, TurnStarted)]
    if wanted in turns:
        return wanted
    if wanted.isdigit() and 1 <= int(wanted) <= len(turns):
        return turns[int(wanted) - 1]
    raise StoreError(
        f"There is no turn {wanted!r} in this session.",
        hint=f"Turns are counted from 1; it has {len(turns)}.",
    )


def _answers(plan: Plan, given: str) -> dict[str, Answer]:
    """An answer for each file that was changed since: the one given, or what a person types."""
    answers: dict[str, Answer] = {}
    for item in plan.questions:
        answer = given
        if not answer and sys.stdin.isatty():
            offered = "/".join(item.answers)
            print(f"{item.shown}: {item.note}. [{offered}] ", end="", file=sys.stderr, flush=True)
            answer = sys.stdin.readline().strip().lower()
        if answer in item.answers:
            answers[item.path] = answer
        elif answer == "merge":
            answers[item.path] = "keep"
    return answers


def _show(undoing: Undoing, plan: Plan, as_json: bool) -> None:
    if as_json:
        rows = [
            {"path": item.shown, "standing": item.standing, "note": item.note}
            for item in plan.items
        ]
        told = {"act": plan.act, "turn": plan.turn_id, "files": rows, "diff": undoing.diff(plan)}
        print(json.dumps(told, ensure_ascii=False))
        return
    print(undoing.diff(plan), end="")
    for item in plan.items:
        if item.note:
            print(f"{item.shown}: {item.note}", file=sys.stderr)


def _told(outcome: Outcome, as_json: bool) -> int:
    questions: Sequence[str] = [item.shown for item in outcome.questions]
    if as_json:
        told = {
            "act": outcome.act,
            "done": outcome.done,
            "kept": outcome.kept,
            "failed": dict(outcome.failed),
            "changed": questions,
        }
        print(json.dumps(told, ensure_ascii=False))
    elif questions:
        print(
            f"Nothing was done: {', '.join(questions)} changed since. Say --changed keep, restore "
            "or merge.",
            file=sys.stderr,
        )
    else:
        print(f"{_WORDS[outcome.act][0]}: {', '.join(outcome.done) or 'nothing'}.")
        if outcome.kept:
            print(f"Kept as they are: {', '.join(outcome.kept)}.")
        for path, why in outcome.failed:
            print(f"{path}: {why}", file=sys.stderr)
    if questions:
        return DENIED
    return FAILED if outcome.failed else COMPLETED
