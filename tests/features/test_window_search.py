"""Search over all sessions: names at once, words of conversations, opened at the place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from kinet.ui.palette.palette import Palette
from kinet.ui.preferences.memory_view import MemoryView
from kinet.ui.preferences.settings_dialog import SettingsDialog
from kinet.ui.sessions.narrowing import Narrowing
from tests.support.live_window import LiveWindow, live_window
from tests.support.scripted_server import ScriptedServer, asks_for, says
from tests.support.window import until

pytestmark = pytest.mark.window

LONG = "\n\n".join(f"Paragraph {number} says nothing." for number in range(80))


async def talked(live: LiveWindow) -> list[str]:
    """Two sessions; the ids, the older one first."""
    await live.ask("Plan the garden")
    first = live.panel.session_id
    live.window.desk.new()
    await live.ask("Count the invoices")
    return [first, live.panel.session_id]


async def test_words_of_a_conversation_are_found_and_opened_at_their_place(tmp_path: Path) -> None:
    answers = (says(f"The Rhubarb grows here.\n\n{LONG}"), says("There are 12 invoices."))
    with ScriptedServer(*answers) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            garden, invoices = await talked(live)
            sidebar = live.window.parts.sidebar
            live.window.activateWindow()
            QTest.keyClick(
                live.window,
                Qt.Key.Key_F,
                Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
            )
            QTest.keyClicks(sidebar.search, "rhubarb")
            await until(lambda: sidebar.hits.hits())
            assert [hit.session_id for hit in sidebar.hits.hits()] == [garden]
            assert not sidebar.list.isVisible()
            assert live.panel.session_id == invoices
            QTest.keyClick(sidebar.search, Qt.Key.Key_Return)
            assert live.panel.session_id == garden
            assert live.panel.find_bar.isVisible()
            assert live.panel.find_bar.field.text() == "rhubarb"
            assert live.panel.find_bar.count.text() == "1 of 1"
            await until(live.panel.transcript.is_idle)
            # The place is far above the end.
            bar = live.panel.transcript.verticalScrollBar()
            assert bar.value() < bar.maximum() // 2


async def test_names_are_found_at_once_and_an_empty_field_shows_all_again(tmp_path: Path) -> None:
    with ScriptedServer(says("Yes."), says("No.")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            garden, invoices = await talked(live)
            sidebar = live.window.parts.sidebar
            sidebar.search.setText("garden")
            assert sidebar.model.shown_ids() == [garden]
            await until(lambda: sidebar.hits.hits(), what="the question holds the word too")
            assert sidebar.list.isVisible()
            sidebar.search.setText("zebra")
            await until(lambda: not sidebar.hits.isVisible())
            assert not sidebar.hits.hits()
            assert sidebar.model.shown_ids() == []
            sidebar.search.clear()
            assert sidebar.model.shown_ids() == [invoices, garden]
            assert not sidebar.hits.isVisible()


async def test_the_palette_leads_to_sessions_commands_models_and_settings(tmp_path: Path) -> None:
    with ScriptedServer(says("Yes."), says("No.")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            garden, _ = await talked(live)
            live.window.activateWindow()
            QTest.keyClick(live.window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
            palette = live.find(Palette, "commandPalette")
            QTest.keyClicks(palette.field, "mod")
            groups = {entry.group for entry in palette._shown() if entry is not None}
            assert groups == {"Commands", "Settings"}
            assert palette.count.text().endswith("results")
            QTest.keyClick(palette.field, Qt.Key.Key_Tab)
            groups = {entry.group for entry in palette._shown() if entry is not None}
            assert groups == {"Commands"}
            QTest.keyClick(palette.field, Qt.Key.Key_Tab)
            palette.field.setText("garden")
            QTest.keyClick(palette.field, Qt.Key.Key_Return)
            assert live.panel.session_id == garden
            live.window.core.keys.open_palette()
            palette = live.window.findChildren(Palette, "commandPalette")[-1]
            palette.field.setText("keep deleted")
            QTest.keyClick(palette.field, Qt.Key.Key_Return)
            dialog = live.window.findChild(SettingsDialog)
            assert dialog is not None
            assert dialog.isVisible()
            assert dialog.stack.currentWidget() is dialog.pages["data"]
            dialog.accept()


async def test_a_place_in_the_output_of_a_tool_opens_its_step_there(tmp_path: Path) -> None:
    lines = "".join(f"row {number}\n" for number in range(1, 500))
    (tmp_path / "birds.txt").write_text(f"{lines}a kingfisher\n{lines}")
    answers = (asks_for("read_file", path="birds.txt", limit=2_000), says("Read."), says("No."))
    with ScriptedServer(*answers) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            await live.ask("Read the file")
            birds = live.panel.session_id
            live.window.desk.new()
            await live.ask("Something else")
            sidebar = live.window.parts.sidebar
            sidebar.search.setText("kingfisher")
            await until(lambda: sidebar.hits.hits())
            assert sidebar.hits.hits()[0].call_id
            QTest.keyClick(sidebar.search, Qt.Key.Key_Return)
            assert live.panel.session_id == birds
            detail = live.window.parts.steps.detail
            await until(lambda: detail.record is not None and detail.isVisible())
            assert "kingfisher" in detail.full_text()
            assert detail.find_strip.field.text() == "kingfisher"
            assert detail.find_strip.count.text() == "1 of 1"
            # Half-way down a long output: the place itself is in view.
            bar = live.find(QWidget, "stepDetailOutput").verticalScrollBar()
            assert 0 < bar.value() < bar.maximum()


async def test_a_search_is_narrowed_from_a_menu_by_keyboard(tmp_path: Path) -> None:
    answers = (asks_for("glob", pattern="*.heron"), says("A heron."), says("heron"))
    with ScriptedServer(*answers) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            ids = await talked(live)
            sidebar = live.window.parts.sidebar
            sidebar.search.setText("heron")
            await until(lambda: len(sidebar.hits.hits()) == 2)
            button = sidebar.narrow_button
            QTest.keyClick(button, Qt.Key.Key_Space)
            await until(lambda: button.menu is not None and button.menu.isVisible())
            titles = [action.text() for action in button.menu.actions() if action.text()]
            assert titles == ["Order", "Time", "Folder", "Model", "Tool", "Search everywhere"]
            tool = next(a.menu() for a in button.menu.actions() if a.text() == "Tool")
            next(action for action in tool.actions() if action.text() == "glob").trigger()
            button.menu.close()
            await until(lambda: len(sidebar.hits.hits()) == 1)
            assert sidebar.hits.hits()[0].session_id == ids[0]
            assert sidebar.hits.head.whole_text() == "In conversations · glob"
            button.narrow(replace(button.narrowing, tool="shell"))
            await until(lambda: not sidebar.hits.hits())
            assert sidebar.hits.head.whole_text() == "Nothing in conversations · shell"
            button.narrow(Narrowing(model="scripted", folder=str(tmp_path), days=7, best=True))
            await until(lambda: len(sidebar.hits.hits()) == 2)
            button.narrow(Narrowing(model="another"))
            await until(lambda: not sidebar.hits.hits())


async def test_facts_that_hold_the_words_are_counted_and_lead_to_the_memory_page(
    tmp_path: Path,
) -> None:
    with ScriptedServer(says("Yes.")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            memory = live.window.program.services.memory
            memory.add_fact("Keeps a heron in the garden.")
            memory.add_fact("Likes tea.")
            sidebar = live.window.parts.sidebar
            sidebar.search.setText("heron")
            await until(sidebar.hits.facts.isVisible)
            assert sidebar.hits.facts.accessibleName() == "1 fact in memory"
            assert sidebar.hits.head.whole_text() == "Nothing in conversations"
            sidebar.hits.facts.click()
            dialog = live.window.findChild(SettingsDialog)
            assert isinstance(dialog, SettingsDialog)
            await until(dialog.isVisible)
            view = dialog.findChild(MemoryView)
            assert isinstance(view, MemoryView)
            assert view.search.text() == "heron"
            dialog.accept()
            sidebar.search.setText("zebra")
            await until(lambda: not sidebar.hits.isVisible())
