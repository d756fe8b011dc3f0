"""A session as lines and back; the store looked over; deletion that leaves nothing."""

from __future__ import annotations

import io
import json
import sqlite3
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from kinet.core.completion import Usage
from kinet.core.errors import StoreError
from kinet.core.events import (
    MessageCompleted,
    StepFinished,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from kinet.core.messages import Message, ToolCall
from kinet.memory.facts import FactBook
from kinet.session.archive import import_from, write_archive
from kinet.store.blobs import LARGE
from kinet.store.checking import check, mend
from kinet.store.database import FILE_NAME, Database
from kinet.store.fact_uses import FactUses
from kinet.store.queued import QueuedRow, QueueStore
from kinet.store.search import SearchIndex
from kinet.store.sessions import NewSession, SessionStore
from kinet.store.transfer import copy_from, insert, lines_of
from kinet.store.trash import Trash
from kinet.store.usage import UsageLog


def opened(home: Path) -> SessionStore:
    return SessionStore(Database(home / FILE_NAME))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SessionStore]:
    made = opened(tmp_path / "home")
    yield made
    made.database.close()


def fill(store: SessionStore, *ids: str) -> None:
    """A session each with a call, a large output, a branch and what it cost."""
    for id_ in ids:
        store.create(NewSession(id_, "/work", title=f"About {id_}"))
        call = ToolCall(f"c-{id_}", "shell", '{"command": "seq"}')
        store.put(
            id_,
            [
                TurnStarted(id_, f"m-{id_}"),
                MessageCompleted(Message("user", f"question {id_}", id=f"m-{id_}")),
                MessageCompleted(
                    Message("assistant", "", (call,)), model="big", usage=Usage(10, 5), cost=0.25
                ),
                ToolStarted(call.id, "shell", {"command": "seq"}),
                ToolFinished(call.id, "shell", content=f"{id_} " + "größer " * LARGE),
                MessageCompleted(Message("assistant", f"answer {id_} 你好")),
                StepFinished(Usage(3, 1), 0.5, purpose="memory"),
                TurnFinished("completed"),
            ],
        ).result()
        store.move_leaf(id_, 2).result()
        other = MessageCompleted(Message("assistant", "another way"))
        store.put(id_, [other, TurnFinished("completed")]).result()


def export(store: SessionStore, session_id: str) -> bytes:
    return "".join(lines_of(store, session_id)).encode()


def test_a_session_comes_back_whole_with_its_branches_money_and_words(store, tmp_path):
    fill(store, "one")
    other = opened(tmp_path / "other")
    assert insert(other, copy_from(export(store, "one").splitlines(keepends=True)))
    assert other.load("one") == store.load("one")
    assert export(other, "one") == export(store, "one")
    assert other.row("one") == store.row("one")
    assert UsageLog(other.database).session("one") == UsageLog(store.database).session("one")
    assert len(SearchIndex(other.database, other.fetch).find("你好")) == 1
    assert other.output("one", "c-one") == store.output("one", "c-one")
    # A second time it is there already, and nothing is doubled.
    assert not insert(other, copy_from(export(store, "one").splitlines(keepends=True)))
    assert UsageLog(other.database).session("one").cost == 0.75
    assert check(other).findings == ()
    other.database.close()


@pytest.mark.parametrize(
    "harm",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b"question", b"quastion"),
        lambda data: b"".join(data.splitlines(keepends=True)[:-1]),
        lambda data: b"\n".join([*data.splitlines()[:2], *data.splitlines()[3:]]),
        lambda data: data.replace(b'"kinet":1', b'"kinet":99'),
        lambda data: b"",
    ],
    ids=["half", "another word", "no end", "a line less", "newer", "empty"],
)
def test_an_export_that_was_changed_or_cut_is_refused_and_nothing_is_kept(store, tmp_path, harm):
    fill(store, "one")
    data = harm(export(store, "one"))
    other = opened(tmp_path / "other")
    with pytest.raises(StoreError):
        import_from(io.BytesIO(data), other, None)
    assert other.count() == 0
    other.database.close()


def test_an_archive_of_everything_fills_an_empty_store_and_doubles_nothing_in_a_full_one(
    store, tmp_path
):
    fill(store, "one", "two", "gone")
    Trash(store).delete("gone").result()
    book = FactBook(tmp_path / "facts.json")
    book.add("Likes tea.")
    path = tmp_path / "all.zip"
    assert write_archive(path, store, book.export()) == 2
    assert path.stat().st_mode & 0o077 == 0
    other, facts = opened(tmp_path / "other"), FactBook(tmp_path / "other.json")
    with open(path, "rb") as source:
        report = import_from(source, other, facts)
    assert (sorted(report.new), report.known, report.facts) == (["one", "two"], [], 1)
    assert [export(other, id_) for id_ in ("one", "two")] == [
        export(store, id_) for id_ in ("one", "two")
    ]
    Trash(other).delete("two").result()
    with open(path, "rb") as source:
        report = import_from(source, other, facts)
    assert (report.new, sorted(report.known), report.facts) == ([], ["one", "two"], 0)
    assert other.count() == 1
    other.database.close()
    assert not [item for item in tmp_path.iterdir() if item.name.startswith(".all")]


def test_a_damaged_archive_takes_nothing_in(store, tmp_path):
    fill(store, "one", "two")
    path = tmp_path / "all.zip"
    write_archive(path, store, '{"facts": []}')
    with zipfile.ZipFile(path) as archive:
        texts = {name: archive.read(name) for name in archive.namelist()}
    # The one that is read last: what comes before it is not kept either.
    last = f"sessions/{store.list()[-1].id}.jsonl"
    texts[last] = texts[last].replace(b"question", b"quastion")
    harmed = io.BytesIO()
    with zipfile.ZipFile(harmed, "w") as archive:
        for name, data in texts.items():
            archive.writestr(name, data)
    other = opened(tmp_path / "other")
    for data in (harmed.getvalue(), path.read_bytes()[:-40], b"PK\x03\x04 no archive"):
        with pytest.raises(StoreError):
            import_from(io.BytesIO(data), other, None)
    assert other.count() == 0
    other.database.close()


CHATGPT = [
    {
        "title": "Tea",
        "conversation_id": "conv-1",
        "create_time": 1_700_000_000.5,
        "current_node": "d",
        "mapping": {
            "a": {"id": "a", "message": None, "parent": None, "children": ["b"]},
            "b": {
                "message": {
                    "id": "b", "author": {"role": "user"}, "create_time": 1_700_000_001,
                    "content": {"content_type": "text", "parts": ["Which tea?"]},
                },
                "parent": "a", "children": ["c", "d"],
            },
            "c": {
                "message": {
                    "author": {"role": "assistant"},
                    "content": {"content_type": "text", "parts": ["The other branch"]},
                },
                "parent": "b", "children": [],
            },
            "d": {
                "message": {
                    "author": {"role": "assistant"},
                    "content": {"content_type": "multimodal_text",
                                "parts": ["绿茶", {"content_type": "image_asset_pointer"}]},
                },
                "parent": "b", "children": [],
            },
        },
    }
]  # fmt: skip
PICTURE = "[a picture that the export holds in a file of its own]"
HI = {"role": "user", "content": "hi"}
CLAUDE = [
    {
        "uuid": "u-1",
        "name": "Rice",
        "created_at": "2024-05-01T10:00:00.000000Z",
        "chat_messages": [
            {"uuid": "x", "sender": "human", "text": "Which rice?",
             "content": [{"type": "text", "text": "Which rice?"}],
             "attachments": [{"file_name": "a.txt", "extracted_content": "basmati"}]},
            {"uuid": "y", "sender": "assistant", "text": "ご飯", "content": []},
        ],
    }
]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "title", "texts"),
    [
        (CHATGPT, "Tea", ["Which tea?", f"绿茶\n{PICTURE}"]),
        (CLAUDE, "Rice", ["Which rice?\n\na.txt:\nbasmati", "ご飯"]),
        ({"title": "Own", "messages": [HI]}, "Own", ["hi"]),
        ([HI, {"role": "assistant", "content": "ho"}], "", ["hi", "ho"]),
    ],
    ids=["ChatGPT", "Claude", "our json", "a list of messages"],
)  # fmt: skip
def test_exports_of_other_programs_become_sessions_once(store, value, title, texts):
    data = json.dumps(value).encode()
    first = import_from(io.BytesIO(data), store, None)
    again = import_from(io.BytesIO(data), store, None)
    assert (len(first.new), again.new, again.known) == (1, [], first.new)
    (row,) = store.list()
    assert (row.title, row.message_count) == (title, len(texts))
    events = store.load(row.id)
    assert [e.message.text for e in events if isinstance(e, MessageCompleted)] == texts
    said = [e.message for e in events if isinstance(e, MessageCompleted)]
    assert all(message.id for message in said if message.role == "user")
    assert check(store).findings == ()


def test_such_exports_are_found_in_their_zip_too(store):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("export/conversations.json", json.dumps(CLAUDE))
    packed.seek(0)
    assert len(import_from(packed, store, None).new) == 1


@pytest.mark.parametrize("text", ["", "[]", "{}", "[1]", '{"a": 1}', "nonsense", "[" * 100_000])
def test_what_is_no_export_is_refused_in_words(store, text):
    with pytest.raises(StoreError):
        import_from(io.BytesIO(text.encode()), store, None)
    assert store.count() == 0


def test_a_sound_store_has_no_findings(store):
    fill(store, "one", "two")
    done = check(store)
    assert (done.sessions, done.events, done.findings) == (2, 20, ())


def test_what_is_wrong_is_found_by_name_and_what_is_nobodys_can_be_removed(store, tmp_path):
    fill(store, "one", "two")
    assert store.blobs is not None
    nobodys = store.blobs.put("x" * LARGE * 2)
    whose = next(iter(store.blobs.all() - {nobodys}))
    path = store.blobs.folder / whose[:2] / whose
    path.write_text("other")
    call = ToolCall("open", "shell", "{}")
    store.put("two", [TurnStarted("two"), MessageCompleted(Message("assistant", "", (call,)))])
    store.put("two", [TurnFinished("completed")]).result()

    def harm(db: sqlite3.Connection) -> None:
        db.execute("INSERT INTO search (rowid, words) VALUES (99999, 'lost')")
        db.execute("UPDATE event SET body = '{' WHERE session_id = 'one' AND seq = 9")
        db.execute("DELETE FROM event WHERE session_id = 'one' AND seq = 4")

    store.database.submit(harm).result()
    kinds = {finding.kind for finding in check(store).findings}
    assert kinds == {"orphan rows", "orphan file", "output changed", "gap", "pairing", "unreadable"}
    mend(store)
    left = {finding.kind for finding in check(store).findings}
    assert left == kinds - {"orphan rows", "orphan file"}


def test_deleting_a_thousand_sessions_leaves_no_row_file_or_index_entry(store):
    ids = [f"s{number:04}" for number in range(1_000)]
    for id_ in ids:
        store.create(NewSession(id_))
        store.put(id_, [TurnStarted(id_), MessageCompleted(Message("user", f"word{id_}"))])
    fill(store, "large", "kept")
    FactUses(store.database).note("large", ["f"])
    QueueStore(store.database).add("large", QueuedRow("q", "later")).result()
    for id_ in [*ids, "large"]:
        store.put(id_, [TurnFinished("completed")])
    trash = Trash(store)
    for id_ in [*ids, "large"]:
        trash.delete(id_)
    store.database.flush()
    trash.remove(trash.due(0)).result()
    store.database.flush()
    rows = {
        table: store.database.read(
            lambda db, t=table: db.execute(
                f"SELECT count(*) FROM {t} WHERE session_id <> 'kept'"
            ).fetchone()[0]
        )
        for table in ("event", "draft", "queued", "file_state", "blob", "fact_use")
    }
    assert set(rows.values()) == {0}
    assert [row.id for row in store.list()] == ["kept"]
    assert SearchIndex(store.database, store.fetch).find("words0001") == []
    assert store.blobs is not None
    assert len(store.blobs.all()) == 1
    assert check(store).findings == ()
