"""Memory in a whole runtime: recalled, told where it was used, gone with its last source."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from kinet.core.events import Event, FactsNoticed, StepFinished, ToolFinished
from kinet.core.profile import ModelProfile
from kinet.runtime import Runtime, create_runtime
from kinet.settings.options import Options
from kinet.settings.store import SettingsStore
from tests.support.scripted_server import ScriptedServer, asks_for, says


@asynccontextmanager
async def runtime_on(home: Path, server: ScriptedServer, **options: Any) -> AsyncIterator[Runtime]:
    """A runtime with a saved profile and memory switched on."""
    settings = SettingsStore(home)
    settings.save_profile(ModelProfile("Server", server.base_url, "big", window=128_000))
    settings.set("memory.notice", True)
    settings.set("memory.model", "cheap")
    runtime = create_runtime(home, options=Options(**options))
    try:
        yield runtime
    finally:
        await runtime.close()


async def turn(session: Any, text: str) -> list[Event]:
    events = [event async for event in session.send(text)]
    return events + [event async for event in session.afterwards()]


def proposes(text: str, quote: str) -> Any:
    fact = {"text": text, "about": "person", "from": 1, "quote": quote}
    return says(json.dumps({"facts": [fact]}, ensure_ascii=False)).counting(100, 10)


async def test_what_was_said_in_other_sessions_is_recalled_in_any_script(tmp_path: Path) -> None:
    said = ("The heron nests by the mill.", "我的生日是三月五日", "犬の名前はポチです")
    asked = ("Where does the heron live?", "生日是哪一天", "犬の名前は何ですか")
    replies = [says("Noted.") for _ in said]
    for query in asked:
        replies += [asks_for("recall_memory", query=query), says("There.")]
    with ScriptedServer(*replies) as server:
        async with runtime_on(tmp_path / "home", server) as runtime:
            runtime.settings.set("memory.notice", False)
            for text in said:
                await turn(runtime.open_session(), text)
            for text, query in zip(said, asked, strict=True):
                events = await turn(runtime.open_session(), query)
                results = [event for event in events if isinstance(event, ToolFinished)]
                assert text in results[0].content


async def test_a_fact_is_noticed_used_and_gone_with_the_last_session_it_came_from(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    replies = (says("Noted."), proposes("Likes tea.", "I like tea"), says("Yes."), says("{}"))
    with ScriptedServer(*replies) as server:
        async with runtime_on(home, server) as runtime:
            first = runtime.open_session()
            events = await turn(first, "I like tea.")
            assert [type(event) for event in events[-2:]] == [StepFinished, FactsNoticed]
            assert "purpose='memory'" in repr(events[-2])
            memory = runtime.services.memory
            (fact,) = memory.facts()
            second = runtime.open_session()
            await turn(second, "Do you know what I drink?")
            assert "- Likes tea." in json.dumps(server.bodies[2])
            runtime.sessions.parts.store.database.flush()
            assert [use.session_id for use in memory.uses(fact.id)] == [second.id]
            assert [use.session_id for use in memory.origins(fact.id)] == [first.id]
            runtime.sessions.delete(first.id)
            assert memory.facts() == [fact], "the trash can be undone"
            runtime.sessions.purge().result()
            assert memory.facts() == []


async def test_the_block_of_a_session_stays_the_same_while_facts_are_noticed(
    tmp_path: Path,
) -> None:
    replies = []
    for number in range(6):
        replies += [says("Noted."), proposes(f"Likes dish {number}.", f"dish {number}")]
    with ScriptedServer(*replies) as server:
        async with runtime_on(tmp_path / "home", server) as runtime:
            runtime.services.memory.add_fact("Speaks German.")
            session = runtime.open_session()
            for number in range(6):
                events = await turn(session, f"I like dish {number}.")
                assert isinstance(events[-1], FactsNoticed) or number > 0
            blocks = {
                body["messages"][1]["content"] for body in server.bodies if body["model"] == "big"
            }
            assert len(blocks) == 1
            assert "dish" not in blocks.pop()


async def test_a_run_without_a_window_never_asks_for_facts(tmp_path: Path) -> None:
    with ScriptedServer(says("Noted."), says("Yes.")) as server:
        async with runtime_on(tmp_path / "home", server, headless=True, cwd=tmp_path) as runtime:
            await turn(runtime.open_session(), "I like tea.")
        async with runtime_on(tmp_path / "other", server, memory=False) as runtime:
            await turn(runtime.open_session(), "I like rice.")
        assert [body["model"] for body in server.bodies] == ["big", "big"]


async def test_no_money_is_spent_on_facts_beyond_the_limit(tmp_path: Path) -> None:
    with ScriptedServer(says("Noted.").counting(1_000, 1_000)) as server:
        async with runtime_on(tmp_path / "home", server) as runtime:
            runtime.settings.set_price("big", {"input": 900.0, "output": 900.0})
            runtime.settings.set("limits.session_usd", 0.5)
            runtime.settings.set("limits.turn_usd", 0.0)
            await turn(runtime.open_session(), "I like tea.")
        assert len(server.requests) == 1
