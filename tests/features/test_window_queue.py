"""The queue above the composer when nothing runs: it says that it is paused, and can be sent."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.support.live_window import LiveWindow, live_window
from tests.support.replies import Gate, fails, hangs, says
from tests.support.scripted_server import ScriptedServer
from tests.support.window import until


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def _row(live: LiveWindow, number: int):  # type: ignore[no-untyped-def]
    return live.panel.composer.queue._rows[number]


def _queue(live: LiveWindow, *texts: str) -> None:
    for text in texts:
        live.type(text)
        live.press("sendButton")


def _asked(live: LiveWindow) -> list[str]:
    return [m.text for m in live.panel.session.history() if m.role == "user"]


async def test_after_a_stop_the_queue_says_that_it_is_paused_and_one_row_can_be_sent(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(hangs("Half")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("first")
            await until(lambda: "Half" in live.text)
            _queue(live, "second", "third", "fourth")
            tray = live.panel.composer.queue
            assert not tray.paused.isVisible()
            assert _row(live, 0).steer.text() == "Steer now"
            live.press("stopButton")
            await live.ended()
            assert tray.texts() == ["second", "third", "fourth"]
            assert tray.paused.isVisible()
            assert "Paused" in tray.paused.text()
            assert _row(live, 1).steer.text() == "Send now"
            # What is being written stays where it is.
            live.type("half a thought")
            QTest.mouseClick(_row(live, 1).steer, Qt.MouseButton.LeftButton)
            await until(lambda: len(server.requests) == 4)
            await live.ended()
            assert _asked(live) == ["first", "third", "second", "fourth"]
            assert tray.texts() == []
            assert live.panel.composer.text() == "half a thought"


async def test_after_a_failure_nothing_of_the_queue_is_sent_and_a_retry_goes_on_with_it(
    home: Path, folder: Path
) -> None:
    gate = Gate()
    with ScriptedServer(says("One", gate), fails(401), says("Two."), says("Three.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("first")
            await until(lambda: "One" in live.text)
            _queue(live, "second", "third")
            gate.open()
            await until(lambda: len(server.requests) == 2)
            await live.ended()
            assert live.panel.state == "failed"
            assert live.panel.composer.queue.texts() == ["third"]
            assert live.panel.composer.queue.paused.isVisible()
            live.panel.retry()
            await until(lambda: "Three." in live.text)
            await live.ended()
            assert _asked(live) == ["first", "second", "third"]


async def test_a_queue_that_was_left_is_there_after_a_restart_and_a_row_needs_a_model(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(hangs("Half")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("first")
            await until(lambda: "Half" in live.text)
            _queue(live, "second")
            session_id = live.panel.session_id
    async with live_window(home, folder=folder) as live:
        live.window.open_session(session_id)
        await until(live.panel.transcript.is_idle)
        tray = live.panel.composer.queue
        await until(lambda: tray.texts() == ["second"])
        asked: list[bool] = []
        live.panel.desk.model_needed.connect(lambda: asked.append(True))
        QTest.mouseClick(_row(live, 0).steer, Qt.MouseButton.LeftButton)
        assert asked == [True]
        assert tray.texts() == ["second"]


async def test_many_waiting_messages_are_scrolled_and_leave_the_conversation_its_room(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(hangs("Half")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("first")
            await until(lambda: "Half" in live.text)
            _queue(live, *(f"message {number}" for number in range(40)))
            tray = live.panel.composer.queue
            assert len(tray.texts()) == 40
            await until(lambda: tray.height() > 100)
            assert tray.height() < 200
            assert live.panel.transcript.height() > 200
            live.press("stopButton")
            await live.ended()
            # The caret is where the next words go, not on what came after the Stop button.
            assert live.panel.composer.edit.hasFocus() or not live.window.isActiveWindow()


async def test_what_waited_and_is_refused_goes_back_to_the_composer_and_lets_the_rest_be_sent(
    home: Path, folder: Path
) -> None:
    gate = Gate()
    with ScriptedServer(says("One", gate), says("Two."), says("Three.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("first")
            await until(lambda: "One" in live.text)
            _queue(live, "!rm -rf /", "second")
            live.type("half a thought")
            gate.open()
            await live.ended()
            tray = live.panel.composer.queue
            assert tray.texts() == ["second"]
            told = live.window.parts.toast.text()
            assert "This command is never run" in told
            assert "It is in the composer again." in told
            # Behind the text, so that sending both runs nothing.
            assert live.panel.composer.text() == "half a thought\n\n!rm -rf /"
            live.type("next")
            live.press("sendButton")
            await until(lambda: len(server.requests) == 3)
            await live.ended()
            assert _asked(live) == ["first", "next", "second"]


async def test_a_refused_row_that_was_chosen_goes_back_too(home: Path, folder: Path) -> None:
    with ScriptedServer(hangs("Half")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("first")
            await until(lambda: "Half" in live.text)
            _queue(live, "second", "!rm -rf /")
            live.press("stopButton")
            await live.ended()
            QTest.mouseClick(_row(live, 1).steer, Qt.MouseButton.LeftButton)
            await until(lambda: live.panel.composer.text() == "!rm -rf /")
            await live.ended()
            assert live.panel.composer.queue.texts() == ["second"]
