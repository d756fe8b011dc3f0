"""A start imports what it needs: no sources kept, no library that only rare tasks use."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.features.test_window_program import environment

pytestmark = pytest.mark.window

SCRIPT = """
import asyncio, json, linecache, sys
from kinet.app import create_application, end_window, first_window
from kinet.runtime import create_runtime
from kinet.ui.kit.event_loop import EventLoop

app = create_application()
runtime = create_runtime(sys.argv[1])
window = first_window(runtime)
window.show()
loop = EventLoop(app)
asyncio.set_event_loop(loop)

async def main():
    await window.ready()
    print(json.dumps({"sources": len(linecache.cache), "modules": sorted(sys.modules)}))
    await end_window(window, runtime)

loop.run_until_complete(main())
loop.close()
"""
# Each is imported by what uses it: a picture, a price, a key, a document, coloured code.
LATE = ("rich", "click", "PIL", "genai_prices", "keyring", "openai", "ddgs", "PySide6.QtNetwork")


def test_a_window_that_is_ready_holds_neither_sources_nor_rare_libraries(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "home")],
        env=environment(QT_QPA_PLATFORM="offscreen"),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert [name for name in LATE if name in found["modules"]] == []
    # Those read before the window was made; all later ones are several hundred.
    assert found["sources"] < 100
