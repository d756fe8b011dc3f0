"""A sent message that is edited: kept without sending, over switching, a kill and a restart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget

from kinet.ui.transcript.entries.lines import MetaEntry
from kinet.ui.writing.bubble_editor import BubbleEditor
from tests.support.live_window import LiveWindow, live_window
from tests.support.scripted_server import ScriptedServer, hangs, says
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


async def edited(live: LiveWindow, text: str) -> BubbleEditor:
    """Edits the newest message to this text; not sent."""
    assert live.panel.branches.edit_last()
    editor = live.panel.branches.editor
    assert editor is not None
    await until(editor.isVisible)
    editor.edit.set_text(text)
    return editor


def lines(live: LiveWindow) -> list[MetaEntry]:
    """The lines under the turns."""
    entries = live.panel.transcript.stage.flow.entries
    return [entry for entry in entries if isinstance(entry, MetaEntry)]


def shown(live: LiveWindow, name: str) -> bool:
    """True if the button of this name can be seen."""
    return bool(live.find(QPushButton, name).isVisible())


async def test_ctrl_s_keeps_the_edit_with_its_message_and_sends_nothing(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(says("One."), says("Two.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("The question")
            before = live.text
            editor = await edited(live, "A better question")
            QTest.keyClick(editor.edit, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
            assert live.panel.branches.editor is None
            assert live.text == before
            assert lines(live)[0].has_edit
            toast = live.window.parts.toast
            await until(lambda: "Edit brings it back" in toast.text())
            # It is there again, and leaving it so loses nothing: nothing is asked.
            again = await edited_again(live)
            assert again.edit.text() == "A better question"
            QTest.keyClick(again.edit, Qt.Key.Key_Escape)
            assert live.panel.branches.editor is None
            assert lines(live)[0].has_edit
            await edited_again(live)
            live.press("saveEditButton")
            await until(lambda: "Two." in live.text)
            await live.ended()
            assert not any(line.has_edit for line in lines(live))
            assert live.window.desk.drafts.edits.sessions() == frozenset()
    assert len(server.bodies) == 2
    assert "A better question" in str(server.bodies[1])


async def edited_again(live: LiveWindow) -> BubbleEditor:
    """Opens the editor of the newest message as it is."""
    assert live.panel.branches.edit_last()
    editor = live.panel.branches.editor
    assert editor is not None
    await until(editor.isVisible)
    return editor


async def test_escape_asks_only_where_something_would_be_lost(home: Path, folder: Path) -> None:
    with ScriptedServer(says("One.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("The question")
            editor = await edited_again(live)
            QTest.keyClick(editor.edit, Qt.Key.Key_Escape)
            assert live.panel.branches.editor is None
            editor = await edited(live, "Half a thou")
            QTest.keyClick(editor.edit, Qt.Key.Key_Escape)
            await until(lambda: shown(live, "keepChangesButton"))
            assert not shown(live, "saveEditButton")
            # Esc once more takes the question back.
            QTest.keyClick(live.find(QPushButton, "keepChangesButton"), Qt.Key.Key_Escape)
            assert not shown(live, "keepChangesButton")
            assert editor.edit.hasFocus()
            # Whoever writes on goes on.
            QTest.keyClick(editor.edit, Qt.Key.Key_Escape)
            QTest.keyClicks(editor.edit, "ght")
            assert not shown(live, "keepChangesButton")
            live.press("cancelEditButton")
            await until(lambda: shown(live, "discardChangesButton"))
            live.press("discardChangesButton")
            assert live.panel.branches.editor is None
            assert not lines(live)[0].has_edit
            assert live.panel.composer.text() == ""
            assert (await edited_again(live)).edit.text() == "The question"


async def test_the_window_s_own_escape_asks_too(home: Path, folder: Path) -> None:
    with ScriptedServer(says("One.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("The question")
            editor = await edited(live, "Half a thought")
            live.window.core.keys.escape()
            assert live.panel.branches.editor is editor
            await until(lambda: shown(live, "keepChangesButton"))
            live.press("keepChangesButton")
            assert live.panel.branches.editor is None
            assert lines(live)[0].has_edit


async def test_an_open_edit_is_on_the_disk_within_a_second_and_opens_again_after_a_kill(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(says("One."), says("Two.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("The question")
            session = live.panel.session_id
            editor = await edited(live, "Half a thought")
            editor.edit.textCursor().setPosition(4)
            file = home / "edits.json"
            # Nothing but time has passed: no key, no switch, no end.
            await until(file.exists, seconds=2)
            (kept,) = json.loads(file.read_text(encoding="utf-8"))[session].values()
            assert kept["open"]["text"] == "Half a thought"
            left = file.read_bytes()
        # A killed program leaves the file as it was then.
        file.write_bytes(left)
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            live.window.desk.wanted.emit(session)
            await until(lambda: live.panel.session_id == session)
            await until(lambda: live.panel.branches.editor is not None)
            again = live.panel.branches.editor
            assert again is not None
            assert again.edit.text() == "Half a thought"
            await until(again.isVisible)
            # The conversation still says what was sent, and the keyboard is left alone.
            assert live.text.startswith("**You:** The question")
            assert not again.edit.hasFocus()
            live.press("saveEditButton")
            await until(lambda: "Two." in live.text)
            await live.ended()
            assert live.text.startswith("**You:** Half a thought")


async def test_who_types_without_a_pause_is_kept_too(home: Path, folder: Path) -> None:
    with ScriptedServer(says("One.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("The question")
            editor = await edited(live, "")
            for desk, edit in (
                (live.panel.edits, editor.edit), (live.panel.desk, live.panel.composer.edit)
            ):  # fmt: skip
                QTest.keyClicks(edit, "a")
                await until(lambda d=desk: d._timer.remainingTime() < d._timer.interval() - 200)
                due = desk._timer.remainingTime()
                QTest.keyClicks(edit, "b")
                assert desk._timer.isActive()
                # The second letter has not put the time off.
                assert desk._timer.remainingTime() <= due


async def test_an_edit_stays_while_other_sessions_are_shown_even_if_its_panel_is_let_go(
    home: Path, folder: Path
) -> None:
    script = [says(f"Answer {number}.") for number in range(8)]
    with ScriptedServer(*script) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("The question")
            first = live.panel.session_id
            await edited(live, "Half a thought")
            for number in range(6):
                live.window.desk.new()
                await live.ask(f"Another {number}")
            assert all(panel.session_id != first for panel in live.window.desk.panels)
            assert first in live.window.desk.drafts.ids()
            live.window.desk.wanted.emit(first)
            await until(lambda: live.panel.session_id == first)
            await until(lambda: live.panel.branches.editor is not None)
            assert live.panel.branches.editor.edit.text() == "Half a thought"


async def test_another_message_can_be_edited_and_the_first_edit_is_kept(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(says("One."), says("Two.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("First question")
            await live.ask("Second question")
            await edited(live, "Second, better")
            first = live.panel.session.conversation.messages[0].id
            live.panel.branches.act("edit-message", first)
            editor = live.panel.branches.editor
            assert editor.edit.text() == "First question"
            await until(lambda: [line.has_edit for line in lines(live)] == [False, True])
            editor.edit.set_text("First, better")
            editor.keep_it()
            assert [line.has_edit for line in lines(live)] == [True, True]


async def test_pictures_are_kept_and_can_be_taken_away_one_by_one(home: Path, folder: Path) -> None:
    pictures = []
    for number, colour in enumerate((0x336699, 0x993366)):
        image = QImage(64, 64, QImage.Format.Format_RGB32)
        image.fill(colour)
        path = folder / f"dot{number}.png"
        assert image.save(str(path))
        pictures.append(path)
    with ScriptedServer(says("Blue, red."), says("Red.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            live.panel.send("Which colours?", pictures)
            await until(lambda: "Blue, red." in live.text)
            await live.ended()
            sent = live.panel.session.conversation.messages[0].images
            editor = await edited_again(live)
            names = [chip.accessibleName() for chip in chips(editor)]
            assert [name.split(",")[0] for name in names] == [
                "Attached: Picture 1", "Attached: Picture 2"
            ]  # fmt: skip
            chips(editor)[0].close_button.click()
            assert len(chips(editor)) == 1
            # A picture taken away is a change like any other.
            QTest.keyClick(editor.edit, Qt.Key.Key_Escape)
            await until(lambda: shown(live, "keepChangesButton"))
            live.press("keepChangesButton")
            editor = await edited_again(live)
            assert len(chips(editor)) == 1
            live.press("saveEditButton")
            await until(lambda: live.text.endswith("Red."))
            await live.ended()
            messages = live.panel.session.conversation.messages
            assert [picture.url for picture in messages[0].images] == [sent[1].url]


def chips(editor: BubbleEditor) -> list[QWidget]:
    """What is attached, as it is shown."""
    return list(editor.chips._chips)


async def test_attached_texts_are_chips_and_come_back_as_they_were(
    home: Path, folder: Path
) -> None:
    (folder / "notes.txt").write_text("one\n```\ntwo\n", encoding="utf-8")
    with ScriptedServer(says("Read."), says("Read again."), says("Nothing.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            live.type("What is in it?")
            live.panel.composer.attach(folder / "notes.txt")
            await until(lambda: live.panel.composer.attachments())
            live.press("sendButton")
            await until(lambda: "Read." in live.text)
            await live.ended()
            sent = live.panel.session.conversation.messages[0].text
            editor = await edited_again(live)
            assert editor.edit.text() == "What is in it?"
            assert [chip.accessibleName().split(",")[0] for chip in chips(editor)] == [
                "Attached: notes.txt"
            ]
            live.press("saveEditButton")
            await until(lambda: "Read again." in live.text)
            await live.ended()
            assert live.panel.session.conversation.messages[0].text == sent
            editor = await edited_again(live)
            chips(editor)[0].close_button.click()
            live.press("saveEditButton")
            await until(lambda: "Nothing." in live.text)
            await live.ended()
            assert live.panel.session.conversation.messages[0].text == "What is in it?"


async def test_an_edit_that_cannot_be_sent_while_a_turn_runs_says_so_and_stays(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(says("One."), hangs()) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("The question")
            await edited(live, "A better question")
            await live.say("And another")
            live.press("saveEditButton")
            assert "save again when it has ended" in live.window.parts.toast.text()
            assert live.panel.branches.editor.edit.text() == "A better question"
            live.press("stopButton")
            await live.ended()
            assert live.panel.branches.editor.edit.text() == "A better question"


async def test_a_message_with_a_line_that_would_stop_the_window_is_refused_in_words(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(says("One.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            live.panel.send("x" * 100_000)
            await live.ended()
            assert live.panel.branches.edit_last()
            assert live.panel.branches.editor is None
            assert "100,000 characters" in live.window.parts.toast.text()


async def test_who_edits_while_answers_are_compared_sees_the_editor(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(says("One."), says("Two.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("The question")
            live.panel.retry()
            await until(lambda: live.panel.runner.running)
            await live.ended()
            await until(lambda: lines(live) and lines(live)[0].branch == (2, 2))
            live.panel.compare.open_newest(live.panel.branches.places)
            await until(lambda: live.panel.compare.page is not None)
            editor = await edited_again(live)
            assert live.panel.compare.page is None
            assert editor.edit.hasFocus()


async def test_who_was_at_the_end_before_an_edit_follows_it_afterwards(
    home: Path, folder: Path
) -> None:
    long = "\n\n".join(f"Line {number}." for number in range(80))
    with ScriptedServer(says(long), says("Short.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("First")
            await live.ask("Second")
            transcript = live.panel.transcript
            assert transcript.following
            for act in (Qt.Key.Key_S, Qt.Key.Key_Escape):
                editor = await edited_again(live)
                held = Qt.KeyboardModifier.ControlModifier
                held = held if act == Qt.Key.Key_S else Qt.KeyboardModifier.NoModifier
                editor.edit.insertPlainText("!" if act == Qt.Key.Key_S else "")
                QTest.keyClick(editor.edit, act, held)
                assert live.panel.branches.editor is None
                assert transcript.following
            # Who has gone elsewhere meanwhile stays there.
            editor = await edited_again(live)
            transcript.verticalScrollBar().setValue(0)
            QTest.keyClick(editor.edit, Qt.Key.Key_Escape)
            assert not transcript.following
            assert transcript.verticalScrollBar().value() == 0
