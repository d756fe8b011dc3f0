"""The end of a long session is on screen while the rest is read, and nothing jumps afterwards."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kinet.core.events import MessageCompleted, TurnFinished, TurnStarted
from kinet.core.messages import Message
from kinet.session import saved
from kinet.store.database import FILE_NAME, Database
from kinet.store.sessions import NewSession, SessionStore
from kinet.ui.desks.session_preview import SessionPreview
from kinet.ui.transcript.stage.selection import Place
from kinet.ui.transcript.view import Transcript
from tests.support.live_window import LiveWindow, live_window
from tests.support.window import until

pytestmark = pytest.mark.window

TURNS = 90


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with a session that counts as long, and a short one."""
    monkeypatch.setattr(saved, "LONG", 2 * TURNS)
    place = tmp_path / "home"
    store = SessionStore(Database(place / FILE_NAME))
    for name, count in (("long", TURNS), ("short", 1)):
        store.create(NewSession(name, title=f"The {name} one"))
        for number in range(count):
            turn = f"{name}-{number}"
            text = f"Answer {number}. " + "It goes on for a while. " * (number % 40)
            asked = MessageCompleted(Message("user", f"Ask {number}", id=turn))
            said = MessageCompleted(Message("assistant", text))
            end = TurnFinished("completed")
            store.put(name, [TurnStarted(name, turn), asked, said, end]).result()
    store.database.close()
    return place


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """No session is read whole before this is set."""
    opened, load = threading.Event(), SessionStore.load_counting

    def slow(store: SessionStore, session_id: str, *rest: Any) -> Any:
        assert opened.wait(30)
        return load(store, session_id, *rest)

    monkeypatch.setattr(SessionStore, "load_counting", slow)
    yield opened
    opened.set()


def preview(live: LiveWindow) -> SessionPreview | None:
    found = live.window.findChildren(SessionPreview)
    return next((item for item in found if item.isVisible()), None)


async def chosen(live: LiveWindow) -> Transcript:
    """Chooses the long session; what shows its end, when that is laid out."""
    live.window.parts.sidebar.session_chosen.emit("long")
    await until(lambda: preview(live) is not None)
    await until(lambda: not live.panel.composer.edit.isEnabled())
    shown = preview(live)
    assert shown is not None
    await until(shown.transcript.is_idle)
    return shown.transcript


def seen(transcript: Transcript) -> list[tuple[int, str]]:
    """What is on screen: where each entry stands, and what it says."""
    flow, top = transcript.stage.flow, transcript.stage.bar.value()
    places = flow.seen(top, top + transcript.stage.height)
    return [(flow.top_of(place) - top, flow.entries[place].markdown()) for place in places]


async def whole(live: LiveWindow, gate: threading.Event) -> Transcript:
    gate.set()
    await until(lambda: live.panel.session_id == "long")
    await until(live.panel.transcript.is_idle)
    assert preview(live) is None
    assert live.panel.composer.edit.isEnabled()
    return live.panel.transcript


async def test_the_end_is_shown_first_and_stays_where_it_was(
    home: Path, gate: threading.Event
) -> None:
    async with live_window(home) as live:
        before = seen(await chosen(live))
        assert "Answer 89." in "".join(text for _, text in before)
        after = await whole(live, gate)
        assert after.following
        assert seen(after) == before
        assert live.text.count("**You:** Ask") == TURNS


async def test_who_scrolled_up_meanwhile_stays_where_they_read(
    home: Path, gate: threading.Event
) -> None:
    async with live_window(home) as live:
        transcript = await chosen(live)
        bar = transcript.verticalScrollBar()
        bar.setValue(bar.maximum() - 1300)
        await until(transcript.is_idle)
        before = seen(transcript)
        after = await whole(live, gate)
        assert not after.following
        assert seen(after) == before


async def test_what_is_selected_meanwhile_stays_selected(home: Path, gate: threading.Event) -> None:
    async with live_window(home) as live:
        transcript = await chosen(live)
        number = len(transcript.stage.flow.entries) - 3
        entry = transcript.stage.flow.entries[number]
        assert entry.kind in ("answer", "user")
        transcript.selection.set(Place(number, 0, 0), Place(number, 0, 6))
        words = transcript.selection.text()
        assert words
        after = await whole(live, gate)
        assert after.selection.text() == words


async def test_another_choice_takes_the_end_away(home: Path, gate: threading.Event) -> None:
    async with live_window(home) as live:
        await chosen(live)
        live.window.parts.sidebar.session_chosen.emit("short")
        assert preview(live) is None
        gate.set()
        await until(lambda: live.panel.session_id == "short")
        assert live.panel.composer.edit.isEnabled()
        assert preview(live) is None


async def test_what_acts_on_the_session_has_to_wait(home: Path, gate: threading.Event) -> None:
    async with live_window(home) as live:
        transcript = await chosen(live)
        transcript.retry_requested.emit()
        assert "still being read" in live.window.parts.toast.text()
        # The loop waits at its end for the thread that reads.
        gate.set()


async def test_a_session_that_is_open_without_a_panel_is_read_in_a_thread_again(
    home: Path, gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate.set()
    monkeypatch.setattr("kinet.ui.desks.session_opening._FEW", 10)
    async with live_window(home) as live:
        live.window.parts.sidebar.session_chosen.emit("long")
        await until(lambda: live.panel.session_id == "long")
        first = live.panel
        live.window.desk.new()
        live.window.desk._drop(first)
        load = SessionStore.load

        def elsewhere(store: SessionStore, session_id: str, *rest: Any) -> Any:
            assert threading.current_thread() is not threading.main_thread()
            return load(store, session_id, *rest)

        monkeypatch.setattr(SessionStore, "load", elsewhere)
        live.window.parts.sidebar.session_chosen.emit("long")
        await until(lambda: live.panel.session_id == "long")
        assert live.panel is not first
        assert live.text.count("**You:** Ask") == TURNS
