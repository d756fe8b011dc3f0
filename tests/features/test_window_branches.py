"""The tree of a session in the real window: edit, ask again, switch; questions, lists, the map."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QScrollArea

from kinet.core.events import ContextCompacted
from kinet.ui.look.theme import current_theme
from kinet.ui.transcript.entries.compaction_entry import CompactionEntry
from kinet.ui.transcript.entries.lines import MetaEntry, RetryEntry
from kinet.ui.writing.bubble_editor import BubbleEditor
from tests.support.live_window import LiveWindow, live_window
from tests.support.replies import Gate
from tests.support.scripted_server import ScriptedServer, asks_for, fails, hangs, says
from tests.support.window import until

pytestmark = pytest.mark.window


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty data folder."""
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder."""
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def _lines(live: LiveWindow) -> list[MetaEntry]:
    entries = live.panel.transcript.stage.flow.entries
    return [entry for entry in entries if isinstance(entry, MetaEntry)]


def _click(live: LiveWindow, line: MetaEntry, action: str) -> None:
    """Presses a button under a turn."""
    style = live.panel.transcript.stage.flow.style
    hit = next(hit for hit in line.hits(style, 720) if hit.action == action)
    live.panel.branches.act(hit.action, hit.value)


def _editor(live: LiveWindow) -> BubbleEditor:
    editor = live.panel.branches.editor
    assert editor is not None
    return editor


async def test_a_message_is_edited_in_its_bubble_and_the_old_answers_stay_within_reach(
    home: Path, folder: Path
) -> None:
    answers = [says(f"Answer {number}.") for number in (1, 2, 3)]
    with ScriptedServer(*answers) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            live.type("in the composer")
            live.panel.send("The question")
            await live.ended()
            for number, text in ((2, "A better question"), (3, "The best question")):
                await until(lambda: _lines(live))
                live.type("in the composer")
                _click(live, _lines(live)[0], "edit-message")
                editor = _editor(live)
                await until(editor.isVisible)
                # It stands where the bubble stood: above the answer, in the conversation.
                assert editor.parentWidget() is live.panel.transcript.viewport()
                assert editor.edit.hasFocus()
                assert live.panel.composer.text() == "in the composer"
                editor.edit.set_text(text)
                live.press("saveEditButton")
                await until(lambda n=number: f"Answer {n}." in live.text)
                await live.ended()
                assert live.panel.branches.editor is None
                # Not with whatever stood beside the editor.
                assert live.panel.composer.edit.hasFocus()
                assert live.text.startswith(f"**You:** {text}")
                # Asked of the session itself, so that one that has lost an answer is seen at once.
                (point,) = await live.panel.session.branch_points()
                assert (point.number, point.count) == (number, number)
            await until(lambda: _lines(live)[0].branch == (3, 3), seconds=3)
            _click(live, _lines(live)[0], "branch-previous")
            await until(lambda: "Answer 2." in live.text, seconds=3)
            await until(lambda: _lines(live)[0].branch == (2, 3), seconds=3)
            assert "A better question" in live.text
    assert "Answer 1." not in str(server.bodies[1])


async def test_an_edit_that_is_cancelled_changes_nothing_by_button_or_by_escape(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(says("First answer."), says("Second.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("The question")
            before = live.text
            for leave in ("button", "escape"):
                _click(live, _lines(live)[0], "edit-message")
                editor = _editor(live)
                await until(editor.isVisible)
                editor.edit.set_text("Something else")
                assert live.text == before
                if leave == "button":
                    live.press("cancelEditButton")
                else:
                    QTest.keyClick(editor.edit, Qt.Key.Key_Escape)
                # What was written would be lost: that is asked first.
                assert live.panel.branches.editor is editor
                live.press("discardChangesButton")
                assert live.panel.branches.editor is None
                assert live.panel.composer.edit.hasFocus()
            assert live.text == before
            await live.ask("Another")
            assert "First answer." in live.text
    assert len(server.bodies) == 2


async def test_the_newest_message_is_edited_by_keyboard_alone_in_several_lines(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(says("One."), says("Two.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("First")
            QTest.keyClick(live.panel.composer.edit, Qt.Key.Key_Up)
            editor = _editor(live)
            await until(editor.isVisible)
            high = editor.height()
            assert editor.edit.text() == "First"
            QTest.keyClick(editor.edit, Qt.Key.Key_Return)
            QTest.keyClick(editor.edit, Qt.Key.Key_Return)
            QTest.keyClicks(editor.edit, "second line")
            assert editor.edit.text() == "First\n\nsecond line"
            await until(lambda: editor.height() > high)
            QTest.keyClick(editor.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
            await until(lambda: "Two." in live.text)
            await live.ended()
    assert "second line" in str(server.bodies[1])


async def test_an_input_method_keeps_its_enter_and_its_escape_while_a_message_is_edited(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(says("一."), says("二.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("总结第三季度")
            _click(live, _lines(live)[0], "edit-message")
            editor = _editor(live)
            edit = editor.edit
            QApplication.sendEvent(edit, QInputMethodEvent("baogao", []))
            QTest.keyClick(edit, Qt.Key.Key_Escape)
            QTest.keyClick(edit, Qt.Key.Key_Return)
            assert live.panel.branches.editor is editor
            assert edit.text() == "总结第三季度"
            chosen = QInputMethodEvent("", [])
            chosen.setCommitString("报告")
            QApplication.sendEvent(edit, chosen)
            assert edit.text() == "总结第三季度报告"
            live.press("saveEditButton")
            await until(lambda: "二." in live.text)
            await live.ended()
    assert "总结第三季度报告" in str(server.bodies[1])


async def test_what_was_written_into_a_bubble_is_not_lost_when_the_branch_changes(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(says("One."), says("Two."), says("Three.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("First")
            _click(live, _lines(live)[0], "edit-message")
            _editor(live).edit.set_text("half a thou")
            live.panel.retry()
            await until(lambda: "Two." in live.text)
            await live.ended()
            assert live.panel.branches.editor is None
            assert live.panel.composer.text() == "half a thou"
            await until(lambda: _lines(live)[0].branch == (2, 2))
            _click(live, _lines(live)[0], "edit-message")
            _editor(live).edit.set_text("another thought")
            _click(live, _lines(live)[0], "branch-previous")
            await until(lambda: "One." in live.text)
            assert live.panel.composer.text() == "another thought\n\nhalf a thou"


async def test_a_message_cannot_be_edited_while_a_turn_runs_and_that_is_said(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(says("One."), hangs()) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("First")
            await live.say("Second")
            _click(live, _lines(live)[0], "edit-message")
            assert live.panel.branches.editor is None
            assert "can be edited when this turn has ended" in live.window.parts.toast.text()
            live.press("stopButton")
            await live.ended()


async def test_the_pictures_of_an_edited_message_are_sent_again(home: Path, folder: Path) -> None:
    picture = folder / "dot.png"
    image = QImage(64, 64, QImage.Format.Format_RGB32)
    image.fill(0x336699)
    assert image.save(str(picture))
    with ScriptedServer(says("Blue."), says("Still blue.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            live.panel.send("Which colour?", [picture])
            await until(lambda: "Blue." in live.text)
            await live.ended()
            _click(live, _lines(live)[0], "edit-message")
            editor = _editor(live)
            assert any("picture stays" in item.text() for item in editor.findChildren(QLabel))
            editor.edit.set_text("Which colour is it now?")
            live.press("saveEditButton")
            await until(lambda: "Still blue." in live.text)
            await live.ended()
    assert "image_url" in str(server.bodies[1])


async def test_asking_again_keeps_the_old_answer_as_a_branch(home: Path, folder: Path) -> None:
    with ScriptedServer(says("First answer."), says("Second answer.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("The question")
            live.panel.retry()
            await until(lambda: "Second answer." in live.text)
            await live.ended()
            assert live.text.count("The question") == 1
            await until(lambda: _lines(live)[0].branch == (2, 2))
    assert server.bodies[0]["messages"] == server.bodies[1]["messages"]


async def test_a_question_of_the_model_is_answered_in_words(home: Path, folder: Path) -> None:
    script = (
        asks_for("ask_user", question="Which colour?", choices=["red", "blue"]),
        asks_for("ask_user", question="And why?"),
        says("Thank you."),
    )
    with ScriptedServer(*script) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("Paint it")
            await until(lambda: live.panel.questions.cards())
            assert live.panel.state == "waiting"
            card = live.panel.questions.cards()[0]
            buttons = card.findChildren(QPushButton, "answerChoice")
            assert [button.accessibleName() for button in buttons] == ["red", "blue"]
            buttons[1].click()
            await until(lambda: live.panel.questions.cards() not in ((), (card,)))
            card = live.panel.questions.cards()[0]
            field = card.findChild(QLineEdit, "answerField")
            assert field is not None
            field.setText("It is calm.")
            field.returnPressed.emit()
            await live.ended()
    assert server.bodies[1]["messages"][-1]["content"] == "blue"
    assert server.bodies[2]["messages"][-1]["content"] == "It is calm."


async def test_a_stop_takes_an_open_question_away(home: Path, folder: Path) -> None:
    with ScriptedServer(asks_for("ask_user", question="Which colour?")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("Paint it")
            await until(lambda: live.panel.questions.cards())
            live.press("stopButton")
            await live.ended()
            assert live.panel.questions.cards() == ()


async def test_the_steps_of_the_task_stand_above_the_composer(home: Path, folder: Path) -> None:
    items = [{"text": "Look", "state": "done"}, {"text": "Write", "state": "doing"}]
    with ScriptedServer(asks_for("todo", items=items), says("So far.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("Work")
            assert live.panel.todo.summary() == "1 of 2 steps done · Write"
            assert live.panel.todo.isVisible()
            live.press("todoToggle")
            assert live.panel.todo.texts() == ["✓ Look", "▸ Write"]


async def test_the_gauge_opens_the_map_of_the_context(home: Path, folder: Path) -> None:
    (folder / "AGENTS.md").write_text("Use tabs.\n", encoding="utf-8")
    with ScriptedServer(says("An answer.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder, trust=True) as live:
            await live.ask("The question")
            live.panel.status_row.gauge.click()
            await until(lambda: live.panel.context.view is not None)
            view = live.panel.context.view
            assert view is not None
            rows = "\n".join(view.texts())
            for name in ("Kinet's own words", "AGENTS.md", "tools", "The question"):
                assert name in rows
            # A surface of its own: on a dark ground it was the ground itself.
            picture, theme = view.grab().toImage(), current_theme()
            assert picture.pixelColor(view.width() // 2, 0) == theme.qcolor("dialog_border")
            assert picture.pixelColor(4, view.height() // 2) == theme.qcolor("raised")
            unnamed = [w for w in view.findChildren(QScrollArea) if not w.accessibleName()]
            assert unnamed == []
            view.close()


async def test_a_compaction_by_hand_shows_its_figures_and_what_was_folded(
    home: Path, folder: Path
) -> None:
    script = (says("Long. " + "word " * 9_000), says("Short."), says("## Goal\nThe summary."))
    with ScriptedServer(*script) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("First " + "words " * 5_000)
            await live.ask("Second")
            await live.say("/compact the goal")
            await live.ended()
            entries = live.panel.transcript.stage.flow.entries
            (entry,) = [item for item in entries if isinstance(item, CompactionEntry)]
            assert entry.before > entry.after > 0
            assert "The summary." in entry.source
            assert "Long." in live.text
            assert live.panel.composer.text() == ""
            events = live.panel.session.events()
            assert any(isinstance(event, ContextCompacted) for event in events)
    assert "the goal" in str(server.bodies[2]["messages"])


def retry_line(live: LiveWindow) -> str:
    """The words of the line in the conversation that tells of a retry."""
    entries = live.panel.transcript.stage.flow.entries
    return next((entry.text for entry in entries if isinstance(entry, RetryEntry)), "")


async def test_a_wait_before_a_retry_counts_down(home: Path, folder: Path) -> None:
    waits = {"retry-after-ms": "2300"}
    with ScriptedServer(fails(503, headers=waits), says("Here.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("The question")
            label = live.panel.status_row.label
            for seconds in (2, 1):
                await until(lambda s=seconds: label.text() == f"Trying again in {s} s")
                await until(
                    lambda s=seconds: f"in {s} s: " in retry_line(live), what="the line too"
                )
            await live.ended()
            assert "Here." in live.text
            # What was waited for is told no more when it is over.
            assert "Trying again" not in live.text


async def test_messages_that_steer_are_listed_and_can_be_taken_back(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(
        asks_for("write_file", path="a.txt", content="x"), says("Done."), says("Never.")
    ) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("Write")
            await live.question()
            live.type("Use capital letters")
            live.press("sendButton")
            tray = live.panel.composer.queue
            await until(lambda: tray.texts() == ["Use capital letters"])
            live.panel.composer.queue.remove_requested.emit(live.panel.session.steering[0].id)
            assert tray.texts() == []
            await live.allow()
            await live.ended()
    assert "capital" not in str(server.bodies[1])


async def test_what_is_sent_while_an_edited_message_goes_back_follows_it_once(
    home: Path, folder: Path
) -> None:
    """The summary of the branch that is left may take its time."""
    gate = Gate()
    look = asks_for("read_file", path="notes.txt")
    summary = says("I looked ", gate, "at the notes.")
    script = (look, says("One."), summary, says("Edited."), says("Typed."))
    with ScriptedServer(*script) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            live.window.program.settings.set("limits.branch_summary", True)
            await live.ask("First")
            _click(live, _lines(live)[0], "edit-message")
            editor = _editor(live)
            await until(editor.isVisible)
            editor.edit.set_text("First, but better")
            live.press("saveEditButton")
            await until(gate.reached.is_set)
            live.type("Typed meanwhile")
            live.press("sendButton")
            assert live.panel.composer.queue.texts() == ["Typed meanwhile"]
            assert live.panel.session.history()[0].text == "First"
            gate.open()
            await until(lambda: "Typed." in live.text)
            await live.ended()
            asked = [m.text for m in live.panel.session.history() if m.kind == ""]
            assert [text for text in asked if "First" in text or "Typed m" in text] == [
                "First, but better",
                "Typed meanwhile",
            ]
            assert live.panel.composer.queue.texts() == []
            assert live.panel.composer.text() == ""
