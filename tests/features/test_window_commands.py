"""Commands of the person's own in the window: typed, shown for what they are, run, stopped."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontInfo
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QScrollArea

from kinet.tools.processes import kept_output
from kinet.ui.chat.announcements import command_words
from kinet.ui.transcript.entries.command_entry import CommandEntry
from kinet.ui.window.outline import outline_of
from kinet.ui.window.paper import Paper
from tests.features.test_window_stop import alive
from tests.support.live_window import LiveWindow, live_window
from tests.support.replies import Gate
from tests.support.scripted_server import ScriptedServer, says
from tests.support.window import until

pytestmark = pytest.mark.window


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "orchard"
    folder.mkdir()
    (folder / "two words.txt").write_text("plum\n", "utf-8")
    return folder


async def run(live: LiveWindow, text: str) -> None:
    """Types and sends a command, and waits for its end."""
    live.type(text)
    live.press("sendButton")
    await live.ended()


def entries(live: LiveWindow) -> list[CommandEntry]:
    """The commands of the transcript."""
    return [e for e in live.panel.transcript.stage.flow.entries if isinstance(e, CommandEntry)]


async def test_a_running_command_names_its_session_in_the_head_too_and_costs_nothing_to_show(
    tmp_path: Path, folder: Path
) -> None:
    async with live_window(tmp_path / "home", folder=folder) as live:
        live.type("!until [ -e go ]; do sleep 0.02; done")
        live.press("sendButton")
        await until(lambda: live.panel.runner.running and live.panel.title != "New session")
        await until(lambda: live.panel.header.title.whole_text() == live.panel.title)
        assert live.panel.title.startswith("!until")
        assert live.window.windowTitle().startswith("!until")
        (folder / "go").touch()
        await live.ended()
        # No model was asked: nothing is "free" and no window is filled.
        assert not live.panel.status_row.cost.isVisible()
        assert not live.panel.status_row.gauge.isVisible()


async def test_a_command_is_marked_before_it_is_sent_and_needs_no_model(
    tmp_path: Path, folder: Path
) -> None:
    async with live_window(tmp_path / "home", folder=folder) as live:
        composer = live.panel.composer
        mark, edit = composer.mark, composer.edit
        live.type("! no")
        assert not mark.isVisible()
        live.type("!cat 'two words.txt'")
        assert mark.isVisible()
        assert mark.words.whole_text() == "the model hears what it prints; runs in orchard"
        assert edit.accessibleName() == "Command"
        assert composer.box.send.accessibleName() == "Run the command"
        assert QFontInfo(edit.document().defaultFont()).fixedPitch()
        live.type("!!ls")
        assert mark.words.whole_text() == "kept from the model; runs in orchard"
        live.type("!cat 'two words.txt'")
        live.press("sendButton")
        await live.ended()
        assert not mark.isVisible()
        assert edit.accessibleName() == "Message"
        (entry,) = entries(live)
        assert entry.lines() == (("plum",), 0)
        assert entry.spoken() == "You ran cat 'two words.txt', exit 0"
        assert "plum" in live.text
        assert live.panel.title == "!cat 'two words.txt'"
        # Without a model the first page gives way to what was run, and the list has it.
        assert live.panel.transcript.isVisible()
        assert live.window.parts.sidebar.model.item(live.panel.session_id) is not None


async def test_the_button_of_the_mark_makes_a_message_of_it_and_undo_takes_that_back(
    tmp_path: Path, folder: Path
) -> None:
    with ScriptedServer(says("I see.")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=folder
        ) as live:
            composer = live.panel.composer
            live.type("!important: the plums")
            QTest.mouseClick(composer.mark.button, Qt.MouseButton.LeftButton)
            assert composer.text() == " !important: the plums"
            assert not composer.mark.isVisible()
            composer.edit.undo()
            assert composer.text() == "!important: the plums"
            assert composer.mark.isVisible()
            composer.edit.redo()
            live.press("sendButton")
            await live.ended()
            assert "I see." in live.text
            assert entries(live) == []
            # Typed again from the history it is a message still.
            composer.edit.recall_requested.emit(-1)
            assert composer.text() == " !important: the plums"


async def test_a_command_without_a_folder_is_refused_in_words_and_the_text_stays(
    tmp_path: Path,
) -> None:
    async with live_window(tmp_path / "home") as live:
        live.type("!ls")
        assert "needs a folder" in live.panel.composer.mark.words.whole_text()
        live.press("sendButton")
        await live.ended()
        await until(lambda: "Choose a folder" in live.window.parts.toast.text())
        assert live.panel.composer.text() == "!ls"


async def test_what_is_attached_keeps_a_command_from_running(tmp_path: Path, folder: Path) -> None:
    async with live_window(tmp_path / "home", folder=folder) as live:
        live.type("!ls")
        live.panel.composer.attach(folder / "two words.txt")
        live.press("sendButton")
        assert "takes nothing that is attached" in live.window.parts.toast.text()
        assert live.panel.composer.text() == "!ls"
        assert not live.panel.runner.running


async def test_the_tail_is_shown_while_it_runs_and_stop_ends_all_of_it(
    tmp_path: Path, folder: Path
) -> None:
    async with live_window(tmp_path / "home", folder=folder) as live:
        live.type("!seq 1 30; sleep 300 & echo $!; wait")
        live.press("sendButton")
        await until(lambda: entries(live) and entries(live)[0].lines()[1] == 19, what="the tail")
        (entry,) = entries(live)
        assert entry.is_live
        child = int(entry.lines()[0][-1])
        assert alive(child)
        live.press("stopButton")
        await live.ended()
        assert entry.lines()[0][-1] == "[stopped]"
        assert "stopped" in entry.spoken()
        assert live.panel.state == "stopped"
        await until(lambda: not alive(child), what="the child ends")
        assert "Stopped" not in live.text


async def test_while_a_turn_runs_a_command_waits_and_follows_it(
    tmp_path: Path, folder: Path
) -> None:
    gate = Gate()
    with ScriptedServer(says("One", gate, ".")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=folder
        ) as live:
            await live.say("Go.")
            await until(lambda: "One" in live.text)
            live.type("!!echo after")
            live.press("sendButton")
            (row,) = live.panel.composer.queue._rows
            assert row.label.accessibleName() == "Queued command 1: !!echo after"
            assert not row.steer.isVisible()
            row.edit.click()
            assert live.panel.composer.text() == "!!echo after"
            live.press("sendButton")
            gate.open()
            await live.ended()
            (entry,) = entries(live)
            assert entry.spoken() == "You ran echo after, exit 0 · kept from the model"
            assert live.text.index("One.") < live.text.index("echo after")


async def test_a_step_of_it_is_shown_whole_in_the_panel_and_says_what_the_model_gets(
    tmp_path: Path, folder: Path
) -> None:
    async with live_window(tmp_path / "home", folder=folder) as live:
        await run(live, "!seq 1 4000")
        await run(live, "!!echo hm")
        detail = live.window.parts.steps.detail
        live.panel.transcript.open_step(0)
        assert detail.full_text().endswith("3999\n4000")
        assert "first and last" in detail._share.sentence()
        live.panel.transcript.open_step(1)
        assert detail._share.sentence() == "Kept from the model"


async def test_a_long_output_has_its_colours_at_both_ends_and_in_each_part(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HEAD", "TAIL", "PRINTED"):
        monkeypatch.setattr(kept_output, name, 4_000)
    async with live_window(tmp_path / "home", folder=folder) as live:
        await run(live, r"!printf '\033[31mred %s\033[0m and so on\n' $(seq 2000)")
        live.panel.transcript.open_step(0)
        detail = live.window.parts.steps.detail
        view = detail.output
        await until(lambda: bool(view._inks))
        view.finish_loading()
        for number in (0, len(view.rows) - 1, 200):
            view.scroll_to_row(number)
            row = view.rows[number]
            assert [(row.text[: run.length], run.token) for run in row.runs] == [
                (row.text.removesuffix(" and so on"), "danger")
            ]
        detail.whole.ends.click()
        await until(lambda: len(view.rows) > 1_500 and bool(view._inks))
        view.scroll_to_row(1_000)
        assert [run.token for run in view.rows[1_000].runs] == ["danger"]


async def test_a_protected_place_is_asked_about_on_a_card_and_a_no_gives_the_text_back(
    tmp_path: Path, folder: Path
) -> None:
    (folder / ".env").write_text("KEY=1\n", "utf-8")
    async with live_window(tmp_path / "home", folder=folder) as live:
        live.type("!cat .env")
        live.press("sendButton")
        card = await live.question()
        said = " ".join(label.text() for label in card.findChildren(QLabel))
        assert "may hold keys or passwords" in said
        assert "Run this command of yours all the same?" in said
        await live.answer("denyButton")
        await live.ended()
        assert live.panel.composer.text() == "!cat .env"
        assert "The command was not run" in live.text
        assert [entry.spoken() for entry in entries(live)] == ["Your command cat .env, denied"]


async def test_earlier_commands_come_back_with_their_mark(tmp_path: Path, folder: Path) -> None:
    async with live_window(tmp_path / "home", folder=folder) as live:
        edit = live.panel.composer.edit
        await run(live, "!echo one")
        await run(live, "!!echo two")
        edit.recall_requested.emit(0)
        assert live.panel.composer.text() == "!!echo two"
        edit.recall_requested.emit(-1)
        assert live.panel.composer.text() == "!echo one"
        assert live.panel.composer.mark.isVisible()


async def test_a_file_is_completed_to_one_word_of_the_shell_from_where_the_command_begins(
    tmp_path: Path, folder: Path
) -> None:
    (folder / "sub").mkdir()
    async with live_window(tmp_path / "home", folder=folder) as live:
        await run(live, "!cd sub")
        assert live.panel.composer.mark._where == "orchard/sub"
        await live.focus_composer()
        live.type("!cat @two")
        await until(lambda: live.menu.isVisible(), what="the menu")
        QTest.keyClick(live.panel.composer.edit, Qt.Key.Key_Tab)
        assert live.panel.composer.text() == "!cat '../two words.txt' "


async def test_its_end_is_said_aloud_and_no_old_answer_with_it(
    tmp_path: Path, folder: Path
) -> None:
    with ScriptedServer(says("An old answer.")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=folder
        ) as live:
            await live.ask("Go.")
            assert command_words(live.panel.session.conversation.messages) == ""
            await run(live, "!echo out; exit 3")
            words = command_words(live.panel.session.conversation.messages)
            assert words == "Your command ended: echo out; exit 3, exit 3. out\n[exit code 3]"
            # The outline of the palette leads to it too.
            titles = [entry.title for entry in outline_of(live.panel)]
            assert titles[-1] == "You ran echo out; exit 3, exit 3"
            # On paper too.
            paper = Paper("T", live.panel.session.history())
            parts = [part for part in paper.portions() if isinstance(part, str)]
            text = "\n".join(paper.document(part, 0).toPlainText() for part in parts)
            assert "You ran a command (exit 3)\necho out; exit 3" in text


async def test_a_message_that_begins_with_the_mark_is_a_message_wherever_it_comes_from(
    tmp_path: Path, folder: Path
) -> None:
    """As `kinet run` or a script sends one: asked again, queued and taken back it never runs."""
    gate = Gate()
    with ScriptedServer(
        says("One."), says("Two."), says("Three", gate, "."), says("Four.")
    ) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=folder
        ) as live:
            live.panel.send("!touch made.txt")
            await until(lambda: "One." in live.text)
            await live.ended()
            live.panel.retry()
            await until(lambda: "Two." in live.text)
            await live.ended()
            await live.say("Go on.")
            await until(lambda: "Three" in live.text)
            live.panel.session.enqueue("!touch made.txt")
            live.panel.refresh()
            (row,) = live.panel.composer.queue._rows
            assert row.label.accessibleName() == "Queued 1: !touch made.txt"
            row.edit.click()
            assert live.panel.composer.text() == " !touch made.txt"
            live.press("sendButton")
            gate.open()
            await until(lambda: "Four." in live.text)
            await live.ended()
            assert entries(live) == []
            assert not (folder / "made.txt").exists()


async def test_slash_run_writes_the_mark(tmp_path: Path, folder: Path) -> None:
    async with live_window(tmp_path / "home", folder=folder) as live:
        live.type("/run echo hm")
        live.press("sendButton")
        assert live.panel.composer.text() == "!echo hm"
        assert live.panel.composer.mark.isVisible()
        assert not live.panel.runner.running


async def test_a_reopened_session_shows_them_as_they_were(tmp_path: Path, folder: Path) -> None:
    async with live_window(tmp_path / "home", folder=folder) as live:
        await run(live, "!seq 1 40; exit 3")
        id_, before = live.panel.session_id, live.text
    async with live_window(tmp_path / "home", folder=folder) as live:
        live.window.open_session(id_)
        await until(lambda: live.panel.session_id == id_ and entries(live))
        assert live.text == before
        (entry,) = entries(live)
        assert "exit 3" in entry.spoken()
        assert entry.lines()[1] == 29


async def test_what_was_refused_at_the_beginning_is_there_again_wherever_one_goes(
    tmp_path: Path, folder: Path
) -> None:
    """Its session is not stored: neither the list nor a restart knows it."""
    async with live_window(tmp_path / "home", folder=folder) as live:
        welcome = live.panel.body._stack.currentWidget()
        assert isinstance(welcome, QScrollArea)
        live.type("!rm -rf /")
        live.press("sendButton")
        await live.ended()
        assert "never run" in live.window.parts.toast.text()
        # The page that leads to a model is there again.
        assert live.panel.body._stack.currentWidget() is welcome
        live.window.desk.new()
        assert live.panel.composer.text() == "!rm -rf /"
    async with live_window(tmp_path / "home", folder=folder) as live:
        assert live.panel.composer.text() == "!rm -rf /"
        live.type("!echo a")
        live.press("sendButton")
        await live.ended()
        assert live.panel.transcript.isVisible()
        live.type("half a thought")
        first = live.panel.session_id
        live.window.desk.new()
        assert live.panel.composer.text() == ""
        live.type("another")
    async with live_window(tmp_path / "home", folder=folder) as live:
        assert live.panel.composer.text() == "another"
        live.window.open_session(first)
        assert live.panel.composer.text() == "half a thought"


async def test_a_choice_before_the_first_message_loses_no_text(
    tmp_path: Path, folder: Path
) -> None:
    with ScriptedServer() as server:
        home, url = tmp_path / "home", server.base_url
        async with live_window(home, server_url=url, folder=folder) as live:
            live.type("a long task")
            live.window.parts.models.choose_mode("edits")
        async with live_window(home, server_url=url, folder=folder) as live:
            assert live.panel.composer.text() == "a long task"
