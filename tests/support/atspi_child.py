"""A whole window with a conversation and a turn that asks; another program reads it by AT-SPI.

Prints one JSON object: what was read at each moment, what was announced, where the focus went.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog

from kinet.ui.kit.event_loop import EventLoop
from kinet.ui.look.theme import load_fonts
from kinet.ui.servers.servers_view import ServersView
from tests.support.fake_servers import FakeServers, Server, Tool
from tests.support.live_window import LiveWindow, live_window
from tests.support.replies import Reply
from tests.support.scripted_server import ScriptedServer, asks_for, says
from tests.support.window import until
from tests.ui.transcript_kit import ANSWER, CODE

CLIENT = Path(__file__).with_name("atspi_client.py")
# Runs until a file is there.
COMMAND = "until [ -e go ]; do sleep 0.05; done; echo passed"

_TOOLS = (Tool("search", "Looks for words.", read_only=True), Tool("fetch", on=False))
_SERVERS = (
    Server("docs", state="ready", title="Docs 1.2", tools=_TOOLS),
    Server("broken", state="failed", reason="It ended at once.", stderr="no\n", exit_code=127),
    Server("lint", state="trust", place="folder", folder="/work", reason="Not trusted yet."),
)


class Reader:
    """The program that reads, and the lines to and from it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def ask(self, *words: str) -> Any:
        """Its answer to one line."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(words).encode() + b"\n")
        return await self.heard()

    async def heard(self) -> Any:
        """Its next line."""
        assert self._process.stdout is not None
        return json.loads(await self._process.stdout.readline())

    async def press(self, action: str, name: str) -> None:
        """Presses by the action interface; AssertionError if there is no such thing."""
        assert await self.ask("press", action, name), f"nothing named {name} offers {action}"

    async def said(self, words: str) -> None:
        """Returns when something with these words was announced."""
        for _ in range(100):
            if any(words in item for item in await self.ask("said")):
                return
            await asyncio.sleep(0.05)
        raise AssertionError(f"never heard {words}: {await self.ask('said')}")


async def main(home: Path) -> dict[str, Any]:
    """Goes through a conversation with the reader; what it read."""
    folder = home / "work"
    folder.mkdir()
    (folder / "totals.py").write_text(CODE, encoding="utf-8")
    with ScriptedServer(*_script()) as server:
        async with live_window(
            home / "data", server_url=server.base_url, folder=folder, approve="ask"
        ) as live:
            live.window.activateWindow()
            process = await asyncio.create_subprocess_exec(
                "/usr/bin/python3", str(CLIENT), str(os.getpid()),
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 24,
            )  # fmt: skip
            reader = Reader(process)
            assert await reader.heard() == "ready"
            try:
                return await _walk(live, reader, folder)
            finally:
                assert process.stdin is not None
                process.stdin.close()
                await process.wait()


async def _walk(live: LiveWindow, reader: Reader, folder: Path) -> dict[str, Any]:
    window, panel = live.window, live.panel
    await live.ask("Match `invoices/` with the bank.")
    await reader.said("Kinet has answered")
    await until(panel.transcript.is_idle)
    read: dict[str, Any] = {"answered": await reader.ask("tree")}
    await live.say("Run the tests.")
    await reader.said("Run this command?")
    await until(lambda: any(item.state == "waiting" for item in panel.runner.steps.records()))
    await until(panel.transcript.is_idle)
    read["approval"] = await reader.ask("tree")
    # A card takes no answer in its first moment.
    await until(lambda: panel.approvals.cards()[0].takes_keys)
    await reader.press("Press", "Allow once")
    await until(lambda: any(item.state == "running" for item in panel.runner.steps.records()))
    await until(panel.transcript.is_idle)
    live.type("And then translate it.")
    await reader.press("Press", "Add to the queue")
    await until(lambda: panel.composer.edit.text() == "")
    read["running"] = await reader.ask("tree")
    (folder / "go").touch()
    await reader.said("Which month")
    read["question"] = await reader.ask("tree")
    await reader.press("Press", "November")
    await reader.said("Translated.")
    await reader.press("Show the step", "Command until")
    await until(lambda: window.parts.frame.panel_shown)
    await reader.press("Press", "Input")
    read["panel"] = await reader.ask("tree")
    read["walk"] = await _tab(live, reader)
    window.parts.toast.tell("The session was deleted.", "Undo")
    await reader.said("The session was deleted.")
    window.program.services.servers = FakeServers(list(_SERVERS), {})
    await reader.press("Press", "Settings")
    await until(lambda: any(dialog.isVisible() for dialog in window.findChildren(QDialog)))
    read["settings"] = await reader.ask("tree")
    read["servers"] = await _servers(live, reader)
    read["said"] = await reader.ask("said")
    return read


async def _servers(live: LiveWindow, reader: Reader) -> Any:
    """The page of servers with each of them unfolded."""
    live.window.parts.models.open_settings("mcp")
    view = live.window.findChild(ServersView)
    assert view is not None
    await until(lambda: len(view.items) == len(_SERVERS))
    for item in view.items:
        item.unfold()
    await asyncio.sleep(0)
    return await reader.ask("tree")


async def _tab(live: LiveWindow, reader: Reader) -> list[list[str]]:
    """Goes round the whole window by Tab; what had the focus, as it was heard."""
    edit = live.panel.composer.edit
    edit.setFocus(Qt.FocusReason.TabFocusReason)
    await until(edit.hasFocus)
    already = len(await reader.ask("focused"))
    for _ in range(80):
        focused = QApplication.focusWidget()
        assert focused is not None, "the focus is lost on the way"
        QTest.keyClick(focused, Qt.Key.Key_Tab, Qt.KeyboardModifier.NoModifier)
        await asyncio.sleep(0.01)
        if edit.hasFocus():
            break
    walked: list[list[str]] = (await reader.ask("focused"))[already:]
    return walked


def _script() -> tuple[Reply, ...]:
    """A turn with a step that fails, one with a command that waits, and what was queued."""
    pieces = [ANSWER[place : place + 5] for place in range(0, len(ANSWER), 5)]
    return (
        asks_for("read_file", path="missing.csv"),
        asks_for("read_file", path="totals.py"),
        says(*pieces),
        asks_for("shell", command=COMMAND),
        asks_for("ask_user", question="Which month?", choices=["October", "November"]),
        says("It is done."),
        says("Translated."),
    )


if __name__ == "__main__":
    app = QApplication(["kinet"])
    app.setApplicationName("kinet")
    app.setStyle("Fusion")
    load_fonts()
    loop = EventLoop(app)
    asyncio.set_event_loop(loop)
    print(json.dumps(loop.run_until_complete(main(Path(sys.argv[1])))), flush=True)
    loop.close()
