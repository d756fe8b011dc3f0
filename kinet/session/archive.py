"""All sessions and facts in one file, and what an import takes of this and other files."""

from __future__ import annotations

import contextlib
import io
import json
import os
import time
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

from kinet.core.atomic_write import sync_folder
from kinet.core.errors import StoreError
from kinet.core.events import (
    Event,
    MessageCompleted,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from kinet.core.messages import Message
from kinet.core.own_command import NAME
from kinet.session.foreign_exports import Talk, message_from, talk_id, talks_in
from kinet.session.titles import shorten, title_from
from kinet.store.transfer import Copy, Row, copy_from, insert, lines_of

if TYPE_CHECKING:
    from kinet.memory.facts import FactBook
    from kinet.store.sessions import SessionStore

_MANIFEST, _FACTS, _FOLDER = "kinet.json", "facts.json", "sessions/"
_VERSION = 1
# Bytes of one file within an archive, and of a text that is read whole.
_LARGEST = 1 << 30
_OTHERS = "conversations.json"


@dataclass
class Report:
    """What an import brought: ids of new sessions and of those that were there, new facts."""

    new: list[str] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    facts: int = 0


def write_archive(path: Path, store: SessionStore, facts: str) -> int:
    """Writes all sessions, those in the trash left out, and the facts. Their number.

    Read back and checked before it takes its name; nothing is left behind if that fails.
    StoreError says why.
    """
    # The oldest first: what is taken in last is the newest of the list again.
    rows = store.list()[::-1]
    temporary = path.with_name(f".{path.name[:100]}.new")
    try:
        with open(temporary, "wb") as target:
            os.chmod(temporary, 0o600)
            with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
                for row in rows:
                    with archive.open(f"{_FOLDER}{row.id}.jsonl", "w", force_zip64=True) as file:
                        for line in lines_of(store, row.id):
                            file.write(line.encode("utf-8", "replace"))
                archive.writestr(_FACTS, facts)
                listed = [row.id for row in rows]
                about = {"kinet": _VERSION, "written": time.time(), "sessions": listed}
                archive.writestr(_MANIFEST, json.dumps(about))
            target.flush()
            os.fsync(target.fileno())
        with zipfile.ZipFile(temporary) as written:
            for _ in _copies(written):
                pass
        os.replace(temporary, path)
        sync_folder(path.parent)
    except (OSError, zipfile.BadZipFile) as exc:
        why = exc.strerror if isinstance(exc, OSError) and exc.strerror else str(exc)
        raise StoreError(f"{path} cannot be written: {why}.", hint="Choose another place.") from exc
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
    return len(rows)


def import_from(source: IO[bytes], store: SessionStore, facts: FactBook | None) -> Report:
    """Takes in an archive, a single session, or what another program wrote.

    What is there already, in the trash too, stays as it is. StoreError says what is wrong: of an
    archive nothing is taken in then. Blocks.
    """
    report = Report()
    head = source.read(4)
    source.seek(0)
    if head == b"PK\x03\x04":
        _take_archive(source, store, facts, report)
        return report
    data = source.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise StoreError("This file is too large to be imported.", hint="Split it.")
    for copy in _copies_in(data):
        _take(copy, store, report)
    return report


def _take_archive(
    source: IO[bytes], store: SessionStore, facts: FactBook | None, report: Report
) -> None:
    try:
        with zipfile.ZipFile(source) as archive:
            names = archive.namelist()
            if _MANIFEST in names:
                # All is read and checked before the first is kept.
                for _ in _copies(archive):
                    pass
                for copy in _copies(archive):
                    _take(copy, store, report)
                if facts is not None and _FACTS in names:
                    report.facts = facts.import_text(_read(archive, _FACTS).decode("utf-8"))
                return
            others = next((name for name in names if name.endswith(_OTHERS)), None)
            if others is None:
                raise StoreError(
                    "This archive holds no conversations that Kinet knows.",
                    hint=f"It looks for {_MANIFEST} or {_OTHERS}.",
                )
            for copy in _copies_in(_read(archive, others)):
                _take(copy, store, report)
    except (zipfile.BadZipFile, UnicodeDecodeError, NotImplementedError, EOFError) as exc:
        raise StoreError(
            f"This archive is damaged: {exc}.", hint="Nothing more was imported. Export it again."
        ) from exc


def _copies(archive: zipfile.ZipFile) -> Iterator[Copy]:
    """The sessions an archive lists, each checked. StoreError if one is missing or damaged."""
    try:
        about = json.loads(_read(archive, _MANIFEST))
        listed = [str(id_) for id_ in about["sessions"]]
    except (ValueError, KeyError, TypeError) as exc:
        raise StoreError("This archive has no list of its sessions.") from exc
    if about.get("kinet") != _VERSION:
        raise StoreError("This archive was written by a newer Kinet.", hint="Install that one.")
    for id_ in listed:
        copy = copy_from(_read(archive, f"{_FOLDER}{id_}.jsonl").splitlines(keepends=True))
        if copy.head["id"] != id_:
            raise StoreError(f"The session {id_} of this archive is another one.")
        yield copy


def _read(archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        with archive.open(name) as file:
            data = file.read(_LARGEST + 1)
    except KeyError as exc:
        raise StoreError(f"This archive lacks {name}.", hint="Export it again.") from exc
    if len(data) > _LARGEST:
        raise StoreError(f"{name} in this archive is too large.")
    return data


def _copies_in(data: bytes) -> Iterator[Copy]:
    """The conversations of a file that is no archive."""
    first = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:64]
    if first.startswith(b'{"') and b'"kinet":' in data[:4096].split(b"\n", 1)[0]:
        yield copy_from(data.splitlines(keepends=True))
        return
    text = data.decode("utf-8-sig", "replace")
    try:
        value = json.loads(text)
    except RecursionError as exc:
        raise StoreError("This file is nested too deeply.", hint="Nothing was imported.") from exc
    except ValueError:
        yield _copy_of(_lines(text))
        return
    if isinstance(value, dict) and "role" in value:
        value = [value]
    for talk in talks_in(value):
        if talk.messages:
            yield _copy_of(talk)


def _lines(text: str) -> Talk:
    """Messages in OpenAI form, one a line. StoreError names the first line that is none."""
    messages: list[Message] = []
    # Lines end at line feeds alone: other signs may stand within a JSON text.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            raw = json.loads(line)
        except (ValueError, RecursionError) as exc:
            raise StoreError(
                f"Line {number} is not a message in OpenAI form: {exc}.",
                hint="Nothing was imported.",
            ) from exc
        message = message_from(raw, f"Line {number}")
        if message.role != "system":
            messages.append(message)
    if not messages:
        raise StoreError("There is no message in this file.", hint="One message a line, as JSON.")
    return Talk(talk_id(messages), "", [(message, 0.0) for message in messages])


def _copy_of(talk: Talk) -> Copy:
    """A conversation as a session: turns begin with what the person said."""
    events: list[tuple[Event, float]] = []
    title, open_turn, last = talk.title, False, talk.created
    for number, (message, at) in enumerate(talk.messages):
        last = at or last or time.time()
        if message.role == "user" and not message.id:
            # What the person said can be gone back to, by its id.
            message = replace(message, id=f"{talk.id[:8]}-{number}")
        own = message.role == "user" and message.kind in ("", "command")
        if own or not open_turn:
            events += [(TurnFinished("completed"), last)] if open_turn else []
            events.append((TurnStarted("", message.id), last))
            open_turn = True
        spoken = message.role == "user" and message.command is None
        title = title or (title_from(message.text) if spoken else "")
        events += [(event, last) for event in _events(message)]
    events.append((TurnFinished("completed"), last))
    rows = [Row(number, number - 1, at, event) for number, (event, at) in enumerate(events, 1)]
    head = {
        "id": talk.id, "title": shorten(" ".join(title.split())), "titled_by": "", "folder": "",
        "profile": "", "created": talk.created or last, "updated": last, "leaf": len(rows),
        "branched": 0,
    }  # fmt: skip
    return Copy(head, rows)


def _events(message: Message) -> list[Event]:
    """What makes this message: results and what commands printed join by the end of a call."""
    if message.command is not None:
        ran = message.command
        values = {"command": ran.text, **({"private": True} if ran.private else {})}
        ended = ToolFinished(
            message.id, NAME, is_error=message.is_error, preview=ran.status,
            content=message.text, model_content=message.text, details=values,
        )  # fmt: skip
        return [ToolStarted(message.id, NAME, values), ended]
    if message.role != "tool":
        return [MessageCompleted(message)]
    return [
        ToolFinished(
            message.tool_call_id,
            message.name,
            is_error=message.is_error,
            content=message.text,
            model_content=message.text,
            pictures=tuple(picture.url for picture in message.images),
        )
    ]


def _take(copy: Copy, store: SessionStore, report: Report) -> None:
    kept = insert(store, copy)
    (report.new if kept else report.known).append(str(copy.head["id"]))


def text_source(text: str) -> IO[bytes]:
    """A text as a file that can be imported."""
    return io.BytesIO(text.encode("utf-8", "replace"))


def words_of(report: Report) -> Sequence[str]:
    """What an import brought, in sentences."""
    said = []
    if len(report.new) != 1 or report.known:
        said.append(f"{len(report.new)} new session{'' if len(report.new) == 1 else 's'}.")
    if report.known:
        there = "was" if len(report.known) == 1 else "were"
        said.append(f"{len(report.known)} {there} there already, or in the trash.")
    if report.facts:
        said.append(f"{report.facts} new fact{'' if report.facts == 1 else 's'}.")
    return said
