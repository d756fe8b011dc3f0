"""One turn, four ways to take it: the conversation that stays is the same."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from kinet.core.profile import WireProtocol
from kinet.runtime import create_runtime
from tests.support.approvers import allows_everything
from tests.support.live_window import live_window
from tests.support.replies import Reply
from tests.support.scripted_server import ScriptedServer, asks_for, says, says_and_asks

ROOT = Path(__file__).resolve().parents[2]
TASK = "Move the bank to Tuesday, 請。"
BEFORE, AFTER = b"# Notes\r\n\r\nMonday: bank\r\n", b"# Notes\r\n\r\nTuesday: bank\r\n"

pytestmark = pytest.mark.window


def script() -> list[Reply]:
    """Two calls at once, an edit that is asked about, a call that fails, a text."""
    return [
        asks_for("read_file", path="notes.md").with_call("glob", pattern="*.md"),
        says_and_asks(
            "I change it.", "edit_file", path="notes.md", old_string="Monday", new_string="Tuesday"
        ),
        asks_for("read_file", path="none.md"),
        says("Done: ", "it is **Tuesday**."),
    ]


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
async def test_window_run_json_and_session_leave_equal_histories(
    tmp_path: Path, protocol: WireProtocol
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    notes = folder / "notes.md"
    ways = {
        "window": by_window,
        "session": by_session,
        "run": by_run,
        "run --json": by_run_json,
    }
    histories = {}
    for name, way in ways.items():
        notes.write_bytes(BEFORE)
        home = tmp_path / name.replace(" ", "")
        with ScriptedServer(*script()) as server:
            base_url = server.base_url.removesuffix("/v1" if protocol == "anthropic" else "")
            await way(home, folder, base_url, protocol)
            assert server.problems == [], name
            assert len(server.requests) == 4, name
        assert notes.read_bytes() == AFTER, name
        histories[name] = exported(home)
    assert len(histories["window"]) == 9
    for name, history in histories.items():
        assert history == histories["window"], name


async def by_window(home: Path, folder: Path, base_url: str, protocol: str) -> None:
    """Types, allows, waits."""
    async with live_window(home, server_url=base_url, folder=folder, protocol=protocol) as live:
        await live.say(TASK)
        await live.allow()
        await live.ended()


async def by_session(home: Path, folder: Path, base_url: str, protocol: str) -> None:
    """What a program does that uses the package."""
    runtime = create_runtime(
        home, base_url=base_url, protocol=protocol, model="scripted", cwd=folder
    )
    async for _ in runtime.open_session().send(TASK, approver=allows_everything()):
        pass
    await runtime.close()


async def by_run(home: Path, folder: Path, base_url: str, protocol: str, *more: str) -> None:
    """The command, in a process of its own."""
    choice = ("--base-url", base_url, "--protocol", protocol, "--model", "scripted")
    await asyncio.to_thread(
        kinet, home, "run", TASK, *choice, "--cwd", str(folder), "--approve", "edits", *more
    )


async def by_run_json(home: Path, folder: Path, base_url: str, protocol: str) -> None:
    """The command for programs."""
    await by_run(home, folder, base_url, protocol, "--json")


def exported(home: Path) -> list[dict[str, Any]]:
    """The only session of a data folder as `export` gives it, without ids and times."""
    session = json.loads(kinet(home, "sessions", "list", "--json"))[0]["id"]
    lines = kinet(home, "sessions", "export", session, "--format", "jsonl").splitlines()
    return [cast("dict[str, Any]", without_ids(json.loads(line))) for line in lines]


def without_ids(value: Any) -> Any:
    """The value without what names one call or one moment."""
    if isinstance(value, list):
        return [without_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: without_ids(item)
        for key, item in value.items()
        if key not in ("id", "tool_call_id", "created", "at", "turn_id")
    }


def kinet(home: Path, *arguments: str) -> str:
    """What the command prints."""
    ran = subprocess.run(
        [sys.executable, "-m", "kinet", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT), "KINET_HOME": str(home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout
