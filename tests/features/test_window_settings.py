"""Settings in the real window: a price of one's own, a folder, a theme that stays."""

from __future__ import annotations

import os
import threading
import traceback
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTableView

from kinet.settings.store import SettingsStore
from tests.support.live_window import LiveWindow, live_window
from tests.support.scripted_server import ScriptedServer, says
from tests.support.window import until

pytestmark = pytest.mark.window


def save_profile(home: Path, server: ScriptedServer) -> None:
    """Keeps a profile that points at the server."""
    settings = SettingsStore(home)
    settings.save_profile(server.profile())
    settings.set("models.default_profile", "scripted")


def price_cell(live: LiveWindow, model: str, header: str) -> tuple[QTableView, object]:
    """The table of prices, and the index of a cell in it."""
    table = live.window.findChild(QTableView, "pricingTable")
    assert table is not None
    source = table.model()
    columns = [
        source.headerData(place, Qt.Orientation.Horizontal) for place in range(source.columnCount())
    ]
    rows = [source.index(place, 0).data() for place in range(source.rowCount())]
    return table, source.index(rows.index(model), columns.index(header))


async def test_an_own_price_changes_the_shown_cost(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "work"
    folder.mkdir()
    replies = [says("One.").counting(1_000_000, 0), says("Two.").counting(1_000_000, 0)]
    with ScriptedServer(*replies) as server:
        save_profile(home, server)
        async with live_window(home, folder=folder) as live:
            live.window.parts.models.open_settings("models")
            table, index = price_cell(live, "scripted", "Input")
            assert table.model().setData(index, "2.5", Qt.ItemDataRole.EditRole)
            _, output = price_cell(live, "scripted", "Output")
            assert table.model().setData(output, "10", Qt.ItemDataRole.EditRole)
            live.window.parts.models.settings.dialog.close()
            await live.ask("How much?")
            assert live.panel.status_row.cost.text() == "≈ $2.50"
            live.window.parts.models.open_settings("models")
            table, index = price_cell(live, "scripted", "Input")
            assert table.model().setData(index, "4", Qt.ItemDataRole.EditRole)
            live.window.parts.models.settings.dialog.close()
            await live.ask("And now?")
            assert live.panel.status_row.cost.text() == "≈ $6.50"
            await until(lambda: "6.50" in live.window.parts.sidebar.month_label.text())


async def test_the_composer_names_the_model_and_lets_another_be_chosen(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with ScriptedServer(says("Hi.")) as server:
        save_profile(home, server)
        other = replace(server.profile("anthropic", model="other"), name="Other")
        SettingsStore(home).save_profile(other)
        async with live_window(home, folder=tmp_path) as live:
            assert live.panel.composer.box.model.text() == "scripted"
            live.window.parts.models.choose_model("Other")
            assert live.panel.composer.box.model.text() == "Other"
            await live.ask("Hello")
    assert server.requests[0].path.endswith("/messages")


async def test_a_chosen_theme_and_zoom_are_there_at_the_next_start(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with live_window(home, folder=tmp_path) as live:
        live.window.program.settings.set("appearance.theme", "dark")
        live.window.core.keys.actions["zoom_in"].trigger()
        assert live.window.look.choice == "dark"
    from kinet.settings import first_frame

    kept = first_frame.load(home)
    assert (kept.theme, kept.zoom) == ("dark", 110)


async def test_a_folder_that_is_chosen_holds_for_new_sessions(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "work"
    folder.mkdir()
    async with live_window(home) as live:
        assert live.panel.header.folder.text() == "Choose a folder…"
        live.window.parts.files.use_folder(folder)
        assert live.panel.folder == folder
        assert live.panel.header.folder.text().endswith("work")
    async with live_window(home) as live:
        await until(lambda: live.panel.folder == folder)


async def test_the_window_waits_for_no_disk_when_something_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    async with live_window(home, server_url="http://127.0.0.1:9/v1", folder=tmp_path) as live:
        window, here = live.window, threading.current_thread()
        waited: list[str] = []

        def note(owner: object, name: str) -> None:
            real = getattr(owner, name)

            def noted(*given: object) -> object:
                if threading.current_thread() is here:
                    waited.extend(traceback.format_stack(limit=8))
                return real(*given)

            monkeypatch.setattr(owner, name, noted)

        # The disk itself, and whoever else writes.
        note(os, "fsync")
        note(Future, "result")
        window.look.set_zoom(120)
        window.look.zoom_by(10)
        window.parts.models.choose_mode("plan")
        live.type("a draft to be kept")
        window.desk.save_drafts()
        other = tmp_path / "other"
        other.mkdir()
        window.parts.files.use_folder(other)
        assert waited == []
        window.program.keeper.wait()
        kept = SettingsStore(home)
        assert (kept.get("appearance.zoom"), kept.get("approvals.mode")) == (130, "plan")
        assert kept.get("general.folder") == str(other)
        assert "a draft to be kept" in (home / "drafts.json").read_text("utf-8")
        window.look.set_zoom(100)
