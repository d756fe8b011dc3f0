"""What stands in the way is said above the conversation; files are attached by dropping them."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from kinet.store.database import Database
from kinet.ui.chat.banner import Banner
from kinet.ui.desks.banner_desk import BannerDesk
from kinet.ui.preferences.settings_dialog import SettingsDialog
from kinet.ui.transcript.entries.error_card import ErrorEntry
from tests.support.live_window import LiveWindow, live_window
from tests.support.replies import Gate, Reply
from tests.support.scripted_server import ScriptedServer, breaks, fails, says
from tests.support.window import until

pytestmark = pytest.mark.window


def banner(live: LiveWindow) -> Banner:
    """The line of the panel on screen."""
    found = live.panel.findChild(Banner)
    assert isinstance(found, Banner)
    return found


async def test_a_server_out_of_reach_is_said_and_tried_again(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    async with live_window(tmp_path / "home", server_url=address, folder=tmp_path) as live:
        live.window.program.settings.set("network.retries", 0)
        live.panel.send("Hello")
        await until(lambda: banner(live).isVisible())
        assert banner(live).label.whole_text().startswith("127.0.0.1 cannot be reached.")
        await live.ended()
        asked = len(live.panel.session.conversation.messages)
        QTest.mouseClick(banner(live).button, Qt.MouseButton.LeftButton)
        assert not banner(live).isVisible()
        await until(lambda: banner(live).isVisible(), what="it failed again")
        assert len(live.panel.session.conversation.messages) >= asked


async def test_a_refused_key_ends_what_was_said_of_the_network_and_leads_to_the_keys(
    tmp_path: Path,
) -> None:
    with ScriptedServer(breaks(""), fails(401)) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            live.window.program.settings.set("network.retries", 0)
            await live.ask("Hello")
            await until(lambda: banner(live).isVisible())
            await live.ask("And now?")
            await until(lambda: not banner(live).isVisible(), what="the server has answered")
            entries = live.panel.transcript.stage.flow.entries
            card = [entry for entry in entries if isinstance(entry, ErrorEntry)][-1]
            assert [act for act, _word in card.acts] == ["retry", "models"]
            flow = live.panel.transcript.stage.flow
            hit = next(hit for hit in card.hits(flow.style, flow.width) if hit.action == "models")
            live.panel.transcript.act(card, hit)
            dialog = live.window.findChild(SettingsDialog)
            assert dialog is not None
            assert dialog.isVisible()
            dialog.close()


async def test_a_missing_key_is_said_before_the_first_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with ScriptedServer(says("Yes.")) as server:
        async with live_window(
            tmp_path / "home",
            server_url=server.base_url,
            folder=tmp_path,
            api_key_env="NO_SUCH_KEY",
        ) as live:
            await until(lambda: banner(live).isVisible())
            assert "NO_SUCH_KEY is not set" in banner(live).label.whole_text()
            monkeypatch.setenv("NO_SUCH_KEY", "sk-now-it-is")
            QTest.mouseClick(banner(live).button, Qt.MouseButton.LeftButton)
            dialog = live.window.findChild(SettingsDialog)
            assert dialog is not None
            dialog.accept()
            await until(lambda: not banner(live).isVisible())


async def test_files_dropped_on_the_chat_are_attached(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("eggs\n", encoding="utf-8")
    async with live_window(tmp_path / "home", folder=tmp_path) as live:
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(tmp_path / "notes.txt"))])
        copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
        none = Qt.KeyboardModifier.NoModifier
        enter = QDragEnterEvent(QPoint(200, 200), copy, data, left, none)
        QApplication.sendEvent(live.panel, enter)
        assert enter.isAccepted()
        drop = QDropEvent(QPointF(200, 200), copy, data, left, none)
        QApplication.sendEvent(live.panel, drop)
        assert [item.name for item in live.panel.composer.attachments()] == ["notes.txt"]
        # What is no file is left to whoever wants it.
        words = QMimeData()
        words.setText("only words")
        enter = QDragEnterEvent(QPoint(200, 200), copy, words, left, none)
        enter.ignore()
        QApplication.sendEvent(live.panel, enter)
        assert not enter.isAccepted()


async def test_a_full_disk_is_said_once_and_until_all_is_saved(tmp_path: Path) -> None:
    gate = Gate()
    with ScriptedServer(Reply(pieces=("Once.", gate, "x" * 60_000))) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=tmp_path
        ) as live:
            await live.say("Tell me")
            database = live.window.program.sessions.parts.store.database
            _limit(database, 1)
            gate.open()
            await live.ended()
            line = banner(live)
            assert line.isVisible()
            assert line.label.whole_text().startswith("The disk is full")
            assert str(tmp_path / "home") in line.label.whole_text()
            assert not line.button.isVisible()
            # Not in the conversation and not in a toast as well.
            assert "disk is full" not in live.text
            assert "disk is full" not in live.window.parts.toast.text()
            desk = live.panel.findChild(BannerDesk)
            desk.look_whether_saved()
            assert line.isVisible()
            _limit(database, 10**6)
            live.panel.session._state.recorder.flush()
            await until(lambda: not live.panel.session.unsaved, what="the disk takes it")
            desk.look_whether_saved()
            assert not line.isVisible()


def _limit(database: Database, pages: int) -> None:
    """The store may have so many pages: few are as good as a full disk."""
    pragma = f"PRAGMA max_page_count = {pages}"
    database.submit(lambda db: db.execute(pragma).fetchone()[0]).result()
