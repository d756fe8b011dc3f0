"""The page of servers with 200 of them, one with 500 tools: how long it holds the window.

Prints one JSON object a line: {"name", "value", "limit", "pass", "raw"}, the longest stretch of
work of the window's thread in ms, by its own processor time, each the median of three pages; exits
1 on a miss. Run it from the project's folder: python -m tests.bench.bench_servers_page.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow

from kinet.ui.kit.event_loop import EventLoop
from kinet.ui.look.theme import load_fonts, load_theme, palette, set_current, stylesheet
from kinet.ui.preferences.settings_page import SettingsPage
from kinet.ui.servers.server_form import JSON
from kinet.ui.servers.servers_view import ServersView
from tests.bench.bench_transcript import report
from tests.support.fake_servers import FakeServers, Server, Tool
from tests.support.window import until

_LIMIT = 50.0
_SERVERS, _TOOLS, _PAGES = 200, 500, 3
_WHY = "The program ended before it answered."


class Page:
    """One page in a window of its own, and the longest turns of its loop by what was done."""

    def __init__(self) -> None:
        words = "Does something that takes many words to tell. " * 20
        tools = tuple(Tool(f"tool_{n}_列出第三季度", words, 100 + n) for n in range(_TOOLS))
        rows = [
            Server(
                f"server-{n}",
                f"npx -y @company/server-{n} --root '/home/me/季度报告 {n}'",
                "ready" if n % 5 else "failed",
                reason="" if n % 5 else _WHY,
                tools=() if n else tools,
            )
            for n in range(_SERVERS)
        ]
        self.services = FakeServers(rows, {row.name: {"command": "npx"} for row in rows})
        self.window = QMainWindow()
        self.window.setStyleSheet(stylesheet(load_theme("light")))
        self.window.resize(704, 700)
        page = SettingsPage("mcp", "Servers")
        self.view = ServersView(self.services, page)  # type: ignore[arg-type]
        page.add_part(self.view, self.view)
        self.window.setCentralWidget(page)
        self.longest: dict[str, float] = {}
        self._worst = 0.0

    async def beat(self) -> None:
        """Notes the longest turn of the loop, for ever."""
        before = time.thread_time()
        while True:
            await asyncio.sleep(0)
            now = time.thread_time()
            self._worst, before = max(self._worst, now - before), now

    async def during(
        self, name: str, act: Callable[[], object], done: Callable[[], object] = lambda: True
    ) -> None:
        """Does it, waits until it is done and painted."""
        await asyncio.sleep(0.1)
        self._worst = 0.0
        act()
        await until(done, 60.0, name)
        await asyncio.sleep(0.3)
        self.longest[name] = 1000 * self._worst

    async def run(self) -> None:
        """All that is measured."""
        view, services = self.view, self.services
        beating = asyncio.ensure_future(self.beat())
        all_there = lambda: len(view.items) == _SERVERS  # noqa: E731
        await self.during("opened", self.window.show, all_there)
        await self.during("read again", view.refresh)
        services.servers = [replace(row, state="starting", reason="") for row in services.servers]
        changed = lambda: view.items[-1].row.state == "starting"  # noqa: E731
        await self.during("all in another state", lambda: services.change("server-0"), changed)
        found = lambda: sum(item.isVisible() for item in view.items)  # noqa: E731
        search = view.search
        await self.during("found by words", lambda: search.setText("er-19"), lambda: found() == 11)
        await self.during("all again", search.clear, lambda: found() == _SERVERS)
        first = view.items[0]
        await self.during("500 tools unfolded", first.head.click)
        assert first.details is not None
        tools = first.details.tools
        await self.during("a tool found", lambda: tools.search.setText("tool_44"))
        await self.during("all tools again", tools.search.clear)
        tools.view.setFocus()
        await self.during("a tool off", lambda: QTest.keyClick(tools.view, Qt.Key.Key_Space))
        await self.during("all tools off", tools.every.click)
        await self.during("narrower", lambda: self.window.resize(640, 720))
        form = view.open_form(None)
        form.kind.buttons[JSON].click()
        many = {f"new-{n}": {"command": f"program-{n}"} for n in range(_SERVERS)}
        form.pasted.text.setPlainText(json.dumps({"mcpServers": many}, indent=1))
        made = lambda: len(form.pasted.rows) == len(form.pasted.entries)  # noqa: E731
        await self.during("200 pasted", form.pasted.look, made)
        beating.cancel()
        form.done(0)
        self.window.close()


async def _main() -> int:
    pages = []
    for _ in range(_PAGES):
        pages.append(Page())
        await pages[-1].run()
    passed = []
    for name in pages[0].longest:
        raw = [page.longest[name] for page in pages]
        passed.append(report(f"SERVERS {name}, ms", raw, _LIMIT))
    return 0 if all(passed) else 1


if __name__ == "__main__":
    application = QApplication([])
    application.setStyle("Fusion")
    application.setQuitOnLastWindowClosed(False)
    load_fonts()
    theme = load_theme("light")
    set_current(theme)
    application.setPalette(palette(theme))
    loop = EventLoop(application)
    asyncio.set_event_loop(loop)
    code = loop.run_until_complete(_main())
    sys.stdout.flush()
    os._exit(code)
