"""`kinet sessions`: lists, shows, finds, exports, imports and removes conversations."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import IO, Any

from kinet.cli.memory_command import FILE_NAME as FACTS_FILE
from kinet.cli.opened_store import opened_store, session_row
from kinet.cli.session_export import export
from kinet.cli.store_check import check
from kinet.core.conversation import replay
from kinet.core.errors import StoreError
from kinet.core.messages import Message
from kinet.memory.facts import FactBook
from kinet.paths import data_dir
from kinet.session.archive import Report, import_from, words_of, write_archive
from kinet.session.failure_report import report_on
from kinet.store.lock import StoreInUseError
from kinet.store.notes import NoteStore
from kinet.store.search import SearchIndex
from kinet.store.sessions import SessionRow, SessionStore
from kinet.store.transfer import lines_of
from kinet.store.trash import Trash

_WRITERS = {"import", "delete", "restore"}


def sessions(options: argparse.Namespace) -> int:
    """Does one act. Reading works while a window is open; then the window does the changing."""
    try:
        return _act(options)
    except StoreInUseError as exc:
        _have_changed(exc, options)
    return 0


def _act(options: argparse.Namespace) -> int:
    writes = options.act in _WRITERS or (options.act == "check" and options.mend)
    with opened_store(read_only=not writes) as store:
        match options.act:
            case "check":
                return check(store, mend_it=options.mend, as_json=options.json)
            case "list":
                _list(store.list(), options.json)
            case "show":
                _show(store, session_row(store, options.id), options.json)
            case "search":
                _search(store, options.text, options.json)
            case "export":
                _export(store, options)
            case "report":
                row = session_row(store, options.id)
                print(report_on(store.load(row.id), options.turn, None), end="")
            case "import":
                with _source(options.file) as source, _facts(store) as facts:
                    told(import_from(source, store, facts), as_json=options.json)
            case "delete":
                Trash(store).delete(session_row(store, options.id).id).result()
                _moved(options)
            case "restore":
                Trash(store).restore(session_row(store, options.id).id).result()
                _moved(options)
    return 0


def _have_changed(problem: StoreInUseError, options: argparse.Namespace) -> None:
    """Has the open window do it."""
    from kinet.cli.handed_over import ask_owner

    message = {"verb": "sessions", "act": options.act}
    if options.act != "import":
        ask_owner(problem, {**message, "id": options.id})
        if options.act in _WRITERS:
            _moved(options)
        return
    if options.file == "-":
        message["text"] = sys.stdin.buffer.read().decode("utf-8", "replace")
    else:
        message["file"] = os.path.abspath(options.file)
    told(Report(**ask_owner(problem, message)), as_json=options.json)


def _list(rows: list[SessionRow], as_json_text: bool) -> None:
    if as_json_text:
        print(json.dumps([_listed(row) for row in rows], ensure_ascii=False))
        return
    for row in rows:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(row.updated))
        print(f"{row.id}  {when}  {row.title or 'Untitled'}  {row.folder}".rstrip())


def _listed(row: SessionRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "title": row.title,
        "folder": row.folder,
        "updated": row.updated,
        "state": row.state,
        "profile": row.profile,
        "messages": row.message_count,
    }


def _show(store: SessionStore, row: SessionRow, as_json_text: bool) -> None:
    messages = _messages(store, row)
    print(export("json" if as_json_text else "md", row, messages))


def _search(store: SessionStore, text: str, as_json_text: bool) -> None:
    hits = SearchIndex(store.database, store.fetch).find(text)
    if as_json_text:
        rows = [{"session": hit.session_id, "seq": hit.seq, "snippet": hit.snippet} for hit in hits]
        print(json.dumps(rows, ensure_ascii=False))
        return
    for hit in hits:
        print(f"{hit.session_id}  {' '.join(hit.snippet.split())}")


def _export(store: SessionStore, options: argparse.Namespace) -> None:
    if options.all is not None:
        book = FactBook(data_dir() / FACTS_FILE)
        count = write_archive(options.all, store, book.export())
        if options.json:
            print(json.dumps({"sessions": count, "file": str(options.all)}, ensure_ascii=False))
            return
        print(f"{count} sessions written to {options.all}.", file=sys.stderr)
        return
    row = session_row(store, options.id)
    chosen = "json" if options.json and options.format == "md" else options.format
    if chosen == "kinet":
        sys.stdout.writelines(lines_of(store, row.id))
    else:
        print(export(chosen, row, _messages(store, row)))


def _messages(store: SessionStore, row: SessionRow) -> list[Message]:
    return replay(store.load(row.id)).messages


@contextmanager
def _source(file: str) -> Iterator[IO[bytes]]:
    if file == "-":
        yield io.BytesIO(sys.stdin.buffer.read())
        return
    try:
        source = open(file, "rb")  # noqa: SIM115 - closed below, with the reason why it may fail here
    except OSError as exc:
        raise StoreError(f"{file} cannot be read: {exc.strerror or exc}.") from exc
    with source:
        yield source


@contextmanager
def _facts(store: SessionStore) -> Iterator[FactBook]:
    """The facts, which an archive brings too; sessions begun before take them up."""
    book = FactBook(data_dir() / FACTS_FILE)
    before = book.list()
    yield book
    if book.list() != before:
        NoteStore(store.database).forget("memory").result()


def _moved(options: argparse.Namespace) -> None:
    """To the trash or back: nothing is said of it but where JSON is wanted."""
    if options.json:
        print(json.dumps({"id": options.id, "act": options.act}))


def told(report: Report, *, as_json: bool) -> None:
    """The ids of what was imported, one a line; what else there is to say goes to stderr."""
    if as_json:
        print(json.dumps(asdict(report)))
        return
    for session_id in report.new or (report.known if len(report.known) == 1 else ()):
        print(session_id)
    for sentence in words_of(report):
        print(sentence, file=sys.stderr)
