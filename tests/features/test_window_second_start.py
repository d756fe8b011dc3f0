"""One holder of a data folder: a second start and commands reach the window that is open."""

from __future__ import annotations

import asyncio
import json
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from kinet.store.database import FILE_NAME, Database
from tests.features.test_window_program import environment
from tests.support.live_window import live_window
from tests.support.scripted_server import ScriptedServer, asks_for, says
from tests.support.window import until

pytestmark = pytest.mark.window


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str


async def kinet(home: Path, *arguments: str, given: str = "", **variables: str) -> Ran:
    """Runs a real command on `home` while this process goes on."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "kinet",
        *arguments,
        env=environment(KINET_HOME=str(home), QT_QPA_PLATFORM="offscreen", **variables),
        cwd=home.parent,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(given.encode()), 60)
    ran = Ran(process.returncode or 0, out.decode(), err.decode())
    assert "Traceback" not in ran.err, ran.err
    return ran


async def held(home: Path) -> None:
    """Returns when the window can be reached."""
    await until(lambda: (home / "owner.json").exists(), what="the window listens")


async def test_a_second_start_brings_the_first_window_and_its_session(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with ScriptedServer(says("Yes."), says("No.")) as server:
        async with live_window(home, server_url=server.base_url, folder=tmp_path) as live:
            await held(home)
            assert stat.S_IMODE((home / "owner.json").stat().st_mode) == 0o600
            await live.ask("First")
            first = live.panel.session_id
            live.window.desk.new()
            live.window.showMinimized()
            ran = await kinet(home, "--session", first)
            assert (ran.code, ran.out, ran.err) == (0, "", "")
            assert live.panel.session_id == first
            assert not live.window.isMinimized()
        assert not (home / "owner.json").exists()


async def test_kinet_run_is_taken_by_the_open_window_and_stands_in_its_list(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (tmp_path / "notes.txt").write_text("oats\n", encoding="utf-8")
    script = (asks_for("read_file", path="notes.txt"), says("There are **oats**."))
    with ScriptedServer(*script) as server:
        async with live_window(home, folder=tmp_path / "home") as live:
            await held(home)
            ran = await kinet(
                home, "run", "What is in the notes?", "--base-url", server.base_url,
                "--model", "gpt-4o", "--api-key-env", "ONLY_THERE", ONLY_THERE="sk-only-there",
            )  # fmt: skip
            assert ran.code == 0, ran.err
            assert ran.out == "There are **oats**.\n"
            assert "read_file notes.txt" in ran.err
            await until(lambda: live.window.parts.sidebar.model.shown_ids())
            # What it cost is part of what the window tells.
            month = live.window.parts.sidebar.month_label
            await until(lambda: month.whole_text().startswith("This month"), what="it is counted")
            live.window.open_session(live.window.parts.sidebar.model.shown_ids()[0])
            assert "There are **oats**." in live.text
    assert server.requests[0].headers["authorization"] == "Bearer sk-only-there"
    kept = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert b"sk-only-there" not in kept


async def test_what_nobody_can_be_asked_about_is_denied_as_without_a_window(tmp_path: Path) -> None:
    home = tmp_path / "home"
    script = (asks_for("write_file", path="new.txt", content="x"), says("Then not."))
    with ScriptedServer(*script) as server:
        async with live_window(home, folder=tmp_path):
            await held(home)
            ran = await kinet(
                home, "run", "Write", "--json", "--base-url", server.base_url, "--model", "m"
            )
    assert ran.code == 5
    events = [json.loads(line) for line in ran.out.splitlines()]
    assert events[-1]["type"] == "turn_finished"
    assert not (tmp_path / "new.txt").exists()


async def test_facts_and_sessions_are_changed_by_the_open_window(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with ScriptedServer(says("Yes.")) as server:
        async with live_window(home, server_url=server.base_url, folder=tmp_path) as live:
            await held(home)
            added = await kinet(home, "memory", "add", "Uses tabs")
            assert added.code == 0, added.err
            facts = live.window.program.services.memory.facts()
            assert [(fact.id, fact.text) for fact in facts] == [(added.out.strip(), "Uses tabs")]
            line = json.dumps({"role": "user", "content": "Brought along"})
            (tmp_path / "old.jsonl").write_text(line, encoding="utf-8")
            brought = await kinet(home, "sessions", "import", str(tmp_path / "old.jsonl"))
            assert brought.code == 0, brought.err
            shown = live.window.parts.sidebar.model.shown_ids
            await until(lambda: brought.out.strip() in shown())
            gone = await kinet(home, "sessions", "delete", brought.out.strip())
            assert gone.code == 0, gone.err
            await until(lambda: shown() == [])
            missing = await kinet(home, "sessions", "delete", "nowhere")
            assert missing.code == 1
            assert "There is no session 'nowhere'." in missing.err


async def test_an_owner_that_does_not_answer_is_one_sentence(tmp_path: Path) -> None:
    home = tmp_path / "home"
    database = Database(home / FILE_NAME)
    try:
        # What a window that was killed leaves behind.
        (home / "owner.json").write_text('{"port": 9, "token": "old"}', encoding="utf-8")
        ran = await kinet(home, "memory", "add", "Uses tabs")
    finally:
        database.close()
    assert ran.code == 1
    assert ran.err.startswith("Another Kinet")
    assert len(ran.err.strip().splitlines()) == 1


async def test_a_stranger_without_the_token_is_not_answered(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with live_window(home, folder=tmp_path) as live:
        await held(home)
        port = json.loads((home / "owner.json").read_bytes())["port"]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b'{"verb": "memory", "act": "add", "text": "evil", "token": "guess"}\n')
        await writer.drain()
        assert await asyncio.wait_for(reader.read(), 10) == b""
        writer.close()
        assert list(live.window.program.services.memory.facts()) == []
