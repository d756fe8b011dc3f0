"""Words are found in every script, the newest first."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kinet.core.events import MessageCompleted, ToolFinished, ToolStarted, TurnFinished
from kinet.core.messages import Message
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
