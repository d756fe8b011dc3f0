"""A start imports what it needs: no sources kept, no rare library, nothing only a turn uses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.features.test_window_program import environment
from tests.support.replies import says
from tests.support.scripted_server import ScriptedServer

pytestmark = pytest.mark.window

SCRIPT = """
import asyncio, json, linecache, sys, threading
from kinet.app import create_application, end_window, first_window
from kinet.runtime import create_runtime
from kinet.ui.kit.event_loop import EventLoop
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

home, server, text = sys.argv[1:]
app = create_application()
runtime = create_runtime(home, base_url=server or None, model="gpt-5" if server else None)
window = first_window(runtime)
window.show()
loop = EventLoop(app)
asyncio.set_event_loop(loop)
on_loop, beside = [], []

def note(event, arguments):
    if event == "import":
        here = threading.current_thread() is threading.main_thread()
        (on_loop if here else beside).append(arguments[0])

sys.addaudithook(note)

async def until(true):
    while not true():
        await asyncio.sleep(0.01)

async def main():
    await window.filled()
    await asyncio.sleep(0.2)
    told = {"sources": len(linecache.cache), "modules": sorted(sys.modules)}
    if text:
        edit = window.panel.composer.edit
        edit.setPlainText(text)
        on_loop.clear()
        app.postEvent(
            edit, QKeyEvent(QEvent.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier)
        )
        await until(lambda: window.panel.runner.running)
        await until(lambda: not window.panel.runner.running)
        told |= {"shown": window.panel.transcript.plain_text(), "on_loop": list(on_loop)}
    told["beside"] = beside
    print(json.dumps(told))
    await end_window(window, runtime)

loop.run_until_complete(main())
loop.close()
"""
# Each is imported by what uses it: a picture, a price, a key, a document, coloured code.
LATE = ("rich", "click", "PIL", "genai_prices", "keyring", "openai", "ddgs", "PySide6.QtNetwork")
# They come with the first key or click, in a thread.
OF_A_TURN = (
    "httpx",
    "markdown_it",
    "kinet.engine.direct",
    "kinet.net.client",
    "kinet.providers.catalog",
    "kinet.session.turn",
    "kinet.tools.catalog",
)
# They name Qt's classes: never in a thread.
OF_A_CONVERSATION = (
    "kinet.ui.asking.approval_card",
    "kinet.ui.panel.step_detail",
    "kinet.ui.transcript.presenter",
    "kinet.ui.transcript.view",
)


def told_by_a_window(home: Path, server: str = "", text: str = "") -> dict[str, Any]:
    """What a window of its own process tells; with `text` its first key sends that."""
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(home), server, text],
        env=environment(QT_QPA_PLATFORM="offscreen"),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def of_qt(names: list[str]) -> list[str]:
    """Modules that name Qt's classes: two threads that name one at once crash."""
    return [name for name in names if name.startswith(("kinet.ui", "PySide6", "shiboken6"))]


def test_a_window_that_is_ready_holds_neither_sources_nor_rare_libraries(tmp_path: Path) -> None:
    found = told_by_a_window(tmp_path / "home")
    assert [
        name for name in (*LATE, *OF_A_TURN, *OF_A_CONVERSATION) if name in found["modules"]
    ] == []
    assert of_qt(found["beside"]) == []
    # Those read before the window was made; all later ones are several hundred.
    assert found["sources"] < 100


def test_a_first_key_that_sends_imports_nothing_of_a_turn_where_the_window_turns(
    tmp_path: Path,
) -> None:
    with ScriptedServer(says("Yes.")) as server:
        found = told_by_a_window(tmp_path / "home", server.base_url, "Hello.")
    assert [name for name in OF_A_TURN if name in found["modules"]] == []
    assert found["shown"] == "**You:** Hello.\n\nYes."
    assert [name for name in OF_A_TURN if name in found["on_loop"]] == []
    assert of_qt(found["beside"]) == []
