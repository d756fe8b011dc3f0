"""A chosen session is read beside the window, which turns meanwhile; the newest choice counts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kinet.core.errors import StoreError
from kinet.core.events import MessageCompleted, TurnFinished, TurnStarted
from kinet.core.messages import Message
from kinet.session.manager import SessionManager
from kinet.store.database import FILE_NAME, Database
from kinet.store.sessions import NewSession, SessionStore
from kinet.ui.kit import tasks
from tests.support.live_window import LiveWindow, live_window
from tests.support.window import until

pytestmark = pytest.mark.window


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A data folder with two sessions."""
    place = tmp_path / "home"
    store = SessionStore(Database(place / FILE_NAME))
    for name in ("slow", "quick"):
        store.create(NewSession(name, title=f"The {name} one"))
        asked = MessageCompleted(Message("user", f"Ask {name}", id=f"m-{name}"))
        said = MessageCompleted(Message("assistant", f"Answer {name}"))
        events = [TurnStarted(name, f"m-{name}"), asked, said, TurnFinished("completed")]
        store.put(name, events).result()
    store.database.close()
    return place


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Nothing is read of the slow session before this is set."""
    opened, load = threading.Event(), SessionStore.load_counting

    def slow(store: SessionStore, session_id: str, *rest: Any) -> Any:
        if session_id == "slow":
            assert threading.current_thread() is not threading.main_thread()
            assert opened.wait(30)
        return load(store, session_id, *rest)

    monkeypatch.setattr(SessionStore, "load_counting", slow)
    yield opened
    opened.set()


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sessions of which the reading ended before all was read."""
    ended: list[str] = []
    load = SessionStore.load_counting

    def told(store: SessionStore, session_id: str, *rest: Any) -> Any:
        try:
            return load(store, session_id, *rest)
        except StoreError:
            ended.append(session_id)
            raise

    monkeypatch.setattr(SessionStore, "load_counting", told)
    return ended


async def all_read(gate: threading.Event) -> None:
    gate.set()
    await until(lambda: not [t for t in tasks.running() if t.get_name() == "opening a session"])


def room(live: LiveWindow) -> bool:
    """True while the panel on screen takes keys."""
    return live.panel.composer.edit.isEnabled()


async def test_the_window_turns_while_a_session_is_read(home: Path, gate: threading.Event) -> None:
    async with live_window(home) as live:
        live.window.parts.sidebar.session_chosen.emit("slow")
        await until(lambda: not room(live))
        toast = live.window.parts.toast
        assert toast.isVisible()
        assert toast.text() == "Opening the session…"
        assert live.panel.session_id == ""
        assert live.window.parts.sidebar.list.current_id() == "slow"
        gate.set()
        await until(lambda: live.panel.session_id == "slow")
        assert room(live)
        assert not toast.isVisible()
        assert "Answer slow" in live.text


async def test_the_newest_choice_counts_whatever_is_read_first(
    home: Path, gate: threading.Event
) -> None:
    async with live_window(home) as live:
        live.window.parts.sidebar.session_chosen.emit("slow")
        live.window.parts.sidebar.session_chosen.emit("quick")
        await until(lambda: live.panel.session_id == "quick")
        await all_read(gate)
        assert live.panel.session_id == "quick"
        assert live.window.parts.sidebar.list.current_id() == "quick"
        assert room(live)


async def test_what_is_not_wanted_any_more_is_not_read_to_its_end(
    home: Path, gate: threading.Event, left: list[str]
) -> None:
    async with live_window(home) as live:
        live.window.parts.sidebar.session_chosen.emit("slow")
        await until(lambda: not room(live))
        live.window.parts.sidebar.session_chosen.emit("quick")
        await until(lambda: live.panel.session_id == "quick")
        await all_read(gate)
        await until(lambda: left == ["slow"])


async def test_the_reading_ends_with_the_window(
    home: Path, gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[Callable[[], bool]] = []
    read = SessionManager.read

    def told(manager: SessionManager, session_id: str, is_wanted: Callable[[], bool]) -> Any:
        answers.append(is_wanted)
        return read(manager, session_id, is_wanted)

    monkeypatch.setattr(SessionManager, "read", told)
    async with live_window(home) as live:
        live.window.parts.sidebar.session_chosen.emit("slow")
        await until(lambda: not room(live))
        assert [is_wanted() for is_wanted in answers] == [True]
        await tasks.cancel_all()
        assert [is_wanted() for is_wanted in answers] == [False]
        gate.set()


async def test_a_new_session_takes_back_what_was_chosen(home: Path, gate: threading.Event) -> None:
    async with live_window(home) as live:
        live.window.parts.sidebar.session_chosen.emit("slow")
        await until(lambda: not room(live))
        live.window.desk.new()
        assert room(live)
        await all_read(gate)
        assert live.panel.session_id == ""


async def test_what_is_deleted_while_it_is_read_is_not_shown(
    home: Path, gate: threading.Event
) -> None:
    async with live_window(home) as live:
        live.window.parts.sidebar.session_chosen.emit("slow")
        await until(lambda: not room(live))
        live.window.parts.sidebar.delete_requested.emit("slow")
        assert room(live)
        await all_read(gate)
        assert live.panel.session_id == ""
        assert live.window.parts.sidebar.model.item("slow") is None


async def test_a_session_that_is_not_there_is_told_and_nothing_changes(home: Path) -> None:
    async with live_window(home) as live:
        live.window.open_session("quick")
        live.window.desk.wanted.emit("nowhere")
        await until(lambda: "no session 'nowhere'" in live.window.parts.toast.text())
        assert live.panel.session_id == "quick"
        assert live.window.parts.sidebar.list.current_id() == "quick"
        assert room(live)


async def test_what_was_saved_after_the_reading_is_read_too(home: Path) -> None:
    async with live_window(home) as live:
        manager = live.window.program.sessions
        saved = manager.read("quick")
        await manager._store.append("quick", [MessageCompleted(Message("user", "Later"))])
        session = manager.open("quick", saved)
        assert session.history()[-1].text == "Later"


async def test_a_session_whose_panel_was_let_go_rests_and_is_itself_again(home: Path) -> None:
    async with live_window(home) as live:
        manager, desk = live.window.program.sessions, live.window.desk
        live.window.parts.sidebar.session_chosen.emit("slow")
        await until(lambda: live.panel.session_id == "slow")
        first = live.panel
        first.session.set_mode("plan")
        first.session.enqueue("Next.")
        first.composer.edit.setPlainText("half a thought")
        live.window.parts.sidebar.session_chosen.emit("quick")
        await until(lambda: live.panel.session_id == "quick")
        desk._drop(first)
        assert not manager.is_open("slow")
        assert first.session.conversation.messages == []
        live.window.parts.sidebar.session_chosen.emit("slow")
        await until(lambda: live.panel.session_id == "slow")
        assert live.panel is not first
        assert "Answer slow" in live.text
        assert live.panel.session.mode == "plan"
        assert [item.text for item in live.panel.session.queue] == ["Next."]
        assert live.panel.composer.text() == "half a thought"
