"""What goes on of a call when it has ended is told when that ends, and taken back with care."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from kinet.core.events import Event, FilesChanged, Notice
from kinet.core.own_command import OwnCommand
from kinet.runtime import Runtime, create_runtime
from kinet.session.session import Session
from kinet.tools.processes import jobs
from tests.session.conftest import collect
from tests.support.approvers import allows_everything
from tests.support.replies import Gate, asks_for, says
from tests.support.scripted_server import ScriptedServer

# Waits for a file, then makes others.
JOB = "until [ -e go ]; do sleep 0.02; done; echo job > made.txt; echo more >> old.txt"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "old.txt").write_text("old\n")
    return folder


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server
        assert server.problems == []


@pytest.fixture
async def runtime(tmp_path: Path, work: Path, server: ScriptedServer) -> AsyncIterator[Runtime]:
    runtime = create_runtime(
        tmp_path / "home", base_url=server.base_url, model="gpt-5", protocol="openai", cwd=work
    )
    yield runtime
    await runtime.close()


async def with_a_job(session: Session, server: ScriptedServer) -> list[Event]:
    server.replies(asks_for("shell", command=JOB, background=True), says("It runs."))
    return await collect(session.send("Build.", approver=allows_everything()))


def found(events: list[Event]) -> list[FilesChanged]:
    return [event for event in events if isinstance(event, FilesChanged)]


async def test_what_a_job_changed_is_told_when_it_ends_in_the_card_of_the_turn_that_began_it(
    runtime, server, work
):
    session = runtime.open_session()
    assert found(await with_a_job(session, server)) == []
    afterwards = asyncio.create_task(collect(session.afterwards()))
    server.replies(says("Yes."))
    await collect(session.send("Is it done?"))
    (work / "go").touch()
    events = await afterwards
    (notice,) = [event for event in events if isinstance(event, Notice)]
    assert notice.text.startswith("3 files changed while a command ran on in the background")
    (changed,) = found(events)
    first = session.history()[0].id
    # "go" was made by hand: nobody can tell, so the words say so.
    assert (changed.paths, changed.turn_id) == (("go", "made.txt", "old.txt"), first)
    outcome = await session.changes.undo(first)
    assert [item.path for item in outcome.questions] == ["go", "made.txt", "old.txt"]
    assert {item.answers for item in outcome.questions} == {("keep", "restore")}
    assert "in the background" in outcome.questions[0].note
    answers = {"go": "keep", "made.txt": "restore", "old.txt": "restore"}
    await session.changes.undo(first, answers=answers)
    assert (work / "old.txt").read_text() == "old\n"
    assert not (work / "made.txt").exists()
    assert (work / "go").exists()
    await session.close()
    assert found(runtime.open_session(session.id).events())[-1] == changed


async def test_a_job_that_ends_when_the_conversation_went_back_is_told_there_and_on_its_branch(
    runtime, server, work
):
    session = runtime.open_session()
    await with_a_job(session, server)
    first = session.history()[0].id
    await session.go_back(first)
    server.replies(says("Otherwise."))
    await collect(session.send("Do it otherwise."))
    other = session.history()[0].id
    afterwards = asyncio.create_task(collect(session.afterwards()))
    (work / "go").touch()
    (changed,) = found(await afterwards)
    assert changed.turn_id == first
    # It is told where the conversation stands, and can be taken back from there.
    assert found(session.events()) == [changed]
    assert await session.changes.turns() == [first]
    await session.switch_branch(other, -1)
    assert session.history()[0].id == first
    assert found(session.events()) == [changed]
    # What is said next goes on behind it, and each branch has it once.
    server.replies(says("And on."))
    await collect(session.send("Go on."))
    await runtime.sessions.let_go(session.id)
    session = runtime.open_session(session.id)
    assert found(session.events()) == [changed]
    await session.switch_branch(first, 1)
    assert found(session.events()) == [changed]


async def test_a_job_that_ends_within_its_turn_is_told_there(runtime, server, work):
    session = runtime.open_session()
    gate = Gate()
    server.replies(asks_for("shell", command=JOB, background=True), says("It runs.", gate))
    events = []
    async for event in session.send("Build.", approver=allows_everything()):
        events.append(event)
        if getattr(event, "text", "") == "It runs.":
            (work / "go").touch()
        if isinstance(event, FilesChanged):
            gate.open()
    (changed,) = found(events)
    assert changed.turn_id == ""
    assert "made.txt" in changed.paths
    assert await collect(session.afterwards()) == []


async def test_what_a_call_of_the_agent_changed_meanwhile_is_not_the_jobs(runtime, server, work):
    session = runtime.open_session()
    await with_a_job(session, server)
    server.replies(asks_for("write_file", path="own.txt", content="mine\n"), says("Yes."))
    await collect(session.send("Write.", approver=allows_everything()))
    (work / "go").touch()
    (changed,) = found(await collect(session.afterwards()))
    assert "own.txt" not in changed.paths


async def test_a_job_that_is_stopped_is_told_too_and_one_that_changed_nothing_says_nothing(
    runtime, server, work
):
    session = runtime.open_session()
    await with_a_job(session, server)
    (work / "hand.txt").touch()
    for job in jobs.listed(session.id, running=True):
        job.stop()
    (changed,) = found(await collect(session.afterwards()))
    assert changed.paths == ("hand.txt",)
    server.replies(asks_for("shell", command="sleep 600", background=True), says("It runs."))
    await collect(session.send("Serve.", approver=allows_everything()))
    for job in jobs.listed(session.id, running=True):
        job.stop()
    assert await collect(session.afterwards()) == []


async def test_what_a_command_of_ones_own_left_running_is_told_when_it_ends(runtime, work):
    session = runtime.open_session()
    await collect(session.run_command(OwnCommand(f"({JOB}) >/dev/null 2>&1 &")))
    (work / "go").touch()
    (changed,) = found(await collect(session.afterwards()))
    assert "made.txt" in changed.paths
    assert await session.changes.standing() == {changed.turn_id: False}


async def test_a_session_that_closes_ends_its_jobs_and_waits_for_no_look(runtime, server, work):
    session = runtime.open_session()
    await with_a_job(session, server)
    afterwards = asyncio.create_task(collect(session.afterwards()))
    await asyncio.sleep(0)
    await session.close()
    assert found(await afterwards) == []
    assert jobs.listed(session.id, running=True) == ()
    assert not (work / "made.txt").exists()
