"""High contrast, the wide column and the send key act at once in the open window."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from kinet.ui.look.contrast import with_contrast
from kinet.ui.look.theme import load_theme
from tests.support.live_window import LiveWindow, live_window
from tests.support.scripted_server import ScriptedServer, says
from tests.support.window import until

pytestmark = pytest.mark.window


def composer_edges(live: LiveWindow) -> tuple[int, int]:
    """Left and right edge of the composer, in its panel."""
    box = live.panel.composer.box
    left = box.mapTo(live.panel, QPoint(0, 0)).x()
    return left, left + box.width()


async def test_a_wide_column_widens_conversation_and_composer_alike(tmp_path: Path) -> None:
    with ScriptedServer(says("Yes.")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            live.window.resize(1500, 800)
            await live.ask("Hello")
            await until(lambda: composer_edges(live) == (260, 980))
            live.window.program.settings.set("appearance.wide", True)
            await until(lambda: composer_edges(live) == (140, 1100))
            assert live.panel.transcript.stage.column == (140, 960)
            live.window.program.settings.set("appearance.wide", False)
            await until(lambda: composer_edges(live) == (260, 980))
            assert live.panel.transcript.stage.column == (260, 720)


async def test_high_contrast_acts_at_once_and_holds_over_a_change_of_theme(tmp_path: Path) -> None:
    async with live_window(tmp_path / "home", folder=tmp_path) as live:
        settings = live.window.program.settings
        settings.set("appearance.contrast", True)
        theme = live.window.look.theme
        assert theme is not None
        assert theme.color("text_3") == theme.color("text")
        assert theme.ring == 3
        settings.set("appearance.theme", "dark")
        assert live.window.look.theme == with_contrast(load_theme("dark"))
        settings.set("appearance.contrast", False)
        assert live.window.look.theme == load_theme("dark")
        settings.set("appearance.theme", "light")


async def test_the_send_key_is_the_one_that_was_chosen(tmp_path: Path) -> None:
    with ScriptedServer(says("Yes.")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            live.window.program.settings.set("general.send_key", "ctrl_enter")
            edit = live.panel.composer.edit
            edit.set_text("One")
            QTest.keyClick(edit, Qt.Key.Key_Return)
            assert edit.text() == "One\n"
            QTest.keyClick(edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
            await live.ended()
            await until(lambda: "Yes." in live.text)


async def test_the_way_of_scrolling_reaches_open_and_new_conversations(
    tmp_path: Path,
) -> None:
    with ScriptedServer(says("One."), says("Two.")) as server:
        async with live_window(tmp_path, server_url=server.base_url, folder=tmp_path) as live:
            await live.ask("First.")
            live.window.program.settings.set("appearance.scrolling", "question")
            assert live.panel.transcript.stage.follower.mode == "question"
            live.window.desk.new()
            await live.ask("Second.")
            assert live.panel.transcript.stage.follower.mode == "question"
            live.window.program.settings.set("appearance.scrolling", "follow")
            assert live.panel.transcript.stage.follower.mode == "follow"
