"""Signing in to a server in the real window: from the line that tells of it to the first call."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest

from kinet.ui.chat.banner import Banner
from kinet.ui.servers.server_item import ServerItem
from kinet.ui.servers.servers_view import ServersView
from tests.features.test_window_servers import SLOW, button, close_settings, keep, row
from tests.mcp.signing_server import Authority, signing_server
from tests.support.live_window import LiveWindow, live_window
from tests.support.scripted_server import ScriptedServer, asks_for, says
from tests.support.window import until

pytestmark = pytest.mark.window


async def test_a_person_signs_in_from_the_line_above_the_conversation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, folder = tmp_path / "home", tmp_path / "work"
    folder.mkdir()
    authority = Authority()
    pages: list[asyncio.Task[httpx.Response]] = []

    def browse(url: QUrl) -> bool:
        asked = asyncio.to_thread(httpx.get, url.toString(), follow_redirects=True, trust_env=False)
        pages.append(asyncio.ensure_future(asked))
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", browse)
    script = (asks_for("docs__add", a=1, b=2), says("Three."))
    with signing_server(authority) as port, ScriptedServer(*script) as server:
        keep(home, docs={"url": f"http://127.0.0.1:{port}/mcp"})
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.focus_composer()
            QTest.keyClicks(live.panel.composer.edit, "A")
            line = live.window.findChild(Banner)
            assert isinstance(line, Banner)
            await until(line.isVisible, SLOW)
            assert "docs: The server wants you to sign in first." in line.label.whole_text()
            line.button.click()
            item = await unfolded(live)
            assert pages == []
            button(item, "signInButton").click()
            assert item.details is not None
            strip = item.details.signing
            await until(strip.visit.isVisible, SLOW, what="the way is found")
            assert strip.word.text() == f"Sign in at 127.0.0.1:{port}"
            assert pages == [], "and nothing opens by itself"
            # What goes on does not end with the settings.
            close_settings(live)
            await until(lambda: not view_of(live).isVisible())
            assert line.isVisible()
            line.button.click()
            item = await unfolded(live)
            button(item, "openSignInButton").click()
            await until(lambda: item.row.state == "ready", SLOW)
            assert (await pages[0]).status_code == 200
            assert item.row.signed_in == f"127.0.0.1:{port}"
            close_settings(live)
            await until(lambda: not line.isVisible(), what="nothing is wrong any more")
            await live.say("dd")
            await live.allow()
            await live.ended()
            assert "Three." in live.text
            assert "docs__add" in str(server.bodies[0]["tools"])


def view_of(live: LiveWindow) -> ServersView:
    view = live.window.findChild(ServersView)
    assert isinstance(view, ServersView)
    return view


async def unfolded(live: LiveWindow) -> ServerItem:
    """The row of the server on the page that has just opened."""
    await until(view_of(live).isVisible)
    item = await row(view_of(live), "docs")
    await until(lambda: item.details is not None and item.details.isVisible())
    return item
