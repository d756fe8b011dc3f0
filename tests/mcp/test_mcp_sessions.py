"""Servers in sessions: their tools join, every call is asked about, what is remembered is exact."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from mcp_kit import is_alive, odd

from kinet.core.approval import Decision
from kinet.core.events import Event, FilesChanged, Notice, ToolFinished, TurnFinished
from kinet.runtime import Runtime, create_runtime
from kinet.session.session import Session
from kinet.settings.options import Options
from tests.support.approvers import ScriptedApprover, allows_everything
from tests.support.replies import asks_for, says
from tests.support.scripted_server import ScriptedServer


class World:
    """A data folder, a project and a model that plays a script."""

    def __init__(self, home: Path, folder: Path, model: ScriptedServer) -> None:
        self.home, self.folder, self.model = home, folder, model
        self.open: list[Runtime] = []

    def runtime(self, **options: Any) -> Runtime:
        chosen = Options(base_url=self.model.base_url, model="scripted", cwd=self.folder, **options)
        made = create_runtime(self.home, options=chosen)
        self.open.append(made)
        return made

    def set(self, runtime: Runtime, **servers: Any) -> None:
        runtime.settings.set("mcp.servers", servers)

    async def ready(self, runtime: Runtime, session: Session) -> None:
        """Waits until the servers of a session are: as a person who types for a while does."""
        book = runtime._parts().tool_servers
        await asyncio.to_thread(book.wake, session.id, session._state.folder)
        await book.servers.settled(session.id, 20.0)

    def offered(self, at: int = -1) -> list[str]:
        """The servers' tools in a request that the model got."""
        tools = self.model.bodies[at].get("tools", [])
        names = [tool["function"]["name"] for tool in tools]
        assert names == sorted(names)
        return [name for name in names if "__" in name]


@pytest_asyncio.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    folder = tmp_path / "project"
    folder.mkdir()
    with ScriptedServer() as model:
        made = World(tmp_path / "home", folder, model)
        yield made
        for runtime in made.open:
            await runtime.close()


async def sent(
    session: Session, text: str = "Do it.", approver: ScriptedApprover | None = None
) -> list[Event]:
    events = [e async for e in session.send(text, approver=approver or allows_everything())]
    assert isinstance(events[-1], TurnFinished)
    return events


def results(events: list[Event]) -> list[ToolFinished]:
    return [event for event in events if isinstance(event, ToolFinished)]


def notices(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Notice)]


ECHO = {"text": "hello"}


async def test_a_slow_server_holds_no_message_and_its_tools_join_at_the_next(
    world: World,
) -> None:
    runtime = world.runtime()
    world.set(runtime, odd=odd())
    session = runtime.open_session()
    world.model.replies(says("Hi."), asks_for("odd__echo", **ECHO), says("Done."), says("Again."))
    events = await sent(session)
    assert world.offered() == []
    assert "The server odd is still starting; its tools come with the next message." in notices(
        events
    )
    await world.ready(runtime, session)
    approver = allows_everything()
    events = await sent(session, "and now?", approver)
    assert [result.content for result in results(events)] == ["hello"]
    (asked,) = approver.asked
    assert asked.question == "Let the server odd do echo?"
    assert json.loads(asked.body) == ECHO
    assert "odd_server.py" in asked.targets[0]
    assert asked.claim == "Gives back what it gets. It says that it only reads."
    assert asked.scopes == ("once", "session", "folder", "always")
    await sent(session, "once more")
    first, last = world.model.bodies[1], world.model.bodies[-1]
    assert json.dumps(first["tools"]) == json.dumps(last["tools"])
    assert notices(events) == []


async def test_a_server_that_cannot_be_used_is_told_once(world: World) -> None:
    runtime = world.runtime()
    world.set(runtime, odd={"command": "no-such-program-here"})
    session = runtime.open_session()
    await world.ready(runtime, session)
    told = "The server odd is not used: There is no program no-such-program-here."
    assert told in notices(await sent(session))
    assert told not in notices(await sent(session))


async def test_no_mode_but_all_without_a_sandbox_lets_a_claim_pass(world: World) -> None:
    for mode, unsandboxed, asked, content in (
        ("ask", False, 1, "hello"),
        ("edits", False, 1, "hello"),
        ("plan", False, 1, "hello"),
        ("all", False, 1, "hello"),
        ("all", True, 0, "hello"),
    ):
        runtime = world.runtime(approve=mode, unsandboxed=unsandboxed)
        world.set(runtime, odd=odd())
        session = runtime.open_session()
        await world.ready(runtime, session)
        world.model.replies(asks_for("odd__echo", **ECHO), says("Done."))
        approver = allows_everything()
        events = await sent(session, "x", approver)
        assert (len(approver.asked), results(events)[0].content) == (asked, content), mode
        await runtime.close()


async def test_plan_mode_denies_what_does_not_even_say_that_it_reads(world: World) -> None:
    runtime = world.runtime(approve="plan")
    world.set(runtime, odd=odd())
    session = runtime.open_session()
    await world.ready(runtime, session)
    world.model.replies(asks_for("odd__show", result={}), says("Done."))
    approver = allows_everything()
    (result,) = results(await sent(session, "x", approver))
    assert result.content.startswith("Not run: this session only reads")
    assert approver.asked == []


@pytest.mark.parametrize("scope", ["session", "folder", "always"])
async def test_an_answer_is_kept_for_this_tool_as_it_is_described_and_no_other(
    world: World, tmp_path: Path, scope: Any
) -> None:
    described = tmp_path / "described"
    described.write_text("Says it again.")
    runtime = world.runtime()
    world.set(runtime, odd=odd("described", tmp_path / "notes"), two=odd("good"))
    session = runtime.open_session()
    await world.ready(runtime, session)
    approver = ScriptedApprover(Decision(True, scope))

    async def asked_for(tool: str, text: str) -> int:
        before = len(approver.asked)
        world.model.replies(asks_for(tool, text=text), says("Done."))
        events = await sent(session, "x", approver)
        assert results(events)[0].content == text
        return len(approver.asked) - before

    assert await asked_for("odd__echo", "one") == 1
    assert await asked_for("odd__echo", "other words") == 0
    assert await asked_for("two__echo", "another server") == 1
    # Another description is another tool.
    described.write_text("Says it again, and to everybody.")
    runtime._parts().tool_servers.forget(["odd"])
    await world.ready(runtime, session)
    assert await asked_for("odd__echo", "three") == 1
    # The question says what is other than it was when it was allowed.
    changed = "-Says it again.\n+Says it again, and to everybody."
    assert [changed in asked.changes for asked in approver.asked] == [False, False, True]
    assert [asked.changes for asked in approver.asked[:2]] == ["", ""]


async def test_a_no_that_is_kept_holds_however_it_is_described(
    world: World, tmp_path: Path
) -> None:
    (tmp_path / "described").write_text("Says it again.")
    runtime = world.runtime()
    world.set(runtime, odd=odd("described", tmp_path / "notes"))
    session = runtime.open_session()
    await world.ready(runtime, session)
    runtime._parts().rule_book.remember("odd__echo", {}, "", Decision(False, "always"), "old")
    world.model.replies(asks_for("odd__echo", **ECHO), says("Done."))
    approver = allows_everything()
    (result,) = results(await sent(session, "x", approver))
    assert result.is_error
    assert approver.asked == []


async def test_what_a_server_changes_in_the_project_is_noted_for_undo(world: World) -> None:
    runtime = world.runtime()
    world.set(runtime, odd=odd())
    session = runtime.open_session()
    await world.ready(runtime, session)
    place = world.folder / "new.txt"
    world.model.replies(asks_for("odd__write", path=str(place)), says("Done."))
    events = await sent(session)
    assert place.read_text() == "from the server\n"
    changed = [event for event in events if isinstance(event, FilesChanged)]
    assert changed[0].paths == ("new.txt",)


async def test_a_stop_ends_the_call_and_the_turn(world: World, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    runtime = world.runtime()
    world.set(runtime, odd=odd("good", notes))
    session = runtime.open_session()
    await world.ready(runtime, session)
    world.model.replies(asks_for("odd__wait"), says("Done."))
    events = []
    async for event in session.send("x", approver=allows_everything()):
        events.append(event)
        if type(event).__name__ == "ToolStarted":
            async with asyncio.timeout(20):
                while "waiting" not in notes.read_text():  # noqa: ASYNC110 - another process
                    await asyncio.sleep(0.02)
            session.stop()
    assert events[-1].reason == "stopped"  # type: ignore[attr-defined]
    async with asyncio.timeout(20):
        while "cancelled True" not in notes.read_text():  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.02)


async def test_a_session_that_rests_or_is_closed_keeps_no_server(
    world: World, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    runtime = world.runtime()
    world.set(runtime, odd=odd("pid", notes))
    for end in ("rest", "close"):
        session = runtime.open_session()
        await world.ready(runtime, session)
        await sent(session)
        pid = [int(word) for word in notes.read_text().split() if word.isdigit()][-1]
        assert is_alive(pid)
        if end == "rest":
            assert session.rest() is not None
        else:
            await session.close()
        async with asyncio.timeout(20):
            while is_alive(pid):  # noqa: ASYNC110 - another process
                await asyncio.sleep(0.02)


async def test_sub_agents_do_not_get_them(world: World) -> None:
    runtime = world.runtime()
    world.set(runtime, odd=odd())
    session = runtime.open_session()
    await world.ready(runtime, session)
    world.model.replies(asks_for("dispatch_agent", task="look"), says("Seen."), says("Done."))
    await sent(session)
    assert world.offered(0)
    assert world.offered(1) == []


async def test_a_small_window_keeps_room_for_the_conversation(world: World) -> None:
    runtime = world.runtime()
    world.set(runtime, many=odd("many"))
    session = runtime.open_session()
    await world.ready(runtime, session)
    profile = runtime.profile()
    assert profile is not None
    session._state.parts = replace(
        session._state.parts, profile=lambda name: replace(profile, window=5_000)
    )
    told = notices(await sent(session))
    offered = world.offered()
    assert 20 < len(offered) < 90
    words = f"{1_000 - len(offered):,} tools of servers have no room in a request to this model"
    assert told[0].startswith(words)


SERVERS = {"mcpServers": {"brought": odd()}}


async def test_a_folders_servers_wait_for_trust(world: World) -> None:
    (world.folder / ".mcp.json").write_text(json.dumps(SERVERS))
    runtime = world.runtime()
    runtime.trust.asks = True
    session = runtime.open_session()
    rows = await runtime.services.servers.rows(world.folder)
    assert [(row.name, row.place, row.state) for row in rows] == [("brought", "folder", "trust")]
    await world.ready(runtime, session)
    await sent(session)
    assert world.offered() == []
    question = runtime.trust.pending(world.folder)
    assert question is not None
    assert "odd_server.py" in question.content.servers[0][1]
    runtime.trust.answer(question, True)
    await world.ready(runtime, session)
    await sent(session)
    assert "brought__echo" in world.offered()
    # Another list is another question.
    changed = {"mcpServers": {"brought": odd("good", env={"MORE": "1"})}}
    (world.folder / ".mcp.json").write_text(json.dumps(changed))
    await sent(session)
    assert world.offered() == []


async def test_a_folder_cannot_take_the_place_of_a_persons_own_server(
    world: World, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    listed = {"mcpServers": {"ODD": odd("exits", notes)}}
    (world.folder / ".mcp.json").write_text(json.dumps(listed))
    runtime = world.runtime(trust=True)
    world.set(runtime, odd=odd())
    session = runtime.open_session()
    await world.ready(runtime, session)
    await sent(session)
    assert "odd__echo" in world.offered()
    rows = await runtime.services.servers.rows(world.folder)
    assert [(row.name, row.state) for row in rows] == [("odd", "ready"), ("ODD", "hidden")]
    assert not notes.exists()


async def test_rows_tell_how_each_server_stands(world: World) -> None:
    runtime = world.runtime()
    world.set(runtime, odd=odd("exits"), fine=odd("good", tools_off=["die"]))
    services = runtime.services.servers
    rows = {row.name: row for row in await services.rows(world.folder)}
    assert {name: row.state for name, row in rows.items()} == {"odd": "idle", "fine": "idle"}
    changes: list[int] = []
    end = services.on_change(lambda: changes.append(1))
    session = runtime.open_session()
    await world.ready(runtime, session)
    rows = {row.name: row for row in await services.rows(world.folder)}
    assert (rows["odd"].state, rows["odd"].exit_code) == ("failed", 3)
    assert rows["odd"].stderr == "no configuration found"
    fine = rows["fine"]
    assert (fine.state, fine.title) == ("ready", "odd 1.2")
    assert [(tool.name, tool.on) for tool in fine.tools][:3] == [
        ("ask", True), ("die", False), ("echo", True),
    ]  # fmt: skip
    assert fine.tokens == sum(tool.tokens for tool in fine.tools if tool.on)
    assert changes
    end()
    await services.restart("odd", world.folder)
    tried = await services.try_out("odd", odd("exits"), world.folder)
    assert (tried.ok, tried.exit_code, tried.stderr) == (False, 3, "no configuration found")
    tried = await services.try_out("", odd(), world.folder)
    assert (tried.ok, len(tried.tools)) == (True, 6)


def test_nothing_of_it_is_imported_before_there_is_a_server(tmp_path: Path) -> None:
    code = """
import asyncio, json, sys
from pathlib import Path
from kinet.settings.options import Options
from kinet.runtime import create_runtime
from tests.support.scripted_server import ScriptedServer

async def main(home, folder):
    with ScriptedServer() as model:
        options = Options(base_url=model.base_url, model="scripted", cwd=Path(folder))
        runtime = create_runtime(home, options=options)
        await runtime.services.servers.rows(Path(folder))
        async for event in runtime.open_session().send("hi"):
            pass
        await runtime.close()

asyncio.run(main(*sys.argv[1:]))
print(json.dumps([name for name in sys.modules if name.split(".")[0] in ("mcp", "mcp_types",
      "httpx2", "jsonschema") or name.startswith("kinet.mcp.")]))
"""
    folder = tmp_path / "project"
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "home"), str(folder)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout.splitlines()[-1]) == []
