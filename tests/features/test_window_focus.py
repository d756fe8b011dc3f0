"""The keyboard alone: each stop of Tab is named and seen, none is a trap, Enter presses it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from kinet.settings.schema import sections
from kinet.settings.store import SettingsStore
from tests.support.focus_seen import walk
from tests.support.live_window import LiveWindow, live_window
from tests.support.scripted_server import ScriptedServer, asks_for, says
from tests.support.window import until

pytestmark = pytest.mark.window


@pytest.fixture(params=["light", "dark"])
async def live(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[LiveWindow]:
    home, folder = tmp_path / "home", tmp_path / "work"
    folder.mkdir()
    (folder / "AGENTS.md").write_text("Be brief.\n")
    with ScriptedServer(
        asks_for("write_file", path="a.txt", content="one\n"), says("Done.\n\n```py\na = 1\n```"),
        asks_for("shell", command="rm -r old"),
        asks_for("ask_user", question="Which month?", choices=["October", "November"]), says("So."),
    ) as server:  # fmt: skip
        settings = SettingsStore(home)
        settings.save_profile(server.profile())
        async with live_window(home, folder=folder, approve="ask", theme=request.param) as opened:
            opened.window.activateWindow()
            yield opened


async def _seen(window: QWidget, what: str) -> list[str]:
    await asyncio.sleep(0.05)
    stops, faults = await walk(window)
    assert faults == [], what
    return stops


async def test_the_search_for_unseen_focus_finds_it(app: QApplication) -> None:
    page = QWidget()
    column = QVBoxLayout(page)
    plain, nameless = QPushButton("seen by nobody"), QPushButton()
    plain.setAccessibleName(plain.text())
    plain.setStyleSheet("QPushButton { border: 1px solid gray; outline: 0; }")
    box = QPlainTextEdit()
    box.setAccessibleName("a trap")
    first = QPushButton("first")
    for part in (first, plain, nameless, box):
        column.addWidget(part)
    page.show()
    page.activateWindow()
    await until(page.isActiveWindow)
    first.setFocus()
    _stops, faults = await walk(page)
    assert any("“seen by nobody” does not show" in fault for fault in faults), faults
    assert any("has no name" in fault for fault in faults)
    assert "Tab does not leave QPlainTextEdit “a trap”" in faults
    page.close()


async def test_every_stop_of_the_conversation_its_questions_and_the_panel_is_seen(
    live: LiveWindow,
) -> None:
    window = live.window
    await live.say("Write it.")
    await live.question()
    await _seen(window, "an edit is asked about")
    await live.allow()
    await live.ended()
    live.panel.transcript.open_step(0)
    await until(lambda: window.parts.frame.panel_shown)
    detail = window.parts.steps.detail
    for tab in filter(detail.tabs.isTabVisible, range(detail.tabs.count())):
        detail.tabs.setCurrentIndex(tab)
        await _seen(window, detail.tabs.tabText(tab))


async def test_every_stop_of_the_questions_is_seen(live: LiveWindow) -> None:
    await live.say("Write it.")
    await live.allow()
    await live.ended()
    await live.say("Tidy up.")
    card = await live.question()
    for name in ("alwaysButton", "denyReasonButton"):
        button = card.findChild(QAbstractButton, name)
        assert button is not None
        button.click()
        await _seen(live.window, name)
    live.type("And then?")
    live.press("sendButton")
    await _seen(live.window, "something waits")
    await live.allow()
    await until(live.panel.questions.cards, what="the model asks")
    await _seen(live.window, "the model asks")
    live.panel.stop()
    await live.ended()


async def test_every_stop_of_the_settings_is_seen(live: LiveWindow) -> None:
    for page in sections():
        live.window.parts.models.open_settings(page)
        dialog = live.window.findChild(QDialog, "settingsDialog")
        assert isinstance(dialog, QDialog)
        await _seen(dialog, page)
    dialog.close()


@pytest.mark.parametrize(
    "name", ["keys", "rules", "background", "find", "compare", "skills", "memory"]
)
async def test_every_stop_of_what_a_command_opens_is_seen(live: LiveWindow, name: str) -> None:
    await live.say("Write it.")
    await live.allow()
    await live.ended()
    action = live.window.findChild(QAction, name)
    assert isinstance(action, QAction)
    action.trigger()
    await asyncio.sleep(0.2)
    active = QApplication.activeModalWidget() or QApplication.activePopupWidget() or live.window
    await _seen(active, name)
    if active is not live.window:
        active.close()


async def test_every_stop_of_the_first_page_is_seen(tmp_path: Path) -> None:
    async with live_window(tmp_path / "home") as live:
        live.window.activateWindow()
        await until(lambda: live.window.findChild(QWidget, "welcomePage"))
        await _seen(live.window, "welcome")


async def test_a_message_without_a_model_stays_and_it_is_said_why(tmp_path: Path) -> None:
    async with live_window(tmp_path / "home") as live:
        await live.focus_composer()
        live.type("Say hello.")
        QTest.keyClick(live.panel.composer.edit, Qt.Key.Key_Return)
        toast = live.window.parts.toast
        await until(toast.isVisible, what="it is said")
        assert toast.text() == "Choose above how to reach a model; what you typed is kept."
        assert live.panel.composer.text() == "Say hello."


async def test_without_a_model_a_conversation_stays_on_screen_and_the_models_open(
    tmp_path: Path,
) -> None:
    with ScriptedServer(says("Hello.")) as server:
        SettingsStore(tmp_path / "home").save_profile(server.profile())
        async with live_window(tmp_path / "home") as live:
            await live.ask("Hi.")
            live.window.program.settings.delete_profile("scripted")
            live.window.parts.models.refresh()
            live.type("And now?")
            live.press("sendButton")
            dialog = live.window.findChild(QDialog, "settingsDialog")
            assert isinstance(dialog, QDialog)
            await until(dialog.isVisible, what="the models open")
            assert "Hello." in live.text
            assert live.panel.composer.text() == "And now?"
            dialog.close()


async def test_an_answer_by_key_leaves_the_focus_where_the_next_question_is_reached(
    live: LiveWindow,
) -> None:
    await live.say("Write it.")
    card = await live.question()
    await until(lambda: live.panel.approvals.cards()[0].takes_keys)
    card.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(card, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: not live.panel.approvals.cards(), what="the card is answered")
    assert QApplication.focusWidget() is live.panel.transcript
    await live.ended()
    await live.say("Tidy up.")
    await live.allow()
    await until(live.panel.questions.cards, what="the model asks")
    asked = live.panel.questions.cards()[0]
    send = asked.findChild(QPushButton, "answerButton")
    assert send is not None
    assert not send.isEnabled()
    asked.field.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClicks(asked.field, "December")
    assert send.isEnabled()
    QTest.keyClick(asked.field, Qt.Key.Key_Return)
    await live.ended()
    assert QApplication.focusWidget() is live.panel.transcript


async def test_f6_goes_to_what_is_on_screen_and_lists_show_it(tmp_path: Path) -> None:
    async with live_window(tmp_path / "home") as live:
        await live.focus_composer()
        seen: list[QWidget | None] = []
        for _ in range(3):
            QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_F6)
            seen.append(QApplication.focusWidget())
        welcome = live.window.findChild(QWidget, "welcomePage")
        assert welcome is not None
        # The first page stands in place of a conversation, which is not there to be read.
        assert [part for part in seen if part is not None and welcome.isAncestorOf(part)]
        assert live.panel.transcript not in seen
        assert live.window.testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the system knows the key itself")
async def test_shift_f10_opens_the_menu_of_what_has_the_keyboard(live: LiveWindow) -> None:
    await live.say("Write it.")
    await live.allow()
    await live.ended()
    sessions = live.window.parts.sidebar.list
    sessions.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(sessions, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert [action.text() for action in menu.actions()] == ["Rename", "Move to trash"]
    menu.close()
