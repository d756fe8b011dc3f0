"""Every key of the list does what the list says, in the real window."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QWidget

from kinet.ui.desks.actions import COMMANDS
from kinet.ui.palette.palette import Palette
from kinet.ui.preferences.settings_dialog import SettingsDialog
from kinet.ui.window.key_list import KeyList
from tests.support.live_window import LiveWindow, live_window
from tests.support.scripted_server import ScriptedServer, asks_for, says
from tests.support.window import until

pytestmark = pytest.mark.window

LONG = "\n\n".join(f"Paragraph {number} says nothing." for number in range(60))
ANSWER = f"Before.\n\n```python\nprint('a')  # \u00a0\n```\n\n{LONG}"


def press(live: LiveWindow, keys: str) -> None:
    """Presses a shortcut where the focus is, as a keyboard does."""
    combination = QKeySequence(keys)[0]
    target = QApplication.focusWidget() or live.window
    QTest.keyClick(target, combination.key(), combination.keyboardModifiers())


async def ready(live: LiveWindow) -> None:
    """Two sessions with answers, the newest on screen, the caret in the composer."""
    await live.ask("First question")
    live.window.desk.new()
    await live.ask("Second question")
    await live.ask("Third question")
    live.window.activateWindow()
    live.panel.composer.edit.setFocus()
    await until(live.panel.composer.edit.hasFocus)
    await until(live.panel.transcript.is_idle)


def answers() -> list[object]:
    """Enough replies for all questions."""
    return [says(ANSWER), says(ANSWER), says(ANSWER), says("Again.")]


Effect = Callable[[LiveWindow], object]


def _visible(kind: type[QWidget]) -> Effect:
    return lambda live: any(item.isVisible() for item in live.window.findChildren(kind))


EFFECTS: dict[str, Effect] = {
    "new_session": lambda live: live.panel.session is None,
    "search_sessions": lambda live: live.window.parts.sidebar.search.hasFocus(),
    "next_session": lambda live: live.panel.title == "First question",
    "previous_session": lambda live: live.panel.title == "First question",
    "focus_composer": lambda live: live.panel.composer.edit.hasFocus(),
    "retry": lambda live: live.panel.runner.running,
    "retry_with": _visible(QMenu),
    "switch_model": _visible(QMenu),
    "next_mode": lambda live: live.panel.session.mode == "edits",
    "copy_answer": lambda live: QGuiApplication.clipboard().text() == ANSWER,
    "copy_code": lambda live: QGuiApplication.clipboard().text() == "print('a')  # \u00a0",
    "previous_question": lambda live: not live.panel.transcript.following,
    "find": lambda live: live.panel.find_bar.field.hasFocus(),
    "palette": _visible(Palette),
    # Where there is one answer there is nothing to compare, and that is said.
    "compare": lambda live: live.window.parts.toast.text().startswith("There is one answer only"),
    "toggle_sidebar": lambda live: not live.window.parts.frame.sidebar_shown,
    # Without a step there is nothing to open, and that is said.
    "toggle_panel": lambda live: live.window.parts.toast.text().startswith("No steps yet"),
    "next_region": lambda live: live.window.parts.sidebar.list.hasFocus(),
    "previous_region": lambda live: live.panel.transcript.hasFocus(),
    "zoom_in": lambda live: live.window.look.zoom == 110,
    "zoom_out": lambda live: live.window.look.zoom == 90,
    "settings": _visible(SettingsDialog),
    "keys": _visible(KeyList),
}
# Shown by tests of their own, here or elsewhere, or by a dialog of the system.
ELSEWHERE = {
    "stop", "find_next", "find_previous", "zoom_reset", "quit", "choose_folder", "next_question",
    "export", "print", "outline",
}  # fmt: skip


def test_every_key_of_the_list_has_its_effect_shown() -> None:
    shown = {command.id for command in COMMANDS if command.keys}
    assert shown - ELSEWHERE - set(EFFECTS) == set()


@pytest.mark.parametrize(
    ("command", "keys"),
    [
        (command.id, keys)
        for command in COMMANDS
        if command.id in EFFECTS
        for keys in command.keys.split()
    ],
)
async def test_a_key_does_what_the_list_says(tmp_path: Path, command: str, keys: str) -> None:
    with ScriptedServer(*answers()) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            await ready(live)
            QGuiApplication.clipboard().clear()
            assert command == "focus_composer" or not EFFECTS[command](live)
            press(live, keys)
            await until(lambda: EFFECTS[command](live), what=f"{keys} does {command}")
            for menu in live.window.findChildren(QMenu):
                menu.close()


async def test_numbers_search_and_letters(tmp_path: Path) -> None:
    with ScriptedServer(*answers()) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            await ready(live)
            press(live, "Ctrl+2")
            assert live.panel.title == "First question"
            press(live, "Ctrl+1")
            assert live.panel.title == "Second question"
            press(live, "Ctrl+9")
            assert live.panel.title == "Second question"
            press(live, "Ctrl+F")
            QTest.keyClicks(live.panel.find_bar.field, "paragraph 1 ")
            assert live.panel.find_bar.count.text() == "1 of 2"
            press(live, "F3")
            assert live.panel.find_bar.count.text() == "2 of 2"
            press(live, "Shift+F3")
            assert live.panel.find_bar.count.text() == "1 of 2"
            press(live, "Esc")
            assert not live.panel.find_bar.isVisible()
            # A letter typed over the conversation is written into the composer.
            live.panel.transcript.setFocus()
            QTest.keyClicks(live.panel.transcript, "H")
            QTest.keyClicks(QApplication.focusWidget(), "i")
            assert live.panel.composer.text() == "Hi"
            assert live.panel.composer.edit.hasFocus()


async def test_earlier_messages_come_and_the_draft_comes_back(tmp_path: Path) -> None:
    with ScriptedServer(*answers()) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            await ready(live)
            edit = live.panel.composer.edit
            edit.set_text("half a thought", caret=4)
            press(live, "Ctrl+Up")
            assert edit.text() == "Third question"
            press(live, "Ctrl+Up")
            assert edit.text() == "Second question"
            press(live, "Ctrl+Down")
            press(live, "Ctrl+Down")
            assert edit.text() == "half a thought"
            assert edit.textCursor().position() == 4
            # Up alone moves the caret and takes no draft away.
            press(live, "Up")
            assert edit.text() == "half a thought"
            bar = live.panel.transcript.verticalScrollBar()
            press(live, "Alt+Up")
            first = bar.value()
            press(live, "Alt+Up")
            second = bar.value()
            assert second < first
            press(live, "Alt+Down")
            assert bar.value() > second


async def test_tab_goes_from_the_list_through_the_conversation_to_the_composer(
    tmp_path: Path,
) -> None:
    with ScriptedServer(*answers()) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            await ready(live)
            live.panel.composer.edit.setFocus()
            seen: list[str] = []
            for _ in range(80):
                focused = QApplication.focusWidget()
                assert focused is not None
                if focused.objectName() not in seen[-1:]:
                    seen.append(focused.objectName())
                if seen.count("composer") == 2:
                    break
                QTest.keyClick(focused, Qt.Key.Key_Tab)
                await asyncio.sleep(0)
            order = [seen.index(name) for name in ("contextGauge", "sessionList", "transcript")]
            assert order == sorted(order)
            assert seen[-2:] == ["transcript", "composer"]


async def test_a_search_of_the_keys_that_finds_nothing_says_so(tmp_path: Path) -> None:
    async with live_window(tmp_path / "home") as live:
        live.window.core.keys.show_keys()
        keys = live.window.findChild(KeyList)
        assert keys is not None
        nothing = next(w for w in keys.findChildren(QLabel) if "No shortcut" in w.text())
        assert not nothing.isVisible()
        keys.search.setText("zzz")
        assert nothing.isVisible()
        assert "Home / End" in [label.text() for label in keys.findChildren(QLabel)]
        keys.search.setText("ctrl+n")
        assert not nothing.isVisible()
        keys.close()


async def test_ctrl_f_and_f3_look_where_the_keyboard_is(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo one\n", encoding="utf-8")
    with ScriptedServer(asks_for("read_file", path="a.txt"), says("There is one.")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            live.window.activateWindow()
            await live.ask("Read.")
            live.panel.transcript.open_step(0)
            detail = live.window.parts.steps.detail
            await until(detail.isVisible)
            detail.output.setFocus()
            press(live, "Ctrl+F")
            assert detail.find_strip.field.hasFocus()
            assert not live.panel.find_bar.isVisible()
            QTest.keyClicks(detail.find_strip.field, "one")
            detail.find_strip.search_now()
            assert detail.find_strip.count.text() == "1 of 2"
            press(live, "F3")
            assert detail.find_strip.count.text() == "2 of 2"
            press(live, "Shift+F3")
            assert detail.find_strip.count.text() == "1 of 2"
            await live.focus_composer()
            press(live, "Ctrl+F")
            assert live.panel.find_bar.field.hasFocus()


async def test_the_keyboard_goes_on_from_a_sidebar_that_goes_away(tmp_path: Path) -> None:
    with ScriptedServer(says("Yes.")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            live.window.activateWindow()
            await live.ask("Is it?")
            parts = live.window.parts
            parts.sidebar.search.setFocus()
            press(live, "Ctrl+B")
            assert live.panel.composer.edit.hasFocus()
            shown = live.panel.header.sidebar_button
            shown.setFocus(Qt.FocusReason.TabFocusReason)
            QTest.keyClick(shown, Qt.Key.Key_Return)
            assert parts.sidebar.hide_button.hasFocus()
            parts.sidebar.list.setFocus()
            parts.sidebar.delete_requested.emit(live.panel.session_id)
            await until(parts.sidebar.new_button.hasFocus, what="the list is empty")
