"""Words are found in every script, the newest first."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kinet.core.completion import Usage
from kinet.core.events import MessageCompleted, ToolFinished, ToolStarted, TurnFinished
from kinet.core.messages import Message, ToolCall
from kinet.store.database import FILE_NAME, Database
from kinet.store.search import SearchFilter, SearchIndex
from kinet.store.sessions import NewSession, SessionStore
from kinet.store.trash import Trash

TEXTS = {
    "english": "The quick brown fox jumps over the lazy dog",
    "chinese": "今天我们讨论数据库的全文检索功能",
    "japanese": "検索機能について話しましょう。カタカナもある",
    "korean": "오늘은 검색 기능을 이야기합니다",
    "arabic": "نناقش اليوم البحث في قاعدة البيانات",
    "german": "Die Größe der Änderung überrascht",
}


@pytest.fixture
def store(tmp_path: Path):
    database = Database(tmp_path / FILE_NAME)
    store = SessionStore(database)
    for name, text in TEXTS.items():
        store.create(NewSession(name, title=name.title(), folder=f"/{name}"))
        store.put(name, [MessageCompleted(Message("user", text)), TurnFinished("completed")])
    database.flush()
    yield store
    database.close()


@pytest.fixture
def index(store: SessionStore) -> SearchIndex:
    return SearchIndex(store.database, store.fetch)


@pytest.mark.parametrize(
    ("text", "session"),
    [
        ("brown", "english"),
        ("BROWN fox", "english"),
        ('"lazy dog"', "english"),
        ("jum", "english"),
        ("检索", "chinese"),
        ("数据库", "chinese"),
        ("论", "chinese"),
        ("功 能", "chinese"),
        ("全", "chinese"),
        ("検索", "japanese"),
        ("カタカナ", "japanese"),
        ("검색", "korean"),
        ("البحث", "arabic"),
        ("Grosse", None),
        ("grösse", None),
        ("größe", "german"),
        ("anderung", "german"),
        ("nothing like it", None),
        ("dog lazy quick", "english"),
        ('"dog lazy"', None),
    ],
)
def test_words_are_found(index: SearchIndex, text: str, session: str | None):
    assert {hit.session_id for hit in index.find(text)} == ({session} if session else set())


def test_the_newest_comes_first_and_filters_hold(store, index):
    store.put(
        "english", [MessageCompleted(Message("assistant", "a fox")), TurnFinished("completed")]
    )
    store.database.flush()
    hits = index.find("fox")
    assert [(hit.seq, hit.role) for hit in hits] == [(3, "assistant"), (1, "user")]
    assert index.find("fox", limit=1)[0].seq == 3
    assert index.find("fox", within=SearchFilter(folder="/german")) == []
    assert len(index.find("fox", within=SearchFilter(session_id="english"), best=True)) == 2


def test_calls_and_their_outputs_are_found(store, index):
    store.put(
        "german",
        [
            ToolStarted("c", "shell", {"command": "make zebra"}),
            ToolFinished("c", "shell", content="line\n" * 30_000 + "the giraffe"),
            TurnFinished("completed"),
        ],
    )
    store.database.flush()
    assert index.find("zebra")[0].snippet.startswith('shell {"command"')
    assert "giraffe" in index.find("giraffe")[0].snippet


def test_deleted_sessions_are_not_found_and_leave_no_row(store, index):
    trash = Trash(store)
    trash.delete("english").result()
    assert index.find("fox") == []
    trash.restore("english").result()
    assert len(index.find("fox")) == 1
    trash.remove(["english"]).result()
    count = store.database.read(lambda db: db.execute("SELECT count(*) FROM search").fetchone()[0])
    assert count == len(TEXTS) - 1


def test_names_are_found_whatever_the_case(index):
    assert index.titles("ENG") == ["english"]


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=30) | st.text('"*():^-+ ANDORNOT漢a', max_size=20))
def test_no_input_is_an_error(index: SearchIndex, text: str):
    index.find(text)


def test_what_was_not_indexed_before_an_end_is_indexed_at_the_next_start(tmp_path):
    path = tmp_path / "other" / FILE_NAME
    database = Database(path)
    store = SessionStore(database)
    for number in range(3):
        store.create(NewSession(f"s{number}"))
        store.put(f"s{number}", [MessageCompleted(Message("user", "an okapi"))])
    database.close()
    database = Database(path)
    store = SessionStore(database)
    for _ in range(4):
        database.flush()
    assert len(SearchIndex(database, store.fetch).find("okapi")) == 3
    database.close()


@pytest.fixture
def places(tmp_path: Path):
    """Sessions on two folders, at two times, with two models and two tools."""
    database = Database(tmp_path / "home" / FILE_NAME)
    store = SessionStore(database)
    for id_, folder, model, tool in (
        ("one", "/a", "big", "shell"),
        ("two", "/b", "small", "grep"),
    ):
        store.create(NewSession(id_, folder, title=id_))
        call = ToolCall("c", tool, '{"pattern": "heron"}')
        usage = Usage(1, 1)
        store.put(
            id_,
            [
                MessageCompleted(Message("user", f"the heron {id_}, أب")),
                MessageCompleted(Message("assistant", "", (call,)), model=model, usage=usage),
                ToolStarted("c", tool, {"pattern": "heron"}),
                ToolFinished("c", tool, content=f"heron heron heron {id_} 你好"),
                TurnFinished("completed"),
            ],
        ).result()
    database.submit(lambda db: db.execute("UPDATE event SET at = 1000 WHERE session_id = 'one'"))
    database.flush()
    yield SearchIndex(database, store.fetch)
    database.close()


@pytest.mark.parametrize(
    ("narrowed", "found"),
    [
        ({}, ["two", "two", "two", "one", "one", "one"]),
        ({"folder": "/a"}, ["one"] * 3),
        ({"model": "small"}, ["two"] * 3),
        ({"model": "other"}, []),
        ({"tool": "grep"}, ["two"] * 2),
        ({"tool": "*"}, ["two", "two", "one", "one"]),
        ({"until": 2000.0}, ["one"] * 3),
        ({"since": 2000.0}, ["two"] * 3),
        ({"since": 2000.0, "folder": "/a"}, []),
        ({"session_id": "one", "tool": "shell", "model": "big", "folder": "/a"}, ["one"] * 2),
    ],
)
def test_a_search_is_narrowed(places, narrowed, found):
    hits = places.find("heron", within=SearchFilter(**narrowed))
    assert [hit.session_id for hit in hits] == found


def test_the_best_place_comes_first_where_that_is_asked_for(places):
    newest, best = places.find("heron"), places.find("heron", best=True)
    assert (newest[0].session_id, newest[0].role) == ("two", "tool")
    # Three times in four words says more than once in four.
    assert best[0].snippet.startswith("heron heron heron")
    assert {(hit.session_id, hit.seq) for hit in best} == {(h.session_id, h.seq) for h in newest}


def test_words_of_two_letters_are_found_in_chinese_and_arabic_and_name_their_call(places):
    assert [hit.call_id for hit in places.find("你好")] == ["c", "c"]
    assert [hit.role for hit in places.find("أب")] == ["user", "user"]


def test_one_word_of_many_is_enough_where_that_is_asked_for(places):
    assert places.find("zebra heron") == []
    assert len(places.find("zebra heron", any_word=True)) == 6
    assert len(places.find("请问你好吗", any_word=True, best=True)) == 2
    choices = places.choices()
    assert (choices.folders, choices.models) == (("/a", "/b"), ("big", "small"))
