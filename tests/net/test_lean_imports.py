"""What is left out of an import for one is there for everybody else."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType

from kinet.net.lean_imports import stand_ins

NAME = "a_module_that_nobody_has"


def test_a_stand_in_is_there_only_meanwhile() -> None:
    module = ModuleType(NAME)
    with stand_ins({NAME: module}):
        assert __import__(NAME) is module
    assert NAME not in sys.modules


def test_what_is_imported_already_stays() -> None:
    with stand_ins({"json": ModuleType("json")}):
        assert sys.modules["json"] is json
    with stand_ins({NAME: ModuleType(NAME)}, unless="json"):
        assert NAME not in sys.modules
    assert sys.modules["json"] is json


def test_nobody_meets_the_stand_in_of_another_thread() -> None:
    begun, seen, done = threading.Event(), list[bool](), threading.Event()

    def other() -> None:
        begun.set()
        with stand_ins({}):
            seen.append(NAME in sys.modules)
        done.set()

    with stand_ins({NAME: ModuleType(NAME)}):
        threading.Thread(target=other, daemon=True).start()
        begun.wait(5)
    assert done.wait(5)
    assert seen == [False]


def test_prices_and_tool_servers_are_imported_side_by_side() -> None:
    """Both leave something out: the one what the other needs."""
    code = """
import sys, threading
sys.setswitchinterval(1e-6)
from kinet.mcp.sdk import import_sdk
from kinet.providers.public_prices import data_source
failed = []

def run(work):
    try:
        work()
    except BaseException as exc:
        failed.append(repr(exc))

threads = [threading.Thread(target=run, args=(work,)) for work in (data_source, import_sdk)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
import httpx2, mcp
print(failed, hasattr(httpx2, "EventSource"), hasattr(mcp, "ClientSession"))
"""
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == "[] True True\n"
