"""A server is tried out apart: each word of it is told, and nothing of it stays."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from mcp_kit import Kit, is_alive, odd

from kinet.mcp.connection import Connection


async def test_a_trial_ends_what_it_started_also_when_it_is_given_up(
    kit: Kit, tmp_path: Path
) -> None:
    notes, said = tmp_path / "notes", list[str]()
    kit.entries["odd"] = odd("stubborn", notes)
    told = await kit.servers.try_out(kit.definition("odd"), kit.folder, said.append)
    assert told.state == "ready"
    assert said[:2] == ["Starting the program", "It answers: odd 1.2"]
    kit.entries["odd"] = odd("silent", notes)
    trying = asyncio.create_task(kit.servers.try_out(kit.definition("odd"), kit.folder))
    await asyncio.sleep(0)
    trying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await trying
    pids = [int(word) for word in notes.read_text().split() if word.isdigit()]
    await kit.until(lambda: not any(is_alive(pid) for pid in pids))


async def test_a_trial_tells_each_word_in_order_however_late_it_is_heard(
    kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready, said = threading.Event(), list[str]()
    make_ready = Connection._ready

    def notes(connection: Connection, live: Any) -> None:
        make_ready(connection, live)
        ready.set()

    def slowly(words: str) -> None:
        said.append(words)
        assert ready.wait(30)

    monkeypatch.setattr(Connection, "_ready", notes)
    kit.entries["odd"] = odd("stubborn", tmp_path / "notes")
    told = await kit.servers.try_out(kit.definition("odd"), kit.folder, slowly)
    assert told.state == "ready"
    assert said == ["Starting the program", "It answers: odd 1.2", "6 tools so far"]
