"""`kinet sessions`: lists, shows, finds, exports, imports and removes conversations."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kinet.cli.session_export import export, imported
from kinet.core.conversation import replay
from kinet.core.errors import StoreError
from kinet.core.events import to_json
from kinet.core.messages import Message
from kinet.paths import data_dir
from kinet.store.database import FILE_NAME, Database
from kinet.store.lock import StoreInUseError
from kinet.store.search import SearchIndex
from kinet.store.sessions import NewSession, SessionRow, SessionStore, new_id
from kinet.store.trash import Trash

USAGE = 2
_WRITERS = {"import", "delete", "restore"}


def sessions(options: argparse.Namespace) -> int:
    """Does one act. Reading works while a window is open; then the window does the changing."""
    if options.act == "check":
        print("kinet sessions check is not yet available.", file=sys.stderr)
        return USAGE
    try:
        _act(options)
    except StoreInUseError as exc:
        _have_changed(exc, options)
    return 0


def _act(options: argparse.Namespace) -> None:
    with _store(read_only=options.act not in _WRITERS) as store:
        match options.act:
            case "list":
                _list(store.list(), options.json)
            case "show":
                _show(store, _row(store, options.id), options.json)
            case "search":
                _search(store, options.text, options.json)
            case "export":
                _export(store, _row(store, options.id), options.format)
            case "import":
                print(_import(store, options.file))
            case "delete":
                Trash(store).delete(_row(store, options.id).id).result()
            case "restore":
                Trash(store).restore(_row(store, options.id).id).result()


def _have_changed(problem: StoreInUseError, options: argparse.Namespace) -> None:
    """Has the open window do it."""
    from kinet.cli.handed_over import ask_owner

    message = {"verb": "sessions", "act": options.act}
    if options.act != "import":
        ask_owner(problem, {**message, "id": options.id})
        return
    title, events = imported(_text_of(options.file), new_id())
    raw = [to_json(event) for event in events]
    print(ask_owner(problem, {**message, "title": title, "events": raw}))


@contextmanager
def _store(*, read_only: bool) -> Iterator[SessionStore]:
    database = Database(data_dir() / FILE_NAME, read_only=read_only)
    try:
        yield SessionStore(database)
    finally:
        database.close()
    for problem in database.problems:
        print(problem, file=sys.stderr)


def _row(store: SessionStore, session_id: str) -> SessionRow:
    row = store.row(session_id)
    if row is None:
        raise StoreError(
            f"There is no session {session_id!r}.", hint="kinet sessions list shows them."
        )
    return row


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


def _export(store: SessionStore, row: SessionRow, form: str) -> None:
    print(export(form, row, _messages(store, row)))


def _messages(store: SessionStore, row: SessionRow) -> list[Message]:
    return replay(store.load(row.id)).messages


def _text_of(file: str) -> str:
    try:
        if file == "-":
            return sys.stdin.buffer.read().decode("utf-8", "replace")
        with open(file, encoding="utf-8-sig", errors="replace") as source:
            return source.read()
    except OSError as exc:
        raise StoreError(f"{file} cannot be read: {exc.strerror or exc}.") from exc


def _import(store: SessionStore, file: str) -> str:
    title, events = imported(_text_of(file), new_id())
    session_id = new_id()
    store.create(NewSession(session_id, title=title)).result()
    store.put(session_id, events).result()
    return session_id
