"""Files after "@" and commands after "/", completed in the real window from the keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.support.live_window import live_window
from tests.support.scripted_server import ScriptedServer, says
from tests.support.window import until

pytestmark = pytest.mark.window


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a few files, one of them ignored."""
    place = tmp_path / "work"
    (place / "src").mkdir(parents=True)
    (place / ".git").mkdir()
    for name in ("src/totals.py", "src/my notes.txt", "notes.md", "debug.log"):
        (place / name).write_text("x\n", encoding="utf-8")
    (place / ".gitignore").write_text("*.log\n", encoding="utf-8")
    return place


async def test_a_file_of_the_folder_is_named_by_a_few_letters(tmp_path: Path, folder: Path) -> None:
    with ScriptedServer(says("Done.")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=folder
        ) as live:
            await live.focus_composer()
            edit = live.panel.composer.edit
            QTest.keyClicks(edit, "Explain @")
            await until(lambda: live.menu.is_open)
            assert live.menu.titles() == ["notes.md", "src/", "my notes.txt", "totals.py"]
            QTest.keyClicks(edit, "tot")
            assert live.menu.titles() == ["totals.py"]
            # Enter chooses; it does not send.
            QTest.keyClick(edit, Qt.Key.Key_Return)
            assert edit.text() == "Explain src/totals.py "
            assert not live.menu.is_open
            QTest.keyClicks(edit, "and @my n")
            assert not live.menu.is_open
            edit.set_text("Explain @my")
            QTest.keyClick(edit, Qt.Key.Key_Down)
            QTest.keyClick(edit, Qt.Key.Key_Tab)
            assert edit.text() == 'Explain "src/my notes.txt" '
            assert edit.hasFocus()
            QTest.keyClick(edit, Qt.Key.Key_Return)
            await live.ended()
            await until(lambda: "Done." in live.text)


async def test_tab_goes_on_into_a_folder(tmp_path: Path, folder: Path) -> None:
    async with live_window(tmp_path / "home", folder=folder) as live:
        await live.focus_composer()
        edit = live.panel.composer.edit
        QTest.keyClicks(edit, "@sr")
        await until(lambda: live.menu.is_open)
        QTest.keyClick(edit, Qt.Key.Key_Tab)
        assert edit.text() == "@src/"
        assert "totals.py" in live.menu.titles()


async def test_esc_closes_the_menu_and_keeps_the_text_and_the_turn(
    tmp_path: Path, folder: Path
) -> None:
    async with live_window(tmp_path / "home", folder=folder) as live:
        await live.focus_composer()
        edit = live.panel.composer.edit
        QTest.keyClicks(edit, "/m")
        assert live.menu.titles() == ["/model", "/mode", "/memory"]
        QTest.keyClick(edit, Qt.Key.Key_Escape)
        assert edit.text() == "/m"
        assert not live.menu.is_open
        QTest.keyClicks(edit, "o")
        assert not live.menu.is_open


async def test_commands_do_what_they_say(tmp_path: Path, folder: Path) -> None:
    with ScriptedServer(says("Done.")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=folder
        ) as live:
            await live.focus_composer()
            edit = live.panel.composer.edit
            QTest.keyClicks(edit, "/mode")
            QTest.keyClick(edit, Qt.Key.Key_Down)
            QTest.keyClick(edit, Qt.Key.Key_Up)
            QTest.keyClick(edit, Qt.Key.Key_Escape)
            # Send does a command too: it never reaches the model.
            edit.set_text("/mode plan")
            live.press("sendButton")
            assert live.window.program.settings.get("approvals.mode") == "plan"
            assert edit.text() == ""
            QTest.keyClicks(edit, "/effort ")
            assert live.menu.titles() == ["off", "low", "medium", "high"]
            QTest.keyClicks(edit, "hi")
            QTest.keyClick(edit, Qt.Key.Key_Return)
            assert live.window.program.settings.get("models.effort") == "high"
            await live.ask("Hello")
            first = live.panel
            QTest.keyClicks(live.panel.composer.edit, "/new")
            QTest.keyClick(live.panel.composer.edit, Qt.Key.Key_Return)
            assert live.panel is not first
            assert live.panel.session is None
            assert first.composer.text() == ""
    assert len(server.requests) == 1


async def test_the_buttons_begin_a_name_and_a_command(tmp_path: Path, folder: Path) -> None:
    async with live_window(tmp_path / "home", folder=folder) as live:
        box = live.panel.composer.box
        live.window.activateWindow()
        QTest.mouseClick(box.command, Qt.MouseButton.LeftButton)
        await until(lambda: live.menu.is_open)
        assert "/new" in live.menu.titles()
        assert "/compact" not in live.menu.titles(), "there is nothing to compact yet"
        live.panel.composer.edit.set_text("See")
        assert not box.command.isEnabled()
        QTest.mouseClick(box.mention, Qt.MouseButton.LeftButton)
        assert live.panel.composer.text() == "See @"
        await until(lambda: live.menu.is_open)
