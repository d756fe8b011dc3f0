"""What a turn is doing, in the one line below the composer: each state has a word and a timer."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from kinet.settings.store import SettingsStore
from kinet.ui.chat.status_row import Status
from kinet.ui.transcript.entries.error_card import ErrorEntry
from tests.support.live_window import LiveWindow, live_window
from tests.support.scripted_server import Gate, ScriptedServer, asks_for, fails, hangs, says
from tests.support.window import until

pytestmark = pytest.mark.window


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty data folder."""
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file."""
    place = tmp_path / "work"
    place.mkdir()
    (place / "notes.txt").write_text("note\n" * 20, encoding="utf-8")
    return place


def _watch(live: LiveWindow) -> list[Status]:
    """Grows with each state that is shown."""
    seen: list[Status] = []
    runner = live.panel.runner
    runner.status_changed.connect(lambda: seen.append(runner.status.status))
    return seen


def _shown(live: LiveWindow) -> str:
    return str(live.panel.status_row.label.text())


async def test_before_the_first_message_it_says_who_answers_where_and_with_what_rights(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(says("Hello.")) as server:
        SettingsStore(home).save_profile(replace(server.profile(), name="Lumen 4"))
        async with live_window(home, folder=folder, approve="ask") as live:
            assert _shown(live) == "Lumen 4 · work · Ask before changes"
            live.panel.composer.menus.mode_chosen.emit("plan")
            await until(lambda: _shown(live) == "Lumen 4 · work · Plan only")
            await live.ask("Hi.")
            assert _shown(live).startswith("Done in ")


async def test_each_state_of_a_turn_has_its_word_and_counts_its_seconds(
    home: Path, folder: Path
) -> None:
    gate = Gate()
    script = (
        asks_for("read_file", path="notes.txt").thinking("Let me look."),
        asks_for("write_file", path="new.txt", content="x"),
        says("Half ", gate, "and half."),
    )
    with ScriptedServer(*script) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            seen = _watch(live)
            await live.say("Look, then write")
            await live.question()
            await until(lambda: _shown(live).startswith("1 request needs your answer"))
            # Its seconds are those since it was asked.
            status = live.panel.status_row.status
            assert status.since > 0
            live.panel.status_row.show_status(
                Status(status.text, status.icon, status.token, status.since - 75)
            )
            assert _shown(live) == "1 request needs your answer 1 min 15 s"
            await live.allow()
            await until(lambda: _shown(live).startswith("Writing"))
            gate.open()
            await live.ended()
    words = list(dict.fromkeys(status.text for status in seen))
    for expected in (
        "Waiting for model",
        "Thinking",
        "Reading notes.txt",
        "1 request needs your answer",
        "Writing",
    ):
        assert expected in words
    running = [status for status in seen if status.icon in ("running", "alert")]
    assert all(status.since > 0 for status in running)
    assert words[-1].startswith("Done in ")


async def test_the_steps_of_a_sub_agent_are_told_as_its_own(home: Path, folder: Path) -> None:
    script = (
        asks_for("dispatch_agent", task="Read the notes"),
        asks_for("read_file", path="notes.txt"),
        says("Twenty lines."),
        says("There are twenty."),
    )
    with ScriptedServer(*script) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            seen = _watch(live)
            await live.ask("Count")
    words = [status.text for status in seen]
    assert "Agent at work" in words
    assert "Agent: reading notes.txt" in words
    # When its step ends, it is the agent that goes on.
    after = words[words.index("Agent: reading notes.txt") + 1 :]
    assert "Agent at work" in after


async def test_a_compaction_says_that_it_runs_and_then_what_it_freed(
    home: Path, folder: Path
) -> None:
    script = (says("Long. " + "word " * 9_000), says("Short."), says("## Goal\nThe summary."))
    with ScriptedServer(*script) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("First " + "words " * 5_000)
            await live.ask("Second")
            seen = _watch(live)
            await live.ask("/compact")
    words = [status.text for status in seen]
    assert "Summarising older parts" in words
    told = words[words.index("Summarising older parts") + 1]
    assert told.startswith("Context compacted: ")


async def test_a_question_of_the_model_is_told_as_one_that_needs_the_person(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(asks_for("ask_user", question="Which?"), says("So.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("Paint it")
            await until(lambda: _shown(live).startswith("Waiting for your answer"))
            status = live.panel.status_row.status
            assert (status.icon, status.token) == ("alert", "warning")
            assert status.since > 0
            live.press("stopButton")
            await live.ended()
            assert _shown(live).startswith("Stopped")


async def test_a_retry_counts_down_and_stop_ends_the_wait(home: Path, folder: Path) -> None:
    with ScriptedServer(fails(503), says("Never.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("The question")
            await until(lambda: _shown(live).startswith("Trying again in "))
            assert live.panel.status_row.status.until > 0
            live.press("stopButton")
            await live.ended()
            assert _shown(live).startswith("Stopped")
    assert len(server.requests) == 1


async def test_after_too_many_failures_try_anyway_asks_the_server_all_the_same(
    home: Path, folder: Path
) -> None:
    failures = [fails(500) for _ in range(5)]
    with ScriptedServer(*failures, says("Back again.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            live.window.program.settings.set("network.retries", 0)
            for _ in failures:
                await live.ask("Hello?")
            assert len(server.requests) == len(failures)
            await live.ask("Hello?")
            # It is left alone now, and the card says so and offers a way on.
            assert len(server.requests) == len(failures)
            stage = live.panel.transcript.stage
            (card,) = [entry for entry in stage.flow.entries[-2:] if entry.kind == "error"]
            assert isinstance(card, ErrorEntry)
            assert dict(card.acts)["retry"] == "Try anyway"
            assert "try anyway" in card.hint
            await until(live.panel.transcript.is_idle)
            left, width = stage.column
            hits = card.hits(stage.flow.style, width)
            hit = next(item for item in hits if item.action == "retry")
            top = stage.flow.top_of(stage.flow.place_of(card)) - stage.bar.value()
            place = hit.rect.center() + QPoint(left, top)
            QTest.mouseClick(live.panel.transcript.viewport(), Qt.MouseButton.LeftButton, pos=place)
            await until(lambda: "Back again." in live.text)
            await live.ended()
            # What answers is asked as before.
            await live.ask("Still there?")
    assert len(server.requests) == len(failures) + 2


async def test_the_queue_is_reached_and_worked_by_keyboard_alone(home: Path, folder: Path) -> None:
    with ScriptedServer(hangs()) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("Wait")
            # From here on nothing is taken up before the next step.
            await until(lambda: server.requests)
            for text in ("first", "second", "third"):
                live.type(text)
                QTest.keyClick(live.panel.composer.edit, Qt.Key.Key_Return)
            tray = live.panel.composer.queue
            assert tray.texts() == ["first", "second", "third"]

            async def go_to(name: str) -> QWidget:
                """Tabs until a control of this name has the focus."""
                for _ in range(80):
                    await asyncio.sleep(0)
                    focused = QApplication.focusWidget()
                    if focused is not None and focused.accessibleName() == name:
                        return focused
                    QTest.keyClick(focused or live.window, Qt.Key.Key_Tab)
                raise AssertionError(f"{name} cannot be reached")

            QTest.keyClick(await go_to("Remove: second"), Qt.Key.Key_Space)
            assert tray.texts() == ["first", "third"]
            QTest.keyClick(await go_to("Steer now: third"), Qt.Key.Key_Space)
            assert tray.texts() == ["third", "first"]
            QTest.keyClick(await go_to("Edit: first"), Qt.Key.Key_Space)
            assert tray.texts() == ["third"]
            assert live.panel.composer.text() == "first"
            assert live.panel.composer.edit.hasFocus()
            live.press("stopButton")
            await live.ended()
