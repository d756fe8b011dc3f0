"""What a model hears of commands that the person ran, in every protocol, of a strict server."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from kinet.core.own_command import OwnCommand
from kinet.core.profile import WireProtocol
from kinet.net import redact
from kinet.net.secret import Secret
from kinet.runtime import Runtime, create_runtime
from tests.session.conftest import collect
from tests.support.approvers import allows_everything
from tests.support.replies import asks_for, says
from tests.support.scripted_server import ScriptedServer
from tests.support.wires import PROTOCOLS

MODELS = {"openai": "o3", "anthropic": "claude-sonnet-4-5", "responses": "o3"}


@pytest.fixture(params=PROTOCOLS)
def protocol(request: pytest.FixtureRequest) -> WireProtocol:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server
        assert server.problems == []


@pytest.fixture
async def runtime(
    server: ScriptedServer, protocol: WireProtocol, tmp_path: Path
) -> AsyncIterator[Runtime]:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "notes.txt").write_text("plum\n", encoding="utf-8")
    runtime = create_runtime(
        tmp_path / "home",
        base_url=server.base_url.removesuffix("/v1" if protocol == "anthropic" else ""),
        protocol=protocol,
        model=MODELS[protocol],
        cwd=tmp_path / "work",
    )
    yield runtime
    await runtime.close()


def _messages(body: dict[str, Any]) -> list[dict[str, Any]]:
    return body.get("messages") or body["input"]


def _system(body: dict[str, Any]) -> str:
    first = _messages(body)[0]
    own = first["content"] if first.get("role") in ("system", "developer") else ""
    return json.dumps([body.get("system"), body.get("instructions"), own])


def _bare(message: dict[str, Any]) -> str:
    """A message without the marks that say what a server is to cache."""
    text = json.dumps(message)
    return text.replace(', "cache_control": {"type": "ephemeral"}', "")


async def test_p06_a_command_of_the_persons_own_becomes_their_message_only_at_the_border(
    server, runtime, protocol
):
    server.replies(says("One."), says("Two."), says("Three."))
    session = runtime.open_session()
    await collect(session.send("Begin."))
    await collect(session.run_command(OwnCommand("cat notes.txt; exit 3")))
    (ran,) = [item for item in session.history() if item.kind == "command"]
    assert ran.command == OwnCommand("cat notes.txt; exit 3", "exit 3")
    assert "ran this command" not in ran.text
    await collect(session.send("Go on."))
    await collect(session.send("And on."))
    first, second, third = [request.body for request in server.requests]
    said = [message for message in _messages(second) if "plum" in json.dumps(message)]
    assert [message["role"] for message in said] == ["user"]
    words = json.dumps(said[0])
    assert "I ran this command myself" in words
    assert "cat notes.txt; exit 3" in words
    assert "(exit 3)" in words
    assert _system(first) == _system(second) == _system(third)
    assert "plum" not in _system(third)
    roles = [message.get("role") for message in _messages(third)]
    if protocol == "anthropic":
        assert all(one != other for one, other in pairwise(roles))
    # What was sent once is sent again byte for byte.
    for one, other in ((first, second), (second, third)):
        before, after = ([_bare(item) for item in _messages(body)] for body in (one, other))
        assert after[: len(before)] == before


async def test_p06_what_a_private_command_printed_never_reaches_a_model_by_any_way(server, runtime):
    server.replies(
        says("One."),
        asks_for("recall_memory", query="damson notes"),
        says("pad " * 60_000),
        says("pad " * 60_000),
        says("A summary of plain words."),
        says("Three."),
    )
    session = runtime.open_session()
    await collect(session.send("Begin."))
    events = await collect(session.run_command(OwnCommand("echo damson", private=True)))
    assert any("damson" in getattr(event, "content", "") for event in events)
    await collect(session.run_command(OwnCommand("cat notes.txt")))
    await collect(session.send("Look.", approver=allows_everything()))
    await collect(session.send("More."))
    await collect(session.send("/compact"))
    await collect(session.send("Go on."))
    sent = [json.dumps(request.body) for request in server.requests]
    # The question of recall_memory is the model's own word.
    assert not any("damson" in text.replace("damson notes", "") for text in sent)
    assert "Person ran: cat notes.txt" in sent[4]
    assert "plum" in sent[4]


async def test_p06_a_long_output_is_cut_for_the_model_and_a_live_key_is_hidden(server, runtime):
    server.replies(says("One."))
    redact.register(Secret("sk-canary-0123456789abcdef"))
    session = runtime.open_session()
    command = "echo sk-canary-0123456789abcdef; seq 1 4000"
    events = await collect(session.run_command(OwnCommand(command)))
    (ended,) = [event for event in events if type(event).__name__ == "ToolFinished"]
    assert ended.content.endswith("3999\n4000")
    await collect(session.send("What did it say?"))
    told = json.dumps(_messages(server.requests[0].body))
    assert "characters omitted here" in told
    assert ended.call_id in told
    assert "3999" in told
    assert "2000" not in told
    # In the command itself the person's own words stand.
    printed = told.partition("What it printed")[2]
    assert "sk-canary-0123456789abcdef" not in printed
