"""`kinet memory`: the facts the assistant keeps, listed and changed by hand."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kinet.cli.opened_store import opened_database
from kinet.core.errors import StoreError
from kinet.memory.fact import Fact
from kinet.memory.facts import FactBook
from kinet.paths import data_dir
from kinet.store.lock import StoreInUseError
from kinet.store.notes import NoteStore

FILE_NAME = "facts.json"
_WRITERS = {"add", "delete", "import"}


def memory(options: argparse.Namespace) -> int:
    """Does one act on the facts. StoreError says what is wrong."""
    home = data_dir()
    if options.act in _WRITERS:
        try:
            with _alone():
                book = FactBook(home / FILE_NAME)
                _change(book, options)
        except StoreInUseError as exc:
            _have_changed(exc, options)
            return 0
    else:
        book = FactBook(home / FILE_NAME)
        if options.act == "export":
            print(book.export(), end="")
        else:
            folder = options.cwd.absolute() if options.cwd else None
            _list(book.list(folder), options.json)
    for problem in book.problems:
        print(problem, file=sys.stderr)
    return 0


@contextmanager
def _alone() -> Iterator[None]:
    """Holds the data folder, so that an open window loses nothing; sessions then see the change."""
    with opened_database() as database:
        yield
        NoteStore(database).forget("memory").result()


def _change(book: FactBook, options: argparse.Namespace) -> None:
    match options.act:
        case "add":
            folder = (options.cwd or Path.cwd()).absolute()
            fact = book.add(options.text, folder if options.project else None)
            _added(_row(fact), options)
        case "delete":
            _deleted(book.delete(options.id), options)
        case "import":
            _imported(book.import_text(_text_of(options.file)), options)


def _have_changed(problem: StoreInUseError, options: argparse.Namespace) -> None:
    """Has the open window do it."""
    from kinet.cli.handed_over import ask_owner

    message = {"verb": "memory", "act": options.act}
    match options.act:
        case "add":
            folder = str((options.cwd or Path.cwd()).absolute()) if options.project else ""
            _added(ask_owner(problem, {**message, "text": options.text, "folder": folder}), options)
        case "delete":
            _deleted(ask_owner(problem, {**message, "text": options.id}), options)
        case "import":
            _imported(ask_owner(problem, {**message, "text": _text_of(options.file)}), options)


def _added(row: dict[str, Any], options: argparse.Namespace) -> None:
    print(_json([row]) if options.json else row["id"])


def _deleted(done: bool, options: argparse.Namespace) -> None:
    if not done:
        raise StoreError(f"There is no fact {options.id!r}.", hint="kinet memory list shows them.")
    if options.json:
        print(_json({"id": options.id, "act": "delete"}))


def _imported(count: int, options: argparse.Namespace) -> None:
    if options.json:
        print(_json({"facts": count}))
        return
    print(f"{count} new fact{'' if count == 1 else 's'}.", file=sys.stderr)


def _list(facts: list[Fact], as_json: bool) -> None:
    if as_json:
        print(_json([_row(fact) for fact in facts]))
        return
    for fact in facts:
        where = f"project {fact.folder}" if fact.scope == "project" else "person"
        print(f"{fact.id}  {where}  {fact.text}")


def _text_of(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text("utf-8", "replace")
    except OSError as exc:
        raise StoreError(f"{file} cannot be read: {exc.strerror or exc}.") from exc


def _row(fact: Fact) -> dict[str, Any]:
    return fact.to_dict()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
