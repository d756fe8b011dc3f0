"""The runtime: cheap to make, one place that plugs everything together, closed in order."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kinet.core.errors import SettingsError, StoreError
from kinet.core.events import Event, TurnFinished
from kinet.core.profile import ModelProfile, Price
from kinet.local.tour_thread import PROFILE_NAME
from kinet.runtime import Runtime, create_runtime
from kinet.session.session import Session
from kinet.settings.options import Options
from tests.support.approvers import allows_everything
from tests.support.replies import asks_for, says
from tests.support.scripted_server import ScriptedServer

HEAVY = ("httpx", "pydantic", "keyring", "markdown_it", "pygments", "sqlite3", "asyncio")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    (place / "notes.md").write_text("Monday\n")
    return place


async def sent(session: Session, text: str) -> list[Event]:
    events = session.send(text, approver=allows_everything())
    return [event async for event in events]


def test_making_one_and_reading_the_theme_imports_nothing_heavy(tmp_path: Path) -> None:
    (tmp_path / "window.json").write_text('{"theme": "dark"}')
    code = (
        "import sys, json\n"
        "before = set(sys.modules)\n"
        "from kinet.runtime import create_runtime\n"
        "runtime = create_runtime(home=sys.argv[1])\n"
        "runtime.folder\n"
        "print(json.dumps([runtime.theme, sorted(set(sys.modules) - before)]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    theme, loaded = json.loads(done.stdout)
    assert theme == "dark"
    assert [name for name in HEAVY[:-1] if name in loaded] == []


def test_preload_imports_without_touching_the_data_folder(tmp_path: Path) -> None:
    create_runtime(home=tmp_path / "home").preload()
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
async def test_a_session_talks_acts_and_is_there_again_after_a_restart(
    tmp_path: Path, folder: Path, protocol: str
) -> None:
    with ScriptedServer(asks_for("read_file", path="notes.md"), says("Monday.")) as server:
        base_url = server.base_url.removesuffix("/v1" if protocol == "anthropic" else "")
        choice = {"base_url": base_url, "protocol": protocol, "model": "scripted", "cwd": folder}
        runtime = create_runtime(tmp_path / "home", **choice)  # type: ignore[arg-type]
        session = runtime.open_session()
        events = await sent(session, "which day?")
        history = session.history()
        await runtime.close()
        assert isinstance(events[-1], TurnFinished)
        assert events[-1].reason == "completed"
        again = create_runtime(tmp_path / "home", **choice)  # type: ignore[arg-type]
        assert [row.title for row in again.sessions.list()] == ["which day?"]
        assert again.open_session(session.id).history() == history
        await again.close()
        assert server.problems == []


def test_parts_asked_for_by_many_threads_at_once_are_made_once(tmp_path: Path) -> None:
    runtime = create_runtime(tmp_path / "home")
    with ThreadPoolExecutor(8) as threads:
        start = threading.Barrier(8)

        def ask(_: int) -> object:
            start.wait(10)
            return runtime.services

        assert len({id(services) for services in threads.map(ask, range(8))}) == 1
    asyncio.run(runtime.close())


async def test_none_stands_for_what_is_left_out(tmp_path: Path, folder: Path) -> None:
    with ScriptedServer(says("Hello.")) as server:
        runtime = create_runtime(
            home=tmp_path / "home",
            base_url=server.base_url,
            protocol=None,
            model="scripted",
            api_key_env=None,
            profile=None,
            cwd=folder,
            approve=None,
            theme=None,
            trust=None,
        )
        events = await sent(runtime.open_session(), "hello")
        assert isinstance(events[-1], TurnFinished)
        assert events[-1].reason == "completed", events[-1].error
        await runtime.close()


async def test_the_tour_runs_on_a_sample_folder_and_costs_nothing(tmp_path: Path) -> None:
    runtime = create_runtime(tmp_path / "home")
    session = runtime.open_session(await runtime.services.start_tour())
    assert session.profile == PROFILE_NAME
    assert session.folder is not None
    assert (session.folder / "ledger" / "totals.py").exists()
    await sent(session, "Read README.md")
    assert session.conversation.cost == 0
    assert session.conversation.cost_known
    assert (await runtime.services.month_total()).cost == 0
    await runtime.close()


async def test_a_tour_session_goes_on_after_a_restart(tmp_path: Path, folder: Path) -> None:
    runtime = create_runtime(tmp_path / "home")
    session = runtime.open_session(await runtime.services.start_tour(folder))
    await sent(session, "Read notes.md")
    await runtime.close()
    again = create_runtime(tmp_path / "home")
    events = await sent(again.open_session(session.id), "Read notes.md")
    assert isinstance(events[-1], TurnFinished)
    assert events[-1].reason == "completed"
    await again.close()


async def test_an_own_price_changes_the_cost_of_the_next_call(tmp_path: Path, folder: Path) -> None:
    with ScriptedServer(
        says("a").counting(1_000_000, 0), says("b").counting(1_000_000, 0)
    ) as server:
        runtime = create_runtime(
            tmp_path / "home", base_url=server.base_url, model="scripted", cwd=folder
        )
        runtime.settings.set("limits.turn_usd", 0)
        runtime.services.set_price("scripted", Price(input=2.0, output=0.0))
        session = runtime.open_session()
        await sent(session, "one")
        assert session.conversation.cost == pytest.approx(2.0)
        runtime.services.set_price("scripted", Price(input=5.0, output=0.0))
        await sent(session, "two")
        assert session.conversation.cost == pytest.approx(7.0)
        await runtime.close()


async def test_u08_the_text_a_turn_may_write_is_a_setting(tmp_path: Path, folder: Path) -> None:
    with ScriptedServer(says("x" * 3_000), says("x" * 3_000)) as server:
        runtime = create_runtime(
            tmp_path / "home", base_url=server.base_url, model="scripted", cwd=folder
        )
        session = runtime.open_session()
        runtime.settings.set("limits.screen_kb", 2)
        events = await sent(session, "one")
        assert isinstance(events[-1], TurnFinished)
        assert (events[-1].reason, "2 KB" in events[-1].detail) == ("budget", True)
        assert len(session.history()[-1].text) == 2_048
        runtime.settings.set("limits.screen_kb", 0)
        events = await sent(session, "two")
        assert isinstance(events[-1], TurnFinished)
        assert events[-1].reason == "completed"
        await runtime.close()


@pytest.mark.parametrize(("limit", "wanted"), [(0, 0), (30_000, 1)])
async def test_k17_a_fixed_number_of_tokens_to_compact_at_is_a_setting(
    tmp_path: Path, folder: Path, limit: int, wanted: int
) -> None:
    script = [says("word " * 1_000).counting(2_000, 1_000) for _ in range(9)]
    with ScriptedServer(*script, says("Yes.").counting(31_000), says("## Goal\nGo on.")) as server:
        runtime = create_runtime(
            tmp_path / "home", base_url=server.base_url, model="gpt-4o", cwd=folder
        )
        runtime.settings.set("limits.compact_at", limit)
        runtime.settings.set("limits.turn_usd", 0)
        runtime.settings.set("limits.day_usd", 0)
        session = runtime.open_session()
        for number in range(10):
            await sent(session, f"Question {number}. " + "word " * 1_000)
        assert len(session.conversation.compactions) == wanted
        assert len(server.bodies) == 10 + wanted
        await runtime.close()


async def test_a_key_given_for_a_profile_reaches_the_server_and_no_file(
    tmp_path: Path, folder: Path
) -> None:
    home = tmp_path / "home"
    with ScriptedServer(says("Hello.")) as server:
        runtime = create_runtime(home, cwd=folder)
        profile = ModelProfile("pine", server.base_url, "scripted")
        place = await runtime.services.save_profile(profile, "sk-canary-1234567890")
        assert place == "session"
        await sent(runtime.open_session(), "hello")
        await runtime.close()
        assert server.requests[0].headers["authorization"] == "Bearer sk-canary-1234567890"
    kept = [path.read_bytes() for path in home.rglob("*") if path.is_file()]
    assert kept
    assert not any(b"canary" in data for data in kept)


async def test_a_fact_added_in_the_window_is_told_in_the_next_turn(
    tmp_path: Path, folder: Path
) -> None:
    with ScriptedServer(says("One."), says("Two.")) as server:
        runtime = create_runtime(
            tmp_path / "home", base_url=server.base_url, model="scripted", cwd=folder
        )
        session = runtime.open_session()
        await sent(session, "first")
        runtime.services.memory.add_fact("Speaks German")
        await sent(session, "second")
        await runtime.close()
        assert "Speaks German" not in json.dumps(server.bodies[0])
        assert "Speaks German" in json.dumps(server.bodies[1])


async def test_without_a_model_a_message_is_refused_with_what_to_do(
    tmp_path: Path, folder: Path
) -> None:
    runtime = create_runtime(tmp_path / "home", cwd=folder)
    with pytest.raises(SettingsError, match="No model is chosen"):
        await sent(runtime.open_session(), "hello")
    await runtime.close()


async def test_a_second_program_on_the_folder_is_refused_with_a_sentence(tmp_path: Path) -> None:
    first, second = create_runtime(tmp_path), create_runtime(tmp_path)
    first.build()
    with pytest.raises(StoreError, match="uses the data folder"):
        second.build()
    await first.close()
    second.build()
    await second.close()


async def test_a_run_that_saves_nothing_leaves_no_folder(tmp_path: Path, folder: Path) -> None:
    home = tmp_path / "home"
    with ScriptedServer(says("Hi.")) as server:
        options = Options(base_url=server.base_url, model="scripted", cwd=folder, save=False)
        runtime = create_runtime(home, options=options)
        await sent(runtime.open_session(), "hello")
        await runtime.close()
    assert not home.exists()


@pytest.mark.parametrize("wrong", ["missing", "a file"])
async def test_a_folder_that_cannot_be_worked_on_is_named(
    tmp_path: Path, folder: Path, wrong: str
) -> None:
    place = folder / ("nowhere" if wrong == "missing" else "notes.md")
    runtime: Runtime = create_runtime(tmp_path / "home", cwd=place)
    with pytest.raises(SettingsError, match=place.name):
        runtime.open_session()
    await runtime.close()
