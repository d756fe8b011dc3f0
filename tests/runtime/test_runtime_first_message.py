"""The first message of a program: nothing large is imported on the thread of its loop."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.replies import says
from tests.support.scripted_server import ScriptedServer

SCRIPT = """
import asyncio, json, sys, threading
from kinet.runtime import create_runtime

imported = []

def note(event, arguments):
    if event == "import":
        imported.append((arguments[0], threading.current_thread() is threading.main_thread()))

async def main():
    home, base_url, model = sys.argv[1:]
    runtime = create_runtime(home + "/home", base_url=base_url, model=model, cwd=home)
    runtime.preload()
    runtime.build()
    runtime.warm_up()
    session = runtime.open_session()
    window = [runtime.window(runtime.profile())]
    assert "genai_prices" not in sys.modules, "asking for the window read the prices"
    sys.addaudithook(note)
    async for event in session.send("Hello."):
        pass
    window.append(runtime.window(runtime.profile()))
    await runtime.close()
    print(json.dumps({"end": event.reason, "imported": imported, "window": window}))

asyncio.run(main())
"""
OWN = {*sys.stdlib_module_names, "kinet"}


def imports_of_the_first_message(home: Path, model: str) -> list[tuple[str, bool]]:
    """Name, and whether it was on the loop's thread, of each module the first message imports."""
    with ScriptedServer(says("Yes.")) as server:
        ran = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(home), server.base_url, model],
            capture_output=True,
            text=True,
            timeout=100,
            check=True,
        )
    told = json.loads(ran.stdout)
    assert told["end"] == "completed"
    # Not known until somebody looks: the one who asks on the loop's thread never waits.
    assert told["window"] == ([400_000] * 2 if model == "gpt-5" else [None, 0])
    return [(name, on_loop) for name, on_loop in told["imported"]]


def others(imported: list[tuple[str, bool]], on_loop: bool) -> set[str]:
    """The packages of others among them."""
    names = {name.partition(".")[0] for name, where in imported if where is on_loop}
    return {name for name in names if name not in OWN}


@pytest.mark.parametrize("model", ["a-model-nobody-knows", "gpt-5"])
def test_a_first_message_imports_no_package_on_the_thread_of_the_loop(
    tmp_path: Path, model: str
) -> None:
    imported = imports_of_the_first_message(tmp_path, model)
    assert others(imported, on_loop=True) == set()
    # The published prices are read beside the loop, and only for a model that has no row of ours.
    beside = others(imported, on_loop=False)
    assert ("genai_prices" in beside) is (model != "gpt-5")
    # No client for updates that are never made.
    assert "httpx2" not in {name.partition(".")[0] for name, _ in imported}
