"""Servers of the Model Context Protocol in the real window: real programs, from adding to use."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QLabel, QPushButton, QWidget

from kinet.settings.store import SettingsStore
from kinet.ui.asking.trust_page import TrustPage
from kinet.ui.chat.banner import Banner
from kinet.ui.kit.code_lines import CodeLines
from kinet.ui.palette.palette import Palette
from kinet.ui.palette.palette_rows import Entry
from kinet.ui.panel.step_detail import DATA, INPUT
from kinet.ui.servers.server_form import ServerForm
from kinet.ui.servers.server_item import ServerItem
from kinet.ui.servers.servers_view import ServersView
from tests.support.live_window import LiveWindow, live_window
from tests.support.scripted_server import ScriptedServer, asks_for, says
from tests.support.window import until

pytestmark = pytest.mark.window

SERVERS = Path(__file__).parents[1] / "mcp"
ODD, OFFICIAL = SERVERS / "odd_server.py", SERVERS / "official_server.py"
SLOW = 40.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "work"
    place.mkdir()
    return place


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def keep(home: Path, **entries: Any) -> None:
    """Servers that were added before."""
    SettingsStore(home).set("mcp.servers", entries)


def odd(mode: str = "good", *notes: Path) -> dict[str, Any]:
    return {"command": sys.executable, "args": [str(ODD), mode, *map(str, notes)]}


async def page(live: LiveWindow) -> ServersView:
    """The page of servers, opened by its command."""
    action = live.window.findChild(QAction, "servers")
    assert isinstance(action, QAction)
    action.trigger()
    view = live.window.findChild(ServersView)
    assert isinstance(view, ServersView)
    await until(view.isVisible)
    return view


def close_settings(live: LiveWindow) -> None:
    dialog = live.window.findChild(QDialog, "settingsDialog")
    assert isinstance(dialog, QDialog)
    dialog.accept()


async def row(view: ServersView, name: str) -> ServerItem:
    await until(lambda: [i for i in view.items if i.row.name == name], what=f"{name} is listed")
    return next(item for item in view.items if item.row.name == name)


def words(widget: QWidget) -> str:
    labels = [label for label in widget.findChildren(QLabel) if label.isVisible()]
    lines = [lines.toPlainText() for lines in widget.findChildren(CodeLines) if lines.isVisible()]
    return "\n".join([*(label.text() for label in labels), *lines])


def button(widget: QWidget, name: str) -> QPushButton:
    found = widget.findChild(QPushButton, name)
    assert isinstance(found, QPushButton), name
    return found


def offered(body: dict[str, Any]) -> list[str]:
    return [tool["function"]["name"] for tool in body["tools"]]


async def test_a_server_is_added_tried_used_after_a_question_and_allowed_for_good(
    home: Path, folder: Path
) -> None:
    script = (
        asks_for("odd__echo", text="Grüße, 世界"), says("One."),
        asks_for("odd__echo", text="again"), says("Two."), says("Three."),
    )  # fmt: skip
    with ScriptedServer(*script) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            view = await page(live)
            await until(button(view, "firstServerButton").isVisible, what="there is none yet")
            button(view, "firstServerButton").click()
            form = view.findChild(ServerForm)
            assert isinstance(form, ServerForm)
            form.fields.command.setText(sys.executable)
            form.fields.arguments.setPlainText(f"{ODD}\ngood")
            assert form.name.placeholderText() == "odd"
            form.test.click()
            await until(lambda: "It works" in words(form), SLOW)
            assert "odd 1.2 brings 6 tools" in words(form)
            form.save_button.click()
            item = await row(view, "odd")
            await until(lambda: item.head.isChecked(), what="what is new is unfolded")
            close_settings(live)

            await live.focus_composer()
            QTest.keyClicks(live.panel.composer.edit, "H")
            rows = live.window.program.services.servers.rows
            state = "idle"
            while state != "ready":
                (known,) = await rows(folder)
                state = known.state
                assert state in ("idle", "starting", "ready"), known
            await live.say("Say it")
            card = await live.question()
            assert "odd__echo" in offered(server.bodies[0])
            said = words(card)
            assert "odd" in said
            assert "echo" in said
            assert "unchecked: “Gives back what it gets." in said
            assert card.body._box.text == "text: Grüße, 世界"  # type: ignore[attr-defined]
            button(card, "alwaysButton").click()
            card.answers.editor.reach.buttons["folder"].click()  # type: ignore[attr-defined]
            await live.answer("saveRuleButton")
            await live.ended()
            live.panel.transcript.open_step(-1)
            detail = live.window.parts.steps.detail
            assert detail.record is not None
            assert (detail.record.verb, detail.record.argument) == ("odd", "echo  Grüße, 世界")
            assert detail.full_text() == "Grüße, 世界"
            detail.tabs.setCurrentIndex(INPUT)
            assert detail.input.toPlainText() == "text: Grüße, 世界"
            await live.ask("Once more")
            assert "again" in str(server.bodies[3]["messages"][-1])
            assert not live.panel.approvals.cards()

            found = await live.panel.open_session().context_map()  # type: ignore[union-attr]
            assert "odd: 6 tools" in [share.name for share in found.shares]
            view = await page(live)
            item = await row(view, "odd")
            await until(lambda: item.head.accessibleName() == "odd, Ready, 6 tools")
            item.unfold()
            assert item.details is not None
            item.details.tools.view.setFocus()
            QTest.keyClick(item.details.tools.view, Qt.Key.Key_Space)
            await until(lambda: item.head.accessibleName() == "odd, Ready, 5 of 6 tools")
            close_settings(live)
            await live.ask("Without it")
            off = set(offered(server.bodies[0])) - set(offered(server.bodies[4]))
            assert len(off) == 1
            assert off.pop().startswith("odd__")


async def test_pictures_progress_and_data_of_an_official_server_are_shown(
    home: Path, folder: Path
) -> None:
    keep(home, official={"command": sys.executable, "args": [str(OFFICIAL)]})
    script = (
        says("Awake."), asks_for("official__draw"), says("Drawn."),
        asks_for("official__slow", seconds=0.6), says("Slept."),
        asks_for("official__add", a=2, b=3), says("Added."),
    )  # fmt: skip
    with ScriptedServer(*script) as server:
        async with live_window(
            home, server_url=server.base_url, folder=folder, approve="ask"
        ) as live:
            await live.ask("Hello")
            servers = live.window.program.services.servers
            while (await servers.rows(folder))[0].state != "ready":
                pass
            await live.say("Draw")
            await live.allow()
            await live.ended()
            live.panel.transcript.open_step(-1)
            detail = live.window.parts.steps.detail
            assert detail.record is not None
            assert len(detail.record.pictures) == 1
            await until(lambda: detail.pictures.view is not None and detail.pictures.view.pictures)
            told: list[str] = []
            live.panel.event_shown.connect(
                lambda event: (
                    told.append(getattr(event, "text", ""))
                    if type(event).__name__ == "ToolProgress"
                    else None
                )
            )
            await live.say("Sleep")
            await live.allow()
            await live.ended()
            assert any("reading" in text for text in told)
            await live.say("Add")
            await live.allow()
            await live.ended()
            live.panel.transcript.open_step(-1)
            assert detail.tabs.isTabVisible(DATA)
            detail.tabs.setCurrentIndex(DATA)
            assert '"result": 5' in detail.data.toPlainText()


async def test_a_server_that_fails_is_told_of_once_with_the_way_to_its_row(
    home: Path, folder: Path
) -> None:
    keep(home, bad=odd("exits"))
    with ScriptedServer(says("One."), says("Two."), says("Three.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await live.ask("Hello")
            banner = live.panel.findChild(Banner)
            assert isinstance(banner, Banner)
            await until(banner.isVisible, SLOW)
            assert banner.label.whole_text().startswith("The server bad does not work:")
            assert live.window.focusWidget() is not banner.button, "nobody is interrupted"
            await live.ask("And now?")
            assert "is not used" not in live.window.parts.toast.text(), "one line is enough"
            QTest.mouseClick(banner.button, Qt.MouseButton.LeftButton)
            view = live.window.findChild(ServersView)
            assert isinstance(view, ServersView)
            item = await row(view, "bad")
            await until(lambda: item.details is not None and item.details.isVisible())
            assert item.head.accessibleName() == "bad, Failed, exit code 3"
            assert "It ended before it was ready (exit code 3)." in words(item)
            assert "The last it wrote:" in words(item)
            assert item.details is not None
            assert item.details._stderr is not None
            assert "no configuration found" in item.details._stderr.text
            close_settings(live)
            banner.hide()
            await live.ask("Again")
            assert not banner.isVisible(), "it was told once"


async def test_a_folders_servers_wait_for_trust_and_lead_to_the_question(
    home: Path, folder: Path
) -> None:
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": {"lint": odd("one")}}))

    def pages() -> list[TrustPage]:
        found = live.panel.findChildren(TrustPage, "trustPage")
        return [page for page in found if page.isVisible()]

    with ScriptedServer(says("One."), says("Two.")) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await until(pages)
            live.press("openWithoutTrustButton")
            await live.ask("Hello")
            assert "lint__echo" not in offered(server.bodies[0])
            assert not pages(), "it was answered"
            view = await page(live)
            item = await row(view, "lint")
            assert item.head.accessibleName() == "lint, Folder not trusted"
            item.unfold()
            assert item.details is not None
            assert str(ODD) in item.details.line.text, "its command line is read whole before"
            button(item, "serverTrustButton").click()
            await until(pages, what="it is asked about again")
            assert str(ODD) in words(pages()[0])
            live.press("trustButton")
            view = await page(live)
            item = await row(view, "lint")
            await until(lambda: item.row.state in ("idle", "starting", "ready"))
            close_settings(live)


async def test_the_palette_finds_the_page_and_each_server(home: Path, folder: Path) -> None:
    keep(home, odd=odd(), docs={"url": "https://docs.example/mcp", "enabled": False})
    with ScriptedServer() as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            await until(lambda: live.window.core.servers._panel is not None)
            live.window.core.keys.open_palette()
            palette = live.window.findChild(Palette)
            assert isinstance(palette, Palette)

            def of(*groups: str) -> list[Entry]:
                return [entry for entry in palette._entries if entry.group in groups]

            await until(lambda: of("Servers"))
            found = {entry.title: entry for entry in of("Servers")}
            assert {name: e.right for name, e in found.items()} == {
                "docs": "Off",
                "odd": "Starts with the next message",
            }
            titles = [entry.title for entry in of("Commands", "Settings")]
            assert titles.count("Servers") == 2, "the command, and the page"
            palette.close_palette()
            found["docs"].act()
            view = live.window.findChild(ServersView)
            assert isinstance(view, ServersView)
            item = await row(view, "docs")
            await until(lambda: item.head.isChecked())
            dialog = live.window.findChild(QDialog, "settingsDialog")
            assert isinstance(dialog, QDialog)
            dialog.search.setText("docs.example")  # type: ignore[attr-defined]
            assert dialog.list.currentItem().text() == "Servers"  # type: ignore[attr-defined]
            close_settings(live)


_ALONE = """
import asyncio, sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
from kinet.ui.kit.event_loop import EventLoop
from tests.support.live_window import live_window
from tests.support.window import until

async def main():
    async with live_window(Path(sys.argv[1]), server_url="http://127.0.0.1:9/v1") as live:
        await live.focus_composer()
        live.panel.composer.edit.set_text("Hello")
        await until(lambda: live.window.core.servers._woken)
        await asyncio.sleep(0)
    theirs = ("mcp.", "kinet.mcp.", "kinet.ui.servers", "kinet.ui.asking.server_rule")
    print([name for name in sys.modules if name == "mcp" or name.startswith(theirs)])

loop = EventLoop(QApplication([]))
asyncio.set_event_loop(loop)
loop.run_until_complete(main())
"""


def test_without_servers_nothing_of_them_is_imported_by_a_window(home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _ALONE, str(home)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert done.stdout.strip() == "[]", done.stdout + done.stderr
