"""The trash in the window: seen, brought back from, and emptied after a second click."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QPushButton

from kinet.ui.kit.controls import ElidedLabel, IconButton
from kinet.ui.preferences.settings_dialog import SettingsDialog
from kinet.ui.preferences.trash_view import TrashView
from tests.support.live_window import LiveWindow, live_window
from tests.support.scripted_server import ScriptedServer, says
from tests.support.window import until

pytestmark = pytest.mark.window


async def opened(live: LiveWindow) -> TrashView:
    live.window.parts.models.open_settings("data")
    dialog = live.window.findChild(SettingsDialog)
    assert isinstance(dialog, SettingsDialog)
    await until(dialog.isVisible)
    view = dialog.findChild(TrashView)
    assert isinstance(view, TrashView)
    return view


async def test_a_deleted_session_is_seen_brought_back_and_removed_for_good(tmp_path: Path) -> None:
    with ScriptedServer(says("Yes."), says("No.")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            await live.ask("Plan the garden")
            garden = live.panel.session_id
            live.window.desk.new()
            await live.ask("Count the invoices")
            invoices = live.panel.session_id
            sessions = live.window.program.sessions
            view = await opened(live)
            assert view.note.text() == "No session is in the trash."
            assert not view.empty.isEnabled()
            live.window.desk.forget(garden)
            sessions.delete(garden)
            live.window.desk.load_list()
            view.refresh()
            back = next(
                b for b in view.findChildren(IconButton) if b.accessibleName().startswith("Bring")
            )
            assert back.accessibleName() == "Bring back: Plan the garden"
            await until(lambda: back.x() > 0)
            (when,) = (
                label
                for label in back.parentWidget().findChildren(QLabel)
                if not isinstance(label, ElidedLabel)
            )
            assert when.width() <= when.sizeHint().width()
            assert back.x() - when.geometry().right() < 12
            back.click()
            assert set(live.window.parts.sidebar.model.shown_ids()) == {garden, invoices}
            sessions.delete(garden)
            view.refresh()
            button = view.findChild(QPushButton, "emptyTrashButton")
            assert isinstance(button, QPushButton)
            button.click()
            assert button.accessibleName() == "Remove for good?"
            assert len(sessions.trash()) == 1
            button.click()
            await until(lambda: not sessions.trash())
            await until(lambda: view.note.text() == "No session is in the trash.")
            assert sessions.parts.store.row(garden) is None
            assert sessions.parts.store.row(invoices) is not None
