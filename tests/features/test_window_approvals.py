"""Approvals in the real window: rules, hunks, equal questions, and questions nobody sees yet."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QWidget

from kinet.ui.asking.rule_editor import RuleEditor
from tests.support.live_window import LiveWindow, live_window
from tests.support.scripted_server import ScriptedServer, asks_for, says
from tests.support.window import until

pytestmark = pytest.mark.window

LINES = "".join(f"line {number}\n" for number in range(1, 41))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "work"
    place.mkdir()
    (place / "notes.txt").write_text(LINES, encoding="utf-8")
    return place


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def part(card: QWidget, kind: type[QWidget], name: str) -> QWidget:
    found = card.findChild(kind, name)
    assert found is not None, name
    return found


async def editor(live: LiveWindow) -> tuple[QWidget, RuleEditor]:
    card = await live.question()
    part(card, QPushButton, "alwaysButton").click()
    opened = part(card, RuleEditor, "ruleEditor")
    assert isinstance(opened, RuleEditor)
    return card, opened


async def test_a_rule_is_saved_with_the_answer_and_used_after_a_restart(
    home: Path, folder: Path
) -> None:
    script = (
        asks_for("shell", command="mkdir -p one"),
        asks_for("shell", command="mkdir -p two"),
        says("Made."),
        asks_for("shell", command="mkdir -p three"),
        says("Made again."),
    )
    with ScriptedServer(*script) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("Make folders")
            _, rule = await editor(live)
            assert rule.words.text() == "mkdir -p"
            assert rule.fits.text() == "Fits 1 of the last 1 command"
            await live.answer("saveRuleButton")
            await live.ended()
            assert "Made." in live.text
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("And one more")
            assert "Made again." in live.text
    assert all((folder / name).is_dir() for name in ("one", "two", "three"))
    assert not (folder / ".kinet").exists()


async def test_a_rule_that_would_be_too_broad_cannot_be_saved_and_says_why(
    home: Path, folder: Path
) -> None:
    script = (asks_for("shell", command="mkdir -p one"), says("Then not."))
    with ScriptedServer(*script) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("Make a folder")
            card, rule = await editor(live)
            rule.words.setText("mkdir")
            assert rule.trouble_label.text() == "A rule for every use of mkdir would be too broad."
            assert not part(card, QPushButton, "saveRuleButton").isEnabled()
            rule.words.setText("rm -rf")
            assert "rm can run or change anything" in rule.trouble_label.text()
            rule.words.setText("mkdir -p two")
            assert "has to begin with" in rule.trouble_label.text()
            await live.answer("denyButton")
            await live.ended()
    assert not (folder / "one").exists()


async def test_one_hunk_is_accepted_and_the_other_skipped(home: Path, folder: Path) -> None:
    edits = [
        {"old_string": "line 3\n", "new_string": "third\n"},
        {"old_string": "line 33\n", "new_string": "last\n"},
    ]
    script = (
        asks_for("read_file", path="notes.txt"),
        asks_for("edit_file", path="notes.txt", edits=edits),
        says("One of two."),
    )
    with ScriptedServer(*script) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("Change two lines")
            card = await live.question()
            first = part(card, QWidget, "hunk_1")
            first.choice.buttons["skip"].click()
            assert part(card, QPushButton, "approveButton").text() == "Apply 1 of 2 hunks"
            await live.answer("approveButton")
            await live.ended()
    text = (folder / "notes.txt").read_text(encoding="utf-8")
    assert text == LINES.replace("line 33\n", "last\n")
    assert "skipped hunk 1" in str(server.requests[-1])


async def test_equal_questions_of_two_sessions_are_answered_together(
    home: Path, folder: Path
) -> None:
    call = asks_for("shell", command="mkdir one")
    with ScriptedServer(call, call, says("First."), says("Second.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("One")
            await live.question()
            first = live.panel
            live.window.desk.new()
            assert live.panel is not first
            await live.say("Two")
            await live.question()
            assert live.window.windowTitle().startswith("(2) ")
            assert "answers 1 equal request too" in live.panel.approvals.cards()[0].head.wait_text
            await until(lambda: first.approvals.cards()[0].age > 0.3)
            await live.allow()
            await until(lambda: not first.approvals.cards())
            await live.ended()
            await until(lambda: not first.runner.running)
            assert not live.window.windowTitle().startswith("(")
    assert (folder / "one").is_dir()


async def test_a_question_in_a_session_that_is_not_shown_is_announced_once_without_its_command(
    home: Path, folder: Path
) -> None:
    script = (asks_for("shell", command="mkdir one"), says("Done."))
    with ScriptedServer(*script) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            told: list[tuple[str, str]] = []
            live.window.core.inbox.announce = lambda *words: told.append(words)  # type: ignore[method-assign]
            await live.say("Make a folder")
            asking = live.panel
            live.window.desk.new()
            await until(lambda: asking.approvals.cards())
            assert told == [(asking.title, "A request needs your answer")]
            live.window.desk.open(asking.session_id)
            await live.allow()
            await live.ended()


async def test_keys_typed_before_a_question_came_up_do_not_answer_it(
    home: Path, folder: Path
) -> None:
    script = (asks_for("shell", command="mkdir one"), says("Done."))
    with ScriptedServer(*script) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("Make a folder")
            card = await live.question()
            assert live.panel.composer.edit.hasFocus() or not card.hasFocus()
            composer = live.panel.composer.edit
            QTest.keyClick(composer, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
            card.setFocus()
            QTest.keyClick(card, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
            QTest.keyClick(card, Qt.Key.Key_Return)
            assert live.panel.approvals.cards() == (card,)
            await live.answer("denyButton")
            await live.ended()
    assert not (folder / "one").exists()


async def test_stop_while_a_question_waits_closes_it_and_runs_nothing(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(asks_for("shell", command="mkdir one")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("Make a folder")
            await live.question()
            live.press("stopButton")
            await live.ended()
            assert live.panel.approvals.cards() == ()
            assert live.panel.state == "stopped"
    assert not (folder / "one").exists()


async def test_a_window_closed_while_a_question_waits_runs_nothing_and_says_so_later(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(asks_for("shell", command="mkdir one"), says("Again.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("Make a folder")
            await live.question()
            session = live.panel.session_id
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            live.window.open_session(session)
            assert live.panel.approvals.cards() == ()
            assert "Make a folder" in live.text
            await live.ask("Go on")
            assert "Again." in live.text
    assert not (folder / "one").exists()
    assert server.problems == []


async def test_the_reason_of_a_denial_reaches_the_model(home: Path, folder: Path) -> None:
    script = (asks_for("shell", command="mkdir one"), says("In a sub-folder then."))
    with ScriptedServer(*script) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("Make a folder")
            card = await live.question()
            part(card, QPushButton, "denyReasonButton").click()
            reason = part(card, QLineEdit, "denyReason")
            assert isinstance(reason, QLineEdit)
            reason.setText("put it below build")
            await live.answer("denyButton")
            await live.ended()
    assert "put it below build" in str(server.requests[-1])


async def test_equal_calls_of_one_turn_are_answered_together_and_the_card_says_so(
    home: Path, folder: Path
) -> None:
    call = {"command": "mkdir -p one"}
    reply = (
        asks_for("shell", **call).with_call("shell", **call).with_call("shell", command="mkdir two")
    )
    with ScriptedServer(reply.with_call("shell", **call), says("Made.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            asked: list[str] = []
            live.panel.approvals.answered.connect(lambda request, _: asked.append(request.body))
            await live.say("Make folders")
            card = await live.question()
            said = [label.text() for label in card.findChildren(QLabel)]
            assert any("the same call is made 3 times here" in text for text in said)
            await live.allow()
            await until(lambda: live.panel.approvals.cards() not in ((), (card,)))
            other = live.panel.approvals.cards()[0]
            assert other.request.body == "mkdir two"
            said = [label.text() for label in other.findChildren(QLabel)]
            assert not any("same call" in text for text in said)
            await live.answer("denyButton")
            await live.ended()
            assert asked == ["mkdir -p one", "mkdir two"]
    results = [item["content"] for item in server.bodies[1]["messages"] if item["role"] == "tool"]
    assert len(results) == 4
    assert ["denied" in result for result in results] == [False, False, True, False]


async def test_an_answer_given_ahead_is_not_used_in_another_turn_or_for_another_file(
    home: Path, folder: Path
) -> None:
    edit = {"path": "notes.txt", "edits": [{"old_string": "line 1\n", "new_string": "line 1\nx\n"}]}
    both = asks_for("edit_file", **edit).with_call("edit_file", **edit)
    script = (asks_for("read_file", path="notes.txt"), both, says("Twice."), both, says("Again."))
    with ScriptedServer(*script) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("Edit")
            first = await live.question()
            await live.allow()
            # What the same call would do now is another change: it is shown, and asked about.
            await until(lambda: live.panel.approvals.cards() not in ((), (first,)))
            assert live.panel.approvals.cards()[0].request.body != first.request.body
            await live.answer("denyButton")
            await live.ended()
            await live.say("Once more")
            await live.question()
            live.press("stopButton")
            await live.ended()
    assert (folder / "notes.txt").read_text(encoding="utf-8").count("x\n") == 1


async def test_a_question_does_not_take_the_focus_and_is_reached_and_answered_by_keyboard(
    home: Path, folder: Path
) -> None:
    script = (asks_for("shell", command="mkdir one"), says("Done."))
    with ScriptedServer(*script) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            composer = live.panel.composer.edit
            composer.setFocus()
            await live.say("Make a folder")
            composer.setFocus()
            QTest.keyClicks(composer, "while I typ")
            card = await live.question()
            await until(card.isVisible)
            assert composer.hasFocus()
            QTest.keyClicks(composer, "e")
            assert live.panel.composer.text() == "while I type"
            # What is asked stands above the composer, and is the next thing backwards from it.
            QTest.keyClick(composer, Qt.Key.Key_Backtab)
            focused = QApplication.focusWidget()
            assert focused is not None
            assert card.isAncestorOf(focused)
            for _ in range(12):
                focused = QApplication.focusWidget()
                if focused is None or focused.objectName() == "approveButton":
                    break
                QTest.keyClick(focused, Qt.Key.Key_Backtab)
                await asyncio.sleep(0)
            button = QApplication.focusWidget()
            assert button is not None
            assert button.objectName() == "approveButton"
            assert button.property("kind") == "primary"
            await until(lambda: card.takes_keys)
            QTest.keyClick(button, Qt.Key.Key_Return)
            assert live.panel.approvals.cards() == (card,), "Enter alone answers nothing"
            QTest.keyClick(button, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
            await live.ended()
    assert (folder / "one").is_dir()


async def test_two_sessions_that_ask_at_once_are_marked_and_answered_each_for_itself(
    home: Path, folder: Path
) -> None:
    script = (
        asks_for("shell", command="mkdir one"),
        asks_for("shell", command="mkdir two"),
        says("Not one."),
        says("Two."),
    )
    with ScriptedServer(*script) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("Make one")
            await live.question()
            first = live.panel
            live.window.desk.new()
            await live.say("Make two")
            await live.question()
            second = live.panel
            assert live.window.windowTitle().startswith("(2) ")
            rows = live.window.parts.sidebar.model
            for panel in (first, second):
                row = rows.item(panel.session_id)
                assert row is not None
                assert row.state == "waiting"
                assert "equal" not in panel.approvals.cards()[0].head.wait_text
            live.window.desk.open(first.session_id)
            await live.answer("denyButton")
            await until(lambda: not first.runner.running)
            # The other one still waits, and nothing was decided for it.
            assert len(second.approvals.cards()) == 1
            assert live.window.windowTitle().startswith("(1) ")
            assert not (folder / "two").exists()
            live.window.desk.open(second.session_id)
            await live.allow()
            await live.ended()
            assert not live.window.windowTitle().startswith("(")
    assert not (folder / "one").exists()
    assert (folder / "two").is_dir()


async def test_the_card_says_how_many_of_the_commands_so_far_a_rule_would_fit(
    home: Path, folder: Path
) -> None:
    commands = ["mkdir -p a", "mkdir -p b", "ls", "mkdir c", "mkdir -p d"]
    script = [asks_for("shell", command=command) for command in commands]
    with ScriptedServer(*script, says("Made.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.say("Make folders")
            for _ in range(3):
                await live.allow()
            await until(lambda: len(server.bodies) == len(commands))
            _, rule = await editor(live)
            assert rule.words.text() == "mkdir -p"
            assert rule.fits.text() == "Fits 3 of the last 5 commands"
            rule.words.setText("mkdir -p d")
            assert rule.fits.text() == "Fits 1 of the last 5 commands"
            await live.answer("denyButton")
            await live.ended()


async def test_a_question_in_words_in_a_session_that_is_not_shown_is_announced_and_counted(
    home: Path, folder: Path
) -> None:
    script = (asks_for("ask_user", question="Which colour?"), says("Red then."))
    with ScriptedServer(*script) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            told: list[tuple[str, str]] = []
            live.window.core.inbox.announce = lambda *words: told.append(words)  # type: ignore[method-assign]
            await live.say("Paint it")
            asking = live.panel
            live.window.desk.new()
            await until(lambda: asking.questions.cards())
            assert told == [(asking.title, "A question needs your answer")]
            assert live.window.windowTitle().startswith("(1) ")
            live.window.desk.open(asking.session_id)
            card = asking.questions.cards()[0]
            card.field.setText("red")
            card.field.returnPressed.emit()
            await live.ended()
            assert not live.window.windowTitle().startswith("(")
            assert len(told) == 1


async def test_a_card_is_as_high_as_what_is_in_it(tmp_path: Path) -> None:
    """Its reason fits in one line, its buttons too: nothing empty stands below them."""
    words = 'rm -f made.txt; sleep 1; echo 完成 && python3 -c "print(1)"'
    with ScriptedServer(
        asks_for("shell", command=words),
        asks_for("ask_user", question="Which plums shall I plant?", choices=["blue", "yellow"]),
        says("Done."),
    ) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            live.window.resize(1200, 800)
            await live.say("Go.")
            card = await live.question()
            await until(lambda: card.takes_keys and card.width() > 600, what="the card stands")
            assert card.height() == card.heightForWidth(card.width())
            await live.answer("denyButton")
            await until(lambda: live.panel.questions.cards(), what="the model asks")
            (asked,) = live.panel.questions.cards()
            await until(lambda: asked.width() > 600, what="the question stands")
            assert asked.height() == asked.heightForWidth(asked.width())
