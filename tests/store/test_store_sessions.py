"""What is appended comes back, whole and in order."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kinet.core.approval import ApprovalRequest, Decision
from kinet.core.completion import Usage
from kinet.core.errors import StoreError
from kinet.core.events import (
    SAVED,
    ApprovalRequested,
    ApprovalResolved,
    ContextCompacted,
    FactsNoticed,
    FilesChanged,
    MessageCompleted,
    ModelChosen,
    Notice,
    StepFinished,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnError,
    TurnFinished,
    TurnStarted,
)
from kinet.core.messages import ImagePart, Message, TextPart, ToolCall
from kinet.store.blobs import LARGE
from kinet.store.database import FILE_NAME, Database
from kinet.store.drafts import DraftPiece, DraftStore
from kinet.store.notes import NoteStore
from kinet.store.queued import QueuedRow, QueueStore
from kinet.store.sessions import NewSession, SessionStore, new_id
from kinet.store.trash import Trash
from kinet.store.usage import UsageLog

SPECIAL = ["", "a\r\nb\0c", "漢字かな", "x" * (LARGE + 1), "é" * (LARGE + 7) + "\r\n"]
TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=40) | st.integers(0, 4).map(
    lambda number: SPECIAL[number]
)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | NUMBERS | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(TEXT | st.sampled_from(["_blob", "_kept"]), inner, max_size=3)
    ),
    max_leaves=6,
)
OBJECTS = st.dictionaries(TEXT | st.sampled_from(["_blob", "_kept"]), JSON, max_size=3)
USAGE = st.builds(Usage, st.integers(0, 9**9), st.integers(0, 9**9), st.integers(0, 9))
PARTS = st.builds(TextPart, TEXT) | st.builds(ImagePart, TEXT, TEXT)
MESSAGES = st.builds(
    Message,
    st.sampled_from(["user", "assistant"]),
    TEXT | st.lists(PARTS, max_size=3).map(tuple),
    tool_calls=st.lists(
        st.builds(ToolCall, TEXT, TEXT, TEXT, st.booleans(), OBJECTS), max_size=2
    ).map(tuple),
    reasoning=st.none() | TEXT,
    vendor=OBJECTS,
    environment=TEXT,
    kind=st.sampled_from(["", "note", "summary", "steer"]),
)
COST = st.none() | NUMBERS
BY_TYPE = {
    TurnStarted: st.builds(
        TurnStarted, TEXT, TEXT, NUMBERS),
    MessageCompleted: st.builds(
        MessageCompleted, MESSAGES, TEXT, TEXT, st.booleans(), st.none() | USAGE, COST),
    ApprovalRequested: st.builds(
        ApprovalRequested,
        st.builds(ApprovalRequest, TEXT, TEXT, TEXT, st.just("command"), TEXT, TEXT, TEXT,
                  st.lists(TEXT, max_size=2).map(tuple), arguments=OBJECTS),
    ),
    ApprovalResolved: st.builds(
        ApprovalResolved, TEXT, TEXT, st.builds(Decision, st.booleans(), st.just("folder"), TEXT)),
    ToolStarted: st.builds(
        ToolStarted, TEXT, TEXT, OBJECTS, TEXT),
    ToolFinished: st.builds(
        ToolFinished, TEXT, TEXT, st.booleans(), TEXT, TEXT, TEXT, OBJECTS, NUMBERS, TEXT),
    StepFinished: st.builds(
        StepFinished, USAGE, COST, st.integers(0, 9), NUMBERS, TEXT, st.booleans(),
              st.lists(TEXT, max_size=2).map(tuple), TEXT),
    ContextCompacted: st.builds(
        ContextCompacted, st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), TEXT, TEXT),
    FactsNoticed: st.builds(
        FactsNoticed,
        st.lists(st.fixed_dictionaries({"id": TEXT, "text": TEXT, "was": TEXT}), max_size=2).map(
            tuple
        ),
        st.none() | NUMBERS),
    FilesChanged: st.builds(
        FilesChanged, st.lists(TEXT, max_size=3).map(tuple), TEXT),
    ModelChosen: st.builds(ModelChosen, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT),
    Notice: st.builds(
        Notice, TEXT, st.sampled_from(["info", "warning", "error"])),
    TurnFinished: st.builds(
        TurnFinished, st.sampled_from(["completed", "failed"]),
        st.none() | st.builds(TurnError, TEXT, TEXT, TEXT, st.none() | st.integers(0, 999)), TEXT,
    ),
}  # fmt: skip
EVENTS = st.one_of(*BY_TYPE.values())


@pytest.fixture
def database(tmp_path: Path):
    database = Database(tmp_path / "home" / FILE_NAME)
    yield database
    database.close()


@pytest.fixture
def store(database: Database) -> SessionStore:
    return SessionStore(database)


def begin(store: SessionStore, **values: str) -> str:
    session_id = new_id()
    store.create(NewSession(session_id, **values)).result()
    return session_id


def says(text: str, **values) -> MessageCompleted:
    return MessageCompleted(Message("assistant", text), **values)


def asks(text: str) -> MessageCompleted:
    return MessageCompleted(Message("user", text))


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(events=st.lists(EVENTS, max_size=5))
def test_what_is_appended_is_what_is_loaded(store: SessionStore, events):
    session_id = begin(store)
    for event in events:
        store.put(session_id, [event]).result()
    assert store.load(session_id) == events
    together = begin(store)
    store.put(together, events).result()
    assert store.load(together) == events


def test_the_property_above_covers_every_saved_event():
    assert set(BY_TYPE) == set(SAVED)


async def test_an_awaited_append_is_durable_for_a_reader_of_its_own(store, database):
    session_id = begin(store)
    await store.append(session_id, [asks("hello")])
    other = Database(database.path, read_only=True)
    assert SessionStore(other).load(session_id) == [asks("hello")]
    other.close()


def test_passing_events_are_not_kept(store):
    session_id = begin(store)
    store.put(session_id, [TextDelta("x"), Notice("y", keep=False), asks("z")]).result()
    assert store.load(session_id) == [asks("z")]


def test_lone_surrogates_become_a_replacement_character(store):
    session_id = begin(store)
    store.put(session_id, [asks("half \ud83d, whole \ud83d\ude00")]).result()
    assert store.load(session_id) == [asks("half \ufffd, whole 😀")]


def test_a_large_output_lies_in_a_private_file_and_goes_with_its_session(store, database):
    session_id, other = begin(store), begin(store)
    whole = "line\r\n" * 20_000
    for id_ in (session_id, other):
        store.put(id_, [ToolFinished("c1", "shell", content=whole, model_content="cut")]).result()
    files = [path for path in (database.folder / "outputs").rglob("*") if path.is_file()]
    assert len(files) == 1
    if os.name == "posix":
        assert stat.S_IMODE(files[0].stat().st_mode) == 0o600
    assert store.output(session_id, "c1") == whole
    trash = Trash(store)
    trash.remove([session_id]).result()
    database.flush()
    assert store.output(other, "c1") == whole
    trash.remove([other]).result()
    database.flush()
    assert not files[0].exists()
    assert store.load(session_id) == []


def test_a_lost_output_file_is_said_and_the_session_opens(store, database):
    session_id = begin(store)
    store.put(session_id, [ToolFinished("c1", "shell", content="y" * 70_000)]).result()
    for path in (database.folder / "outputs").rglob("*"):
        if path.is_file():
            path.unlink()
    (event,) = store.load(session_id)
    assert "70,000 characters" in event.content


def test_one_unreadable_row_costs_that_row_alone(store, database):
    session_id = begin(store)
    store.put(session_id, [asks("one"), asks("two"), asks("three")]).result()
    for seq, body in ((1, "{"), (2, '{"type": "from_tomorrow"}')):
        database.submit(
            lambda db, b=body, s=seq: (
                db.execute("UPDATE event SET body = ? WHERE seq = ?", (b, s)) and None
            )
        ).result()
    assert store.load(session_id) == [asks("three")]
    assert store.load_counting(session_id) == ([asks("three")], 2)


def test_the_list_shows_the_newest_first_and_hides_what_holds_nothing(store):
    first, second, _ = begin(store, title="a"), begin(store, title="b"), begin(store, title="c")
    store.put(first, [asks("1")]).result()
    store.put(second, [asks("2")]).result()
    assert [row.title for row in store.list()] == ["b", "a"]
    store.put(first, [says("3")]).result()
    assert [(row.title, row.message_count) for row in store.list()] == [("a", 2), ("b", 1)]
    assert [row.id for row in store.list(limit=1, offset=1)] == [second]
    assert store.count() == 2


def test_a_name_given_by_a_person_stays(store):
    session_id = begin(store)
    store.rename(session_id, "first line", by="first line").result()
    store.rename(session_id, "Mine").result()
    store.rename(session_id, "a better one", by="model").result()
    assert store.row(session_id).title == "Mine"


def test_deleted_sessions_go_to_the_trash_come_back_and_leave_after_30_days(store, database):
    session_id = begin(store)
    store.put(session_id, [asks("keep me")]).result()
    trash = Trash(store)
    trash.delete(session_id).result()
    assert store.list() == []
    assert [row.id for row in trash.list()] == [session_id]
    trash.remove(trash.due()).result()
    trash.restore(session_id).result()
    assert [row.id for row in store.list()] == [session_id]
    assert store.load(session_id) == [asks("keep me")]
    trash.delete(session_id).result()
    trash.remove(trash.due(-1)).result()
    database.flush()
    assert trash.list() == []


def test_going_back_begins_a_branch_and_the_old_one_stays(store, database):
    session_id = begin(store)
    store.put(session_id, [asks("1"), says("2"), asks("3")]).result()
    store.move_leaf(session_id, 2).result()
    store.put(session_id, [asks("4")]).result()
    assert store.load(session_id) == [asks("1"), says("2"), asks("4")]
    store.move_leaf(session_id, 3).result()
    assert store.load(session_id) == [asks("1"), says("2"), asks("3")]


def test_an_unfinished_answer_is_kept_until_its_message_is_there(store, database):
    session_id, drafts = begin(store), DraftStore(database)
    drafts.add(session_id, [DraftPiece("text", "Hel"), DraftPiece("reasoning", "hm")]).result()
    drafts.add(session_id, [DraftPiece("text", "lo")]).result()
    assert drafts.load(session_id) == ("Hello", "hm")
    drafts.add(session_id, [DraftPiece("text", "again")], restart=True).result()
    assert drafts.load(session_id) == ("again", "")
    store.put(session_id, [says("again!")]).result()
    assert drafts.load(session_id) == ("", "")


def test_waiting_messages_keep_their_order_and_leave_when_sent(store, database):
    session_id, waiting = begin(store), QueueStore(database)
    for id_, text in (("1", "one"), ("2", "two"), ("3", "three")):
        waiting.add(session_id, QueuedRow(id_, text)).result()
    waiting.add(session_id, QueuedRow("1", "ONE", "steer")).result()
    waiting.remove("2").result()
    assert waiting.list(session_id) == [QueuedRow("1", "ONE", "steer"), QueuedRow("3", "three")]
    store.put(session_id, [asks("ONE")], sent=["1"]).result()
    assert waiting.list(session_id) == [QueuedRow("3", "three")]


def test_every_call_is_in_the_cost_log_once(store, database):
    session_id, log = begin(store), UsageLog(database)
    store.put(
        session_id,
        [
            asks("hi"),
            says("ho", usage=Usage(100, 10), cost=0.5, model="m"),
            StepFinished(Usage(100, 10), 0.5),
            StepFinished(Usage(7, 1), 0.25, purpose="summary"),
        ],
        model="m",
    ).result()
    month = log.month()
    assert (month.cost, month.known, month.calls, month.tokens_in) == (0.75, True, 2, 107)
    store.put(session_id, [says("?", usage=Usage(1, 1), cost=None)], model="n").result()
    assert log.day().known is False
    assert log.session(session_id).calls == 3
    assert list(log.by_model()) == ["m", "n"]
    Trash(store).remove([session_id]).result()
    assert log.month().calls == 3


def test_facts_of_a_session_are_kept_and_one_can_be_dropped_everywhere(store, database):
    session_id, notes = begin(store), NoteStore(database)
    notes.save(session_id, {"memory": "x", "told": 1}).result()
    notes.remember_file(session_id, "/f", "d1").result()
    notes.remember_file(session_id, "/f", "d2").result()
    notes.forget("memory").result()
    assert notes.load(session_id) == {"told": 1}
    assert notes.files(session_id) == {"/f": "d2"}


def test_a_removed_session_refuses_more_events_in_words(store):
    with pytest.raises(StoreError, match="not there any more"):
        store.put("gone", [asks("x")]).result()


def test_an_output_whose_file_cannot_be_written_is_told_in_words_and_saved_the_next_time(
    store, monkeypatch
):
    session_id = begin(store)
    assert store.blobs is not None
    huge = ToolFinished("c", "shell", content="x" * (LARGE + 1))
    real = store.blobs.put
    monkeypatch.setattr(store.blobs, "put", raises(OSError(28, "No space left on device")))
    with pytest.raises(StoreError, match="its disk is full"):
        store.put(session_id, [huge]).result()
    assert "its disk is full" in store.database.trouble
    monkeypatch.setattr(store.blobs, "put", real)
    store.put(session_id, [huge]).result()
    assert store.load(session_id)[-1] == huge
    assert store.database.trouble == ""


def raises(error: Exception):
    """A function that always fails so."""

    def fail(*args: object) -> str:
        raise error

    return fail
