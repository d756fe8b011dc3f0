"""Undo through sessions: what a whole turn changed, a stopped call, sub-agents, two sessions."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from kinet.core.errors import StoreError
from kinet.core.events import Event, FilesChanged, ToolFinished, ToolProgress
from kinet.runtime import Runtime, create_runtime
from kinet.session.session import Session
from tests.support.approvers import allows_everything
from tests.support.scripted_server import ScriptedServer, asks_for, says


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    (place / "a.txt").write_text("one\n")
    return place


def program(tmp_path: Path, server: ScriptedServer, folder: Path) -> Runtime:
    return create_runtime(
        tmp_path / "home", base_url=server.base_url, model="scripted", cwd=folder, trust=True
    )


async def send(session: Session, text: str = "go") -> list[Event]:
    return [event async for event in session.send(text, allows_everything())]


def changed(events: list[Event]) -> list[tuple[str, ...]]:
    return [event.paths for event in events if isinstance(event, FilesChanged)]


async def test_a_turn_is_taken_back_whole_and_the_step_shows_what_a_command_did(
    tmp_path: Path, folder: Path
) -> None:
    script = (
        asks_for("shell", command="echo two >> a.txt; mkdir d; echo x > d/new; exit 3"),
        asks_for("write_file", path="e/f.txt", content="y\n"),
        says("done"),
    )
    with ScriptedServer(*script) as server:
        runtime = program(tmp_path, server, folder)
        session = runtime.open_session()
        events = await send(session)
        assert changed(events) == [("a.txt", "d/new"), ("e/f.txt",)]
        step = next(event for event in events if isinstance(event, ToolFinished))
        assert "+two" in step.details["diff"]
        assert (step.details["added"], step.details["removed"]) == (2, 0)
        outcome = await session.changes.undo()
        assert outcome.done == ("a.txt", "d/new", "e/f.txt")
        assert os.listdir(folder) == ["a.txt"]
        assert await session.changes.standing() == dict.fromkeys(
            await session.changes.turns(), True
        )
        with pytest.raises(StoreError, match="nothing to be taken back"):
            await session.changes.undo()
        await session.changes.redo()
        assert (folder / "d" / "new").exists()
        await runtime.close()


async def test_what_a_stopped_command_did_until_then_can_be_taken_back(
    tmp_path: Path, folder: Path
) -> None:
    command = "echo spoilt > a.txt; echo ready; sleep 600"
    with ScriptedServer(asks_for("shell", command=command), says("never")) as server:
        runtime = program(tmp_path, server, folder)
        session = runtime.open_session()
        async for event in session.send("go", allows_everything()):
            if isinstance(event, ToolProgress) and "ready" in event.text:
                session.stop()
        assert (folder / "a.txt").read_text() == "spoilt\n"
        async with asyncio.timeout(20):
            while not await session.changes.turns():  # noqa: ASYNC110 - noted by a thread
                await asyncio.sleep(0.02)
        await session.changes.undo()
        assert (folder / "a.txt").read_text() == "one\n"
        await runtime.close()


async def test_two_sessions_on_one_folder_never_take_back_each_other(
    tmp_path: Path, folder: Path
) -> None:
    script = (
        asks_for("shell", command="echo first > a.txt"), says("1"),
        asks_for("shell", command="echo second > a.txt"), says("2"),
    )  # fmt: skip
    with ScriptedServer(*script) as server:
        runtime = program(tmp_path, server, folder)
        first, second = runtime.open_session(), runtime.open_session()
        await send(first)
        await send(second)
        with pytest.raises(StoreError, match="Another session has changed"):
            await first.changes.undo()
        assert (folder / "a.txt").read_text() == "second\n"
        await second.changes.undo()
        await first.changes.undo()
        assert (folder / "a.txt").read_text() == "one\n"
        await runtime.close()
