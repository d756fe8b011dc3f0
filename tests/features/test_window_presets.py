"""A preset chosen in the real window: seen, held to, kept with the session, and not with others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from kinet.ui.palette.palette import Palette
from tests.support.live_window import LiveWindow, live_window
from tests.support.scripted_server import ScriptedServer, asks_for, says
from tests.support.window import until

pytestmark = pytest.mark.window


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty data folder."""
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with enough files to look at."""
    place = tmp_path / "work"
    place.mkdir()
    for number in range(12):
        (place / f"{number}.txt").write_text(f"{number}\n", encoding="utf-8")
    return place


def _button(live: LiveWindow) -> Any:
    return live.panel.composer.box.preset


def _choose(live: LiveWindow, words: str) -> None:
    """Takes an entry of the presets as they are offered in the menu of the approval modes."""
    live.panel.composer.menus.open_modes()
    menu = next(item for item in live.panel.findChildren(QMenu) if item.isVisible())
    presets = next(item.menu() for item in menu.actions() if item.menu() is not None)
    action = next(item for item in presets.actions() if item.text().startswith(words))
    action.trigger()
    menu.close()


async def test_a_chosen_preset_is_seen_ends_a_long_turn_and_comes_back_with_its_session(
    home: Path, folder: Path
) -> None:
    looks = [asks_for("read_file", path=f"{number}.txt") for number in range(5)]
    with ScriptedServer(*looks, says("Cut short.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            assert not _button(live).isVisible()
            _choose(live, "A few commands")
            assert _button(live).isVisible()
            assert _button(live).text() == "A few commands"
            await live.ask("Look at everything")
            assert live.panel.status_row.label.text().startswith("Step limit reached")
            session = live.panel.session_id
            live.window.desk.new()
            assert not _button(live).isVisible()
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            assert not _button(live).isVisible()
            live.window.open_session(session)
            assert _button(live).text() == "A few commands"
    assert len(server.bodies) == 6


async def test_the_default_preset_of_the_settings_holds_in_new_sessions_and_is_seen(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(says("Short.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            live.window.program.settings.set("limits.preset", "chat")
            await until(lambda: _button(live).isVisible())
            assert _button(live).text() == "Short answers"
            _choose(live, "Default")
            assert not _button(live).isVisible()
            assert live.panel.session is not None
            assert live.panel.session.preset == "default"
            live.window.desk.new()
            assert _button(live).text() == "Short answers"


async def test_the_palette_and_a_slash_choose_a_preset_and_keep_what_was_typed(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(says("Yes.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            live.type("not sent yet")
            live.window.core.keys.open_palette()
            palette = live.find(Palette, "commandPalette")
            palette.field.setText("preset short")
            row = palette.list.currentItem()
            assert row is not None
            assert row.text() == "Preset: Short answers"
            QTest.keyClick(palette.field, Qt.Key.Key_Return)
            assert _button(live).text() == "Short answers"
            assert live.panel.composer.text() == "not sent yet"
            live.window.desk.new()
            # Its session is not in the list yet: no other way would lead to the text.
            assert live.panel.composer.text() == "not sent yet"
            live.type("/preset loop-20")
            live.press("sendButton")
            await until(lambda: _button(live).text() == "Twenty steps")
    assert server.bodies == []
